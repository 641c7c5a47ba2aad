import HeraldBluetooth
import HeraldEmbedded

/// Walking the structures of one advertisement, and finding out what it says.
enum AdvertisingBenchmark {
  /// 31 bytes in four structures: flags, 16-bit UUIDs, TxPower and manufacturer data that fill the packet.
  static let fourStructures: [UInt8] = [
    0x02, 0x01, 0x06, 0x03, 0x03, 0xF6, 0xFC, 0x02, 0x0A, 0x0C,
    0x14, 0xFF, 0xF1, 0x05, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
  ]
  /// What this device itself advertises: flags and both Herald services.
  static let herald: [UInt8] = [
    0x02, 0x01, 0x06, 0x03, 0x03, 0xF6, 0xFC, 0x11, 0x07,
    0x9B, 0xFD, 0x5B, 0xD6, 0x72, 0x45, 0x1E, 0x80, 0xD3, 0x42, 0x46, 0x47, 0xAF, 0x32, 0x81, 0x42,
  ]

  /// The types of all structures and the first byte of each, so that nothing can be left out.
  @inline(never)
  static func walk(_ data: Span<UInt8>) -> Int {
    var structures = AdvertisingData(data)
    var sum = 0
    while structures.next() {
      let range = structures.range
      let count = range.upperBound &- range.lowerBound
      sum &+= Int(structures.type.rawValue) &+ count
      if count > 0 { sum &+= Int(data[unchecked: range.lowerBound]) }
    }
    return sum
  }

  @inline(never)
  static func introspect(
    _ introspection: Introspection, _ report: AdvertisingReport, _ data: Span<UInt8>
  ) -> UInt8 {
    introspection.classify(report, data).peer.rawValue
  }

  /// Each repetition has other bytes, so that no result can be reused.
  static func run(_ figures: inout Figures) {
    let count = 1_000_000
    var sum = 0
    var packet: [31 of UInt8] = .init(repeating: 0)
    for index in fourStructures.indices { packet[index] = fourStructures[index] }
    figures.add(
      "advert_parse_ns",
      nanoseconds(per: count) {
        for index in 0..<count {
          packet[9] = UInt8(truncatingIfNeeded: index)
          sum &+= walk(packet.span)
        }
      }, "ns")
    var data = herald
    let introspection = Introspection()
    figures.add(
      "introspect_ns",
      nanoseconds(per: count) {
        for index in 0..<count {
          data[2] = UInt8(truncatingIfNeeded: index)
          let report = AdvertisingReport(
            address: DeviceAddress(high: 0x4000, low: UInt32(truncatingIfNeeded: index), kind: .random),
            rssi: RSSI(-60), kind: AdvertisingReport.Kind.connectable.union(.legacy))
          sum &+= Int(introspect(introspection, report, data.span))
        }
      }, "ns")
    keep(sum)
  }
}
