import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldHCI
import HeraldSimulation

/// How cost grows with the number of peers: the way of an advertisement from H4 bytes to a record in the log,
/// with so many known peers that are heard in turn, which is the worst for every cache and for the log's
/// dictionary; and RAM per peer and connection.
enum GrowthBenchmark {
  typealias Random = DeviceBenchmark.Xorshift
  typealias Node<let targets: Int, let connections: Int> = HeraldNode<
    HCIRadio<SimulatedController, connections>,
    PartList<MemoryFlash, Random, FixedPayloadSupplier, NoDelegate, HeraldGATTTable>, targets,
    connections,
    connections
  >

  static func run(_ figures: inout Figures) {
    for peers in [16, 64, 256, 1024] as [UInt32] {
      if let time = advertToLog(peers) {
        figures.add("advert_to_log_ns_\(peers)", time, "ns")
      } else {
        print("  advert_to_log_ns_\(peers): left out, not every payload was read")
      }
    }
    figures.add(
      "ram_per_target",
      Double(MemoryLayout<Node<512, 4>.Core>.size - MemoryLayout<Node<256, 4>.Core>.size) / 256, "bytes")
    figures.add(
      "ram_per_connection",
      Double(MemoryLayout<Node<64, 8>>.size - MemoryLayout<Node<64, 4>>.size) / 4, "bytes")
  }

  /// `nil` if there are peers whose payloads could not be read before: they would be more than
  /// advertisements.
  private static func advertToLog(_ peers: UInt32) -> Double? {
    var node = Node<1024, 4>(
      radio: HCIRadio(transport: SimulatedController()),
      flash: MemoryFlash(pageSize: 4096, pageCount: 64, wordSize: 4), random: Random(state: 1),
      supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 1_234_567_890),
      delegate: NoDelegate())
    var air = Random(state: 2)
    let data: [25 of UInt8] = [
      0x02, 0x01, 0x06, 0x03, 0x03, 0xF6, 0xFC, 0x11, 0x07,
      0x9B, 0xFD, 0x5B, 0xD6, 0x72, 0x45, 0x1E, 0x80, 0xD3, 0x42, 0x46, 0x47, 0xAF, 0x32, 0x81, 0x42,
    ]
    var now = Instant.start
    var next: UInt32 = 0
    func hear() {
      let number = air.next()
      node.radio.transport.hear(
        data.span, from: DeviceAddress(high: 0x5000, low: next, kind: .random),
        rssi: Int8(truncatingIfNeeded: -60 - Int(number % 9)))
      next = next &+ 1 == peers ? 0 : next &+ 1
      now = now + .milliseconds(1 + number % 4)
      _ = node.poll(at: now)
    }
    // Until every payload has been read: then they are known, and advertisements are all there is.
    var rounds = 0
    while node.core.counter(.reads) < peers, rounds < 20_000 {
      for _ in 0..<64 { hear() }
      rounds += 1
    }
    let count = 50_000
    let time = nanoseconds(per: count) { for _ in 0..<count { hear() } }
    keep(node.core.log.statistic(1))
    return node.core.counter(.reads) >= peers ? time : nil
  }
}
