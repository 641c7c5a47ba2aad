import HeraldChips
import HeraldHAL

/// A driver on a model, and what a test does to both. Its packet buffers are at 0x2000_0000 (the first that
/// is named) and 0x2000_0040.
final class RadioBench<Chip: RadioChip> {
  let model = RadioModel()
  private let storage = UnsafeMutablePointer<NRF.RadioStorage>.allocate(capacity: 1)
  var radio: NRF.Radio<Chip, ModelRegisters>

  init(keepsCrystal: Bool = false) {
    storage.initialize(to: NRF.RadioStorage())
    radio = NRF.Radio(
      ModelRegisters(model, bus: model.bus), memory: NRF.RadioMemory(storage), clockDeviation: 50,
      keepsCrystal: keepsCrystal)
  }

  deinit {
    storage.deinitialize(count: 1)
    storage.deallocate()
  }

  func cancel() -> Bool { radio.cancel() }
  func takeOutcome() -> RadioOutcome? { radio.takeOutcome() }
  /// The current time in microseconds.
  func now() -> UInt32 { radio.now().microseconds }
  /// The PDU that was received.
  func received() -> [UInt8] { copy(&radio) }
  /// Writes a PDU to be transmitted.
  func send(_ bytes: [UInt8]) { fill(&radio, bytes) }

  /// Takes the outcome after an event of RTC0 COMPARE1, at the time for which it was set.
  func alarm() -> RadioOutcome? {
    model.counter = model.word(0xB544)
    model.set(0xB544 - 0x400)
    return radio.takeOutcome()
  }

  /// Takes the outcome of a packet: ADDRESS, END and DISABLED at these times of TIMER0.
  func packet(address: UInt32, end: UInt32, crcStatus: UInt32 = 1, rssi: UInt32 = 61) -> RadioOutcome? {
    if model.word(0x1104) == 0 { model.set(0x1104) }
    model.set(0x8544, address)
    model.set(0x8548, end)
    model.set(0x110C)
    model.set(0x1110)
    model.set(0x1400, crcStatus)
    model.set(0x1548, rssi)
    model.timer = end + 3
    return radio.takeOutcome()
  }

  /// Starts an operation 100 ms after RTC0 was 0, and lets TIMER0 run.
  func run(_ operation: RadioOperation) {
    radio.start(operation)
    _ = alarm()
    model.set(0x40C, 0x1_0001)
    _ = model.take()
  }
}

private func copy<Chip>(_ radio: inout NRF.Radio<Chip, ModelRegisters>) -> [UInt8] {
  let pdu = radio.incoming()
  return pdu.indices.map { pdu[$0] }
}

private func fill<Chip>(_ radio: inout NRF.Radio<Chip, ModelRegisters>, _ bytes: [UInt8]) {
  var pdu = radio.outgoing()
  for index in pdu.indices { pdu[index] = bytes[index] }
}

func time(_ microseconds: UInt32) -> RadioTime { RadioTime(microseconds: microseconds) }
func transmission(_ at: UInt32 = 100_000, channel: UInt8 = 37) -> RadioOperation {
  .transmit(
    at: time(at), channel: channel, accessAddress: 0x8E89_BED6, crcInit: 0x555555, longestPayload: 37)
}
func reception(_ at: UInt32 = 100_000, window: UInt32 = 500) -> RadioOperation {
  .receive(
    from: time(at), window: window, channel: 5, accessAddress: 0x5065_5DA3, crcInit: 0x1B7F2C,
    longestPayload: 27)
}
