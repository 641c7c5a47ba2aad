import HeraldBluetooth
import HeraldHAL

/// The connection that is being initiated, and the failure of the last one.
struct Initiating: BitwiseCopyable {
  /// The CONNECT_IND that is transmitted.
  private(set) var request: ConnectRequest
  private(set) var isOn: Bool
  /// A connection to any device in the filter accept list is initiated.
  private(set) var usesList: Bool
  /// Initiating is to be cancelled at the end of the event in progress.
  var isCancelled: Bool
  private var failure: DisconnectReason
  private var owesFailure: Bool

  /// No connection is being initiated: all bits are zero.
  init() {
    request = .none
    isOn = false
    usesList = false
    isCancelled = false
    failure = DisconnectReason(rawValue: 0)
    owesFailure = false
  }

  /// Begins to initiate a connection.
  mutating func begin(_ request: ConnectRequest, usesList: Bool) {
    self.request = request
    self.usesList = usesList
    isOn = true
  }

  /// The connection was established.
  mutating func end() { isOn = false }

  /// The connection was not established: `takeFailure` returns the event.
  mutating func fail(_ reason: DisconnectReason) {
    isOn = false
    owesFailure = true
    failure = reason
  }

  /// Removes and returns the event of a failure.
  mutating func takeFailure() -> LinkLayerEvent? {
    guard owesFailure else { return nil }
    owesFailure = false
    return .connectFailed(reason: failure)
  }
}
