import HeraldBluetooth
import HeraldHAL
import HeraldLinkLayer
import HeraldSimulation

private typealias Controller = HCIController<FuzzedRadio, SeededRandom, 2>

/// A host and a radio: records that begin with a byte from 0x80 on are bytes from the host, others outcomes
/// as for `fuzzLinkLayer`.
let hciControllerSeeds: [[UInt8]] = {
  let events: [UInt8] = [
    0x80, 1, 0x01, 0x0C, 8, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0x01, 0x20, 8, 255, 0, 0, 0, 0, 0, 0,
    0,
  ]
  let advertise: [UInt8] = [
    0x80, 1, 0x06, 0x20, 15, 0x20, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 1, 0x0A, 0x20, 1, 1,
  ]
  let request: [UInt8] =
    [
      1, 0x05, 34, 1, 2, 3, 4, 5, 0xC6, 1, 2, 3, 4, 5, 0xC0, 0xA3, 0x5D, 0x65, 0x50, 0x2C, 0x7F, 0x1B, 2, 0,
      0, 24,
    ]
    + [0, 0, 0, 100, 0, 255, 255, 255, 255, 31, 7]
  let peripheral: [[UInt8]] = [
    events, advertise, [0], request, [1, 0x11, 0], [0], [1, 0x0E, 3, 1, 2, 3], [0],
    [0x80, 2, 1, 0, 2, 0, 5, 6, 1, 0x1D, 0x04, 2, 1, 0], [1, 5, 0], [0],
    [0x80, 1, 0x06, 0x04, 3, 1, 0, 0x13], [1, 5, 0], [0],
  ]
  let initiate: [UInt8] =
    [0x80, 1, 0x0D, 0x20, 25, 0x10, 0, 0x10, 0, 0, 1, 1, 2, 3, 4, 5, 0xC6, 0, 24, 0, 24, 0, 0, 0]
    + [200, 0, 0, 0, 0, 0]
  let advertisement: [UInt8] = [1, 0x40, 9, 1, 2, 3, 4, 5, 0xC6, 2, 1, 6]
  let central: [[UInt8]] = [
    events, initiate, advertisement, [0], [0], [1, 5, 0],
    [
      0x80, 1, 0x16, 0x20, 2, 1, 0, 1, 0x13, 0x20, 14, 1, 0, 6, 0, 6, 0, 0, 0, 100, 0, 0, 0, 0, 0, 1, 0x14,
      0x20, 5, 3, 0, 0, 0, 0,
    ], [0], [1, 0x09, 0], [0], [1, 0x07, 9, 9, 0, 0, 0, 0, 0, 0, 0, 0], [0], [1, 0x09, 0], [0],
  ]
  let scanner: [[UInt8]] = [
    events, [0x80, 1, 0x11, 0x20, 7, 1, 1, 2, 3, 4, 5, 0xC6, 1, 0x0B, 0x20, 7, 1, 16, 0, 16, 0, 0, 1],
    [0x80, 1, 0x0C, 0x20, 2, 1, 1], advertisement, [0], [1, 0x44, 9, 1, 2, 3, 4, 5, 0xC6, 2, 10, 0],
    [0x80, 1, 0x03, 0x0C, 0],
  ]
  return [peripheral, central, scanner].map(records)
}()

/// A controller with whatever its host and the air bring.
func fuzzHCIController(_ bytes: Span<UInt8>) {
  let air = FuzzedRadio.Air()
  var controller = Controller(
    radio: FuzzedRadio(air), random: SeededRandom(seed: 1),
    address: DeviceAddress(high: 0xC005, low: 0x0403_0201, kind: .public), seed: 1)
  forEachRecord(bytes) { record in
    guard record.count > 0 else { return }
    if record[0] >= 0x80 {
      var first = 1
      while first < record.count {
        let accepted = controller.receive(record.extracting(first...))
        first += accepted
        let hasAnswered = drain(&controller)
        // A command may wait for the end of an event.
        if accepted == 0, !hasAnswered { break }
      }
    } else if air.state == .busy, let operation = air.operation {
      air.pass(record, operation)
      if controller.radioInterrupt() { controller.procedures() }
    }
    _ = drain(&controller)
  }
}

/// Takes all packets, which must be well-formed. Returns whether there was one.
private func drain(_ controller: inout Controller) -> Bool {
  var count = 0
  while let packet = take(&controller) {
    count += 1
    if count > 100 { broken("packets without end") }
    switch packet[0] {
    case 2:
      let handle = Int(packet[1]) | Int(packet[2] & 0x0F) << 8
      if !(1...2).contains(handle) { broken("data of no connection") }
      if packet.count != 5 + Int(packet[3]) || packet[4] != 0 || packet.count > 32 {
        broken("data of another length")
      }
    case 4: if packet.count < 3 || packet.count != 3 + Int(packet[2]) { broken("an event of another length") }
    default: broken("no packet")
    }
  }
  return count > 0
}

private func take(_ controller: inout Controller) -> [UInt8]? {
  let packet = [UInt8](unsafeUninitializedCapacity: Controller.longestPacket) { buffer, count in
    buffer.initialize(repeating: 0)
    var writer = ByteWriter(MutableSpan(_unsafeElements: buffer))
    count = controller.takePacket(into: &writer) ? writer.count : 0
    if writer.overflowed { broken("a packet longer than the longest") }
  }
  return packet.isEmpty ? nil : packet
}
