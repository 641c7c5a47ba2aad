import HeraldEnergy
import Testing

@testable import HeraldHostLink

/// The battery of a device by the responses that a test states: names and numbers of counters, and a board.
@Suite("Battery of a device")
struct DeviceBatteryTests {
  private typealias Groups = [(name: String, counters: [(String, UInt64)])]

  /// A device that responds with these counters. Its uptime is 1,000 s, and its log is empty.
  private func device(_ groups: Groups?, board: String = "nrf52840dk", uptime: UInt64 = 1_000_000)
    -> DeviceClient
  {
    func text(_ value: String) -> [UInt8] {
      (value.utf8.count < 24 ? [0x60 + UInt8(value.utf8.count)] : [0x78, UInt8(value.utf8.count)])
        + Array(value.utf8)
    }
    func number(_ value: UInt64) -> [UInt8] {
      [0x1B] + (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * UInt64($0))) }
    }
    func map(_ fields: [(String, [UInt8])]) -> [UInt8] {
      [0xA0 + UInt8(fields.count)] + fields.flatMap { text($0.0) + $0.1 }
    }
    func body(_ packet: [UInt8]) -> [UInt8] {
      switch (packet[5], packet[7]) {
      case (0, 7): return map([("output", text(board))])
      case (2, 1):
        guard let groups else { return map([("rc", [8])]) }
        return map([("stat_list", [0x80 + UInt8(groups.count)] + groups.flatMap { text($0.name) })])
      case (2, 0):
        let content = Array(packet.dropFirst(8))
        let request = CBORValue.decode(content.span)
        let name = request?["name"]?.string
        guard let group = groups?.first(where: { $0.name == name }) else { return map([("rc", [5])]) }
        return map([("name", text(group.name)), ("fields", map(group.counters.map { ($0.0, number($0.1)) }))])
      case (72, 0):
        let fields: [(String, UInt64)] = [
          ("epoch", 1), ("first", 1), ("last", 0), ("open", 0), ("page", 4096), ("boot", 1), ("now", uptime),
        ]
        return map(fields.map { ($0.0, number($0.1)) })
      default: return map([("rc", [8])])
      }
    }
    let transport = DirectTransport { packet in
      let body = body(packet)
      return [
        [packet[0] + 1, packet[1], UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + packet[4..<8] + body
      ]
    }
    return DeviceClient(
      SMPClient(transport: transport, timeouts: SMPClient.Timeouts(timeout: .milliseconds(1), attempts: 1)))
  }

  private func role(_ name: String, _ values: [UInt64]) -> (name: String, counters: [(String, UInt64)]) {
    let names = ["receive_ms", "transmit_ms", "ramp_ms", "crystal_ms", "events", "late", "skipped", "lost"]
    return (name, Array(zip(names, values)))
  }

  private var usual: Groups {
    [
      ("herald", [("adverts", 10_000), ("readings", 9_000)]), ("linklayer", [("late", 3)]),
      ("log", [("records", 1), ("pages", 2), ("erases", 3)]),
      ("firmware", [("rounds", 7), ("asleep_ms", 990_000)]),
      role("advertiser", [1, 10_000, 600, 15_000, 3000]), role("scanner", [40_000, 2, 300, 50_000, 1000]),
      role("initiator", [4, 30, 20, 100, 10]), role("peripheral", [500, 600, 70, 2000, 400]),
      role("central", [5000, 6, 7, 8000, 90]), ("management", [("events", 77)]),
    ]
  }

  @Test("The roles are added up, and nothing else; words of flash are those of the pages")
  func sums() throws {
    var use = MeasuredUse()
    use.uptime = 1_000_000
    use.receiving = 45_505
    use.transmitting = 10_638
    use.ramping = 997
    use.crystal = 75_100
    use.events = 4500
    use.advertisements = 10_000
    use.asleep = 990_000
    use.words = 2048
    use.erasures = 3
    #expect(try device(usual).measuredUse() == use)
    let battery = try device(usual).battery()
    // Transmitting, receiving, ramp-ups, crystal, processor, flash and sleep.
    let expected =
      6.4 * 0.010_638 + 6.26 * 0.045_505 + 6.4 * 0.000_997 + 0.646 * 0.017_96 + 2.34 * 0.01
      + 2.34 * (41 * 2048 + 85_000 * 3) / 1e9 + 0.002
    #expect(abs(try battery.current.get() - expected) < 1e-9)
    // 0.3971 mA: 220 mAh are 23 days.
    #expect(abs(expected - 0.397_120_6) < 1e-6)
    #expect(battery.level == nil && battery.board == "nrf52840dk" && !battery.mayHaveOverflowed)
    #expect(
      battery.outlook().words
        == "about 23 days with a full cell (0.40 mA, 220 mAh cell; its voltage is not known)")
    let power = try device(usual).power(board: "nrf52840dk", date: 77)
    #expect(
      power
        == DeviceRecord.Power(unixMilliseconds: 77, board: "nrf52840dk", microamperes: 397.1, notKnown: nil))
  }

  @Test("Devices without such counters, and boards of which nothing is known, say why")
  func unknown() throws {
    let hci: Groups = [("herald", [("adverts", 5)]), ("hci", [("commands", 7)]), ("log", [])]
    for groups in [nil, [], hci] {
      #expect(try device(groups).battery().current == .failure(.noRadio))
      #expect(try device(groups, board: "").battery().current == .failure(.noRadio))
    }
    #expect(try device(usual, board: "").battery().current == .failure(.unknownBoard("")))
    #expect(
      try device(usual, board: "toaster\u{1B}[2J").battery().outlook().words.contains("\u{1B}") == false)
    // A role without one of its times.
    #expect(try device([("scanner", [("receive_ms", 5)])]).battery().current == .failure(.noRadio))
    let power = try device(nil).power(board: "x", date: 1)
    #expect(power.microamperes == nil && power.notKnown?.contains("Bluetooth controller") == true)
  }

  @Test("The level is the last one that the device has logged, committed or not")
  func uncommitted() throws {
    let log = ServedLog(pages: 1)
    let device = DeviceClient(SMPClient(transport: DirectTransport { log.answer($0) }))
    #expect(try device.battery().level == nil)
    try log.note(.battery(level: 58, external: false))
    #expect(try device.battery().level == 58)
    try log.note(.battery(level: 100, external: true))
    let battery = try device.battery()
    #expect(battery.level == 100 && battery.isExternal)
  }

  @Test("Zeros, numbers of 64 bits, an uptime of 0 and one of centuries")
  func hostile() throws {
    let zero: Groups = [role("scanner", [0, 0, 0, 0, 0])]
    // Sleep and nothing else: 2 µA.
    #expect(try device(zero).battery().current == .success(0.002))
    #expect(try device(usual, uptime: 0).battery().current == .failure(.justStarted))
    let huge: Groups = ["advertiser", "scanner", "central"].map { role($0, Array(repeating: .max, count: 8)) }
    for uptime in [60_000, 1 << 32, UInt64.max - 1] {
      #expect(try device(huge, uptime: uptime).battery().current == .failure(.contradictory))
    }
    let wrapped: Groups = [role("scanner", [4_294_967_295, 0, 0, 4_294_967_295, 1])]
    #expect(try device(wrapped).battery().current == .failure(.contradictory))
    let old = try device(usual, uptime: 1 << 33).battery()
    #expect(old.mayHaveOverflowed && old.outlook().words.contains("at least 0.002 mA"))
    #expect(try device(usual, uptime: 1 << 33).power(board: "nrf52840dk", date: 1).microamperes == nil)
    let much: Groups = [role("scanner", [1, 0, 0, 1, 1]), ("log", [("pages", .max), ("erases", .max)])]
    #expect(try device(much).battery().current.get() < 3)
  }
}
