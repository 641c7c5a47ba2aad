/// A connection between two stations.
struct AirLine {
  enum Side: Int {
    case central = 0
    case peripheral = 1
    var other: Side { self == .central ? .peripheral : .central }
  }

  /// A PDU that is being transferred.
  struct Box {
    var bytes: [256 of UInt8] = .init(repeating: 0)
    var count = 0
    /// Whether it has been transferred; the receiver's host has not processed it yet.
    var isCarried = false
  }

  var isOpen = false
  /// Whether the request was not received: only the central is in the connected state.
  var isOneSided = false
  /// The stations, and the connection identifier used by each.
  var stations: [2 of Int] = .init(repeating: 0)
  var indices: [2 of Int] = .init(repeating: 0)
  /// The connection interval in microseconds.
  var interval: UInt64 = 0
  var supervisionTimeout: UInt64 = 0
  /// The time of the last PDU received by either side.
  var heardAt: UInt64 = 0
  var missed: UInt8 = 0
  var wasHeard = false
  /// The side that requested the disconnection.
  var closing: Side?
  /// The pending request and response of each side.
  var requests: [2 of Box] = .init(repeating: Box())
  var answers: [2 of Box] = .init(repeating: Box())
  /// Whether the host of each side was notified that the buffer is full.
  var wasRefused: [2 of Bool] = .init(repeating: false)
  var token: UInt32 = 0
}
