import HeraldEmbedded

/// Advertising: what is wanted and what the controller has been told.
struct AdvertisingWork: BitwiseCopyable {
  /// A refused command is not repeated before.
  var retryAt: Instant
  var parameters: AdvertisingParameters
  var data: [31 of UInt8]
  var dataCount: UInt8
  var response: [31 of UInt8]
  var responseCount: UInt8
  var isWanted: Bool
  /// Whether the controller advertises.
  var isOn: Bool
  /// What the controller has not been told yet.
  var owesParameters: Bool
  var owesAddress: Bool
  var owesData: Bool
  var owesResponse: Bool
  /// The kind of advertising it was told.
  var type: AdvertisingType

  // Inlined: built where it will be, and not copied there.
  @inline(__always)
  init() {
    isWanted = false
    isOn = false
    owesParameters = false
    owesAddress = false
    owesData = false
    owesResponse = false
    type = .connectable
    parameters = AdvertisingParameters(ownAddress: .zero, interval: .zero, connectable: false)
    data = .init(repeating: 0)
    dataCount = 0
    response = .init(repeating: 0)
    responseCount = 0
    retryAt = .start
  }

  /// After a reset: nothing wanted, nothing told, and the controller has no data.
  mutating func clear() {
    isWanted = false
    isOn = false
    owesParameters = true
    owesAddress = true
    owesData = false
    dataCount = 0
    owesResponse = false
    responseCount = 0
    retryAt = .start
  }

  mutating func oweAll() {
    owesParameters = true
    owesAddress = true
    owesData = true
    owesResponse = true
  }

  /// Takes over what is wanted now, owing only what differs from before.
  mutating func want(
    _ wanted: AdvertisingParameters, data newData: Span<UInt8>, response newResponse: Span<UInt8>
  ) {
    isWanted = true
    retryAt = .start
    if wanted.interval != parameters.interval
      || wanted.ownAddress.kind != parameters.ownAddress.kind
    {
      owesParameters = true
    }
    if wanted.ownAddress != parameters.ownAddress { owesAddress = true }
    parameters = wanted
    if Self.replace(&data, dataCount, newData) { owesData = true }
    dataCount = UInt8(truncatingIfNeeded: newData.count)
    if Self.replace(&response, responseCount, newResponse) { owesResponse = true }
    responseCount = UInt8(truncatingIfNeeded: newResponse.count)
  }

  /// Copies the bytes; whether they differ from the `count` there were.
  private static func replace(_ bytes: inout [31 of UInt8], _ count: UInt8, _ new: Span<UInt8>) -> Bool {
    var differs = new.count != Int(count)
    for index in 0..<new.count where bytes[index] != new[index] {
      differs = true
      bytes[index] = new[index]
    }
    return differs
  }
}

/// Scanning: what is wanted and what the controller has been told.
struct ScanningWork: BitwiseCopyable {
  /// A refused command is not repeated before.
  var retryAt: Instant
  var parameters: ScanParameters
  var isWanted: Bool
  /// Whether the controller scans.
  var isOn: Bool
  var owesParameters: Bool

  init() {
    isWanted = false
    isOn = false
    owesParameters = false
    parameters = ScanParameters(ownAddress: .zero, interval: .zero, window: .zero, active: false)
    retryAt = .start
  }

  /// After a reset: nothing wanted, nothing told.
  mutating func clear() {
    isWanted = false
    isOn = false
    owesParameters = true
    retryAt = .start
  }

  mutating func want(_ wanted: ScanParameters) {
    isWanted = true
    retryAt = .start
    guard wanted != parameters else { return }
    owesParameters = true
    parameters = wanted
  }
}
