import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldHCI
import HeraldSimulation

/// The whole way of an advertisement: from H4 bytes to a record in the log, on a device with 64 targets that
/// has been running for a while. Time between advertisements and their strength vary, as the log's coder
/// would otherwise have nothing to do.
enum DeviceBenchmark {
  struct Xorshift: RandomSource, ~Copyable {
    var state: UInt32

    mutating func next() -> UInt32 {
      state ^= state << 13
      state ^= state >> 17
      state ^= state << 5
      return state
    }
  }

  static func run(_ figures: inout Figures) {
    var node = HeraldNode<
      HCIRadio<SimulatedController, 4>,
      PartList<MemoryFlash, Xorshift, FixedPayloadSupplier, NoDelegate, HeraldGATTTable>, 64, 4,
      4
    >(
      radio: HCIRadio(transport: SimulatedController()),
      flash: MemoryFlash(pageSize: 4096, pageCount: 64, wordSize: 4), random: Xorshift(state: 1),
      supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890),
      delegate: NoDelegate())
    var air = Xorshift(state: 2)
    var data: [17 of UInt8] = [2, 1, 6, 3, 3, 0xF6, 0xFC, 9, 0xFF, 0xF1, 5, 0, 0, 0, 0, 0, 0]
    var now = Instant.start
    for _ in 0..<100 {
      now = now + .milliseconds(100)
      _ = node.poll(at: now)
    }
    let count = 100_000
    figures.add(
      "advert_to_log_ns",
      nanoseconds(per: count) {
        for _ in 0..<count {
          let number = air.next()
          data[11] = UInt8(truncatingIfNeeded: number % 20)
          node.radio.transport.hear(
            data.span, from: DeviceAddress(high: 0x5000, low: number % 20, kind: .random),
            rssi: Int8(truncatingIfNeeded: -60 - Int(number % 9)))
          now = now + .milliseconds(5 + number % 30)
          _ = node.poll(at: now)
        }
      }, "ns")
    keep(node.core.log.statistic(1))
  }
}
