import HeraldHAL

/// The advertising of a host, stored until the radio can start it: 31 bytes of data and as many of the scan
/// response.
struct HostAdvertisement: BitwiseCopyable {
  var parameters: AdvertisingParameters
  var data: [31 of UInt8]
  var response: [31 of UInt8]
  var dataLength: UInt8
  var responseLength: UInt8
  /// Whether there is something to advertise.
  var isWanted: Bool
  /// Whether the radio has been commanded, and was not restarted since.
  var isShown: Bool

  /// Nothing to advertise.
  init() {
    parameters = AdvertisingParameters(ownAddress: .zero, interval: .zero, connectable: false)
    data = .init(repeating: 0)
    response = .init(repeating: 0)
    dataLength = 0
    responseLength = 0
    isWanted = false
    isShown = false
  }

  /// Stores a copy. `false`, changing nothing, if either is longer than 31 bytes.
  @inline(never)
  mutating func set(
    _ parameters: AdvertisingParameters, _ data: Span<UInt8>, _ response: Span<UInt8>
  ) -> Bool {
    guard data.count <= 31, response.count <= 31 else { return false }
    self.parameters = parameters
    var room = self.data.mutableSpan
    room.set(data, at: 0)
    room = self.response.mutableSpan
    room.set(response, at: 0)
    dataLength = UInt8(truncatingIfNeeded: data.count)
    responseLength = UInt8(truncatingIfNeeded: response.count)
    isWanted = true
    isShown = false
    return true
  }

  /// Issues the command to the radio.
  mutating func show<R: Radio & ~Copyable>(on radio: inout R) {
    do throws(RadioError) {
      try radio.startAdvertising(
        parameters, data: data.span.extracting(0..<Int(dataLength)),
        scanResponse: response.span.extracting(0..<Int(responseLength)))
      isShown = true
    } catch {
      // Repeated with the next poll.
      isShown = false
    }
  }
}
