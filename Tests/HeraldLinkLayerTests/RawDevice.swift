import HeraldHAL
import HeraldSimulation

extension RadioPeripheral where Self: ~Copyable {
  /// Writes a PDU into the transmit buffer.
  mutating func load(_ pdu: [UInt8]) {
    var place = outgoing()
    var index = 0
    while index < pdu.count {
      place[index] = pdu[index]
      index += 1
    }
  }

  /// The PDU that was received last.
  mutating func received() -> [UInt8] {
    let pdu = incoming()
    return pdu.indices.map { pdu[$0] }
  }
}

/// A device without a link layer: a test determines the operations of its radio.
final class RawDevice: MediumDevice {
  static let advertisingAddress: UInt32 = 0x8E89_BED6
  static let advertisingCRC: UInt32 = 0x55_5555

  var radio: MediumRadio
  var outcomes: [RadioOutcome] = []
  /// The received PDUs; empty where no packet was received.
  var heard: [[UInt8]] = []
  /// Determines the step that follows an outcome.
  var next: (RawDevice, RadioOutcome) -> RadioStep = { _, _ in .stop }

  /// Creates device number `number`, the number of devices already on the medium.
  init(_ medium: RadioMedium, _ number: Int, deviation: Int = 0) {
    radio = medium.makeRadio(deviation: deviation)
    medium.attach(self, to: number)
  }

  var now: RadioTime { radio.now() }

  func transmit(
    _ pdu: [UInt8], at start: RadioTime, channel: UInt8 = 37, address: UInt32 = advertisingAddress,
    crc: UInt32 = advertisingCRC
  ) {
    radio.load(pdu)
    radio.start(
      .transmit(at: start, channel: channel, accessAddress: address, crcInit: crc, longestPayload: 37))
  }

  func receive(
    from start: RadioTime, window: UInt32, channel: UInt8 = 37, address: UInt32 = advertisingAddress,
    crc: UInt32 = advertisingCRC
  ) {
    radio.start(
      .receive(
        from: start, window: window, channel: channel, accessAddress: address, crcInit: crc,
        longestPayload: 37))
  }

  func cancel() -> Bool { radio.cancel() }

  func radioInterrupt() -> Bool {
    guard let outcome = radio.takeOutcome() else { return false }
    outcomes.append(outcome)
    heard.append(outcome.kind == .received ? radio.received() : [])
    radio.proceed(next(self, outcome))
    return false
  }

  func proceduresInterrupt() {}
}
