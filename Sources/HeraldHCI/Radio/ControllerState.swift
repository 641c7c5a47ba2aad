import HeraldBluetooth
import HeraldHAL

/// Advertising: the state of the controller, and the commands still to be sent. Bytes only, so that all are
/// near the beginning of a session, within reach of short instructions.
struct AdvertisingState: BitwiseCopyable {
  var isWanted = false
  /// Whether the controller advertises.
  var isOn = false
  /// The commands still to be sent.
  var owesParameters = false
  var owesAddress = false
  var owesData = false
  var owesResponse = false
  /// The advertising type set in the controller.
  var type = AdvertisingType.connectable

  /// After a reset: nothing requested, nothing set, and the controller has no data.
  mutating func clear() {
    isWanted = false
    isOn = false
    owesParameters = true
    owesAddress = true
    owesData = false
    owesResponse = false
  }

  mutating func oweAll() {
    owesParameters = true
    owesAddress = true
    owesData = true
    owesResponse = true
  }
}

/// Advertising: the requested state.
struct AdvertisingWork: BitwiseCopyable {
  /// A refused command is not repeated before this.
  var retryAt: Instant
  var parameters: AdvertisingParameters
  var dataCount: UInt8
  var responseCount: UInt8
  var data: [31 of UInt8]
  var response: [31 of UInt8]

  // Inlined: built in place, and not copied there.
  @inline(__always)
  init() {
    retryAt = .start
    parameters = AdvertisingParameters(ownAddress: .zero, interval: .zero, connectable: false)
    dataCount = 0
    responseCount = 0
    data = .init(repeating: 0)
    response = .init(repeating: 0)
  }

  /// After a reset: the controller has no data.
  mutating func clear() {
    dataCount = 0
    responseCount = 0
    retryAt = .start
  }

  /// Stores the requested state; only differences are sent.
  mutating func want(
    _ wanted: AdvertisingParameters, data newData: Span<UInt8>, response newResponse: Span<UInt8>,
    _ state: inout AdvertisingState
  ) {
    state.isWanted = true
    retryAt = .start
    if wanted.interval != parameters.interval
      || wanted.ownAddress.kind != parameters.ownAddress.kind
    {
      state.owesParameters = true
    }
    if wanted.ownAddress != parameters.ownAddress { state.owesAddress = true }
    parameters = wanted
    if Self.replace(&data, &dataCount, newData) { state.owesData = true }
    if Self.replace(&response, &responseCount, newResponse) { state.owesResponse = true }
  }

  /// Copies the bytes; returns whether they differ from the former `count` bytes.
  @inline(never)
  private static func replace(_ bytes: inout [31 of UInt8], _ count: inout UInt8, _ new: Span<UInt8>) -> Bool
  {
    var differs = new.count != Int(count)
    for index in 0..<new.count where bytes[index] != new[index] {
      differs = true
      bytes[index] = new[index]
    }
    count = UInt8(truncatingIfNeeded: new.count)
    return differs
  }
}

/// Scanning: the state of the controller, and the commands still to be sent.
struct ScanningState: BitwiseCopyable {
  var isWanted = false
  /// Whether the controller scans.
  var isOn = false
  var owesParameters = false

  /// After a reset: nothing requested, nothing set.
  mutating func clear() {
    isWanted = false
    isOn = false
    owesParameters = true
  }
}
