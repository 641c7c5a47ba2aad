import HeraldBluetooth
import HeraldEmbedded
import HeraldNeighbours
import HeraldSimulation
import TestInputs
import Testing

/// Noon of day 168 of the phones' schedule.
private let noon: UInt64 = (1_592_352_000 + 43_200) * 1000

@Suite("C19X")
struct C19XTests {
  private func peripheral(at unixMilliseconds: UInt64? = noon, days: Int = 2) -> NeighbourScenario {
    let scenario = NeighbourScenario()
    let codes = zeroSecretDayCodes(from: 168, days: days)
    do {
      try scenario.node.core.services.c19x.provide(firstDay: 168, dayCodes: codes.span)
    } catch {
      Issue.record("\(error)")
    }
    scenario.node.core.services.c19x.isPeripheral = true
    if let unixMilliseconds {
      let isSet = scenario.node.core.setClock(
        unixMilliseconds: unixMilliseconds, at: scenario.now, source: .host)
      #expect(isSet)
    }
    scenario.poll()
    return scenario
  }

  /// All codes of a day of the schedule, in the byte order of the text.
  private func codes(ofDay day: Int) -> Set<String> {
    let bytes = zeroSecretDayCodes(from: day, days: 1)
    let dayCode = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let seed = C19XSchedule.seed(dayCode: dayCode)
    return Set(
      (0..<240).compactMap { C19XSchedule.beaconCode($0, seed: seed) }
        .map { code in text((0..<8).map { UInt8(truncatingIfNeeded: code >> UInt64(56 - 8 * $0)) }) })
  }

  private let service = "00 00 00 00 00 00 00 00 13 1F FE 83 81 D4 22 00"

  @Test(
    "HP-55 The service is advertised in a set of its own, and the characteristic's UUID ends in one of the day's codes"
  )
  func shown() {
    let scenario = peripheral()
    let air = scenario.onAir()
    #expect(air.contains { $0.data == "02 01 06 11 07 \(service)" })
    #expect(air.contains { $0.data.contains("F6 FC") })
    scenario.peerConnects()
    #expect(scenario.ask("06 01 00 FF FF 00 28 \(service)") == "07 19 00 1B 00")
    let answer = scenario.ask("08 19 00 1B 00 03 28")
    #expect(answer.hasPrefix("09 15 1A 00 08 1B 00 ") && answer.hasSuffix(" 13 1F FE 83 81 D4 22 00"))
    let code = text(hex(answer)[7..<15].reversed())
    #expect(codes(ofDay: 168).contains(code))
    #expect(scenario.codes() == ["ownCode 1 \(code)"])
    #expect(scenario.ask("04 1B 00 1B 00").hasSuffix("13 1F FE 83 81 D4 22 00"))
    #expect(scenario.ask("0A 1B 00") == "01 0A 1B 00 02")
  }

  @Test(
    "HP-55 Another code comes with each address, on the next day one of that day; past codes' day codes are wiped"
  )
  func rotation() {
    let scenario = peripheral()
    scenario.run(seconds: 13 * 3600)
    let rows = scenario.codes().map { $0.replacing("ownCode 1 ", with: "") }
    let first = codes(ofDay: 168)
    let second = codes(ofDay: 169)
    #expect(rows.count >= 52)
    // Twelve hours of the first day: a code for each quarter of an hour.
    #expect(rows.prefix(48).allSatisfy { first.contains($0) })
    #expect(rows.dropFirst(48).allSatisfy { second.contains($0) })
    #expect(Set(rows).count > 30)
  }

  @Test(
    "Without a date, before the window and behind it there is no code, and nothing on the air or in the table"
  )
  func noCode() {
    for date in [nil, noon - 86_400_000, noon + 2 * 86_400_000, noon + 2000 * 86_400_000] as [UInt64?] {
      let scenario = peripheral(at: date)
      #expect(scenario.onAir().allSatisfy { !$0.data.contains("13 1F FE 83") })
      scenario.peerConnects()
      #expect(scenario.ask("06 01 00 FF FF 00 28 \(service)") == "01 06 01 00 0A")
      #expect(scenario.codes().isEmpty)
    }
  }

  @Test("A date ahead wipes no day code that was not shown, and today's only after six hours")
  func dateAhead() {
    let scenario = peripheral()
    func set(_ days: UInt64) {
      let isSet = scenario.node.core.setClock(
        unixMilliseconds: noon + days * 86_400_000, at: scenario.now, source: .host)
      #expect(isSet)
    }
    func codes() -> Int { scenario.codes().count }
    scenario.run(seconds: 60)
    var before = codes()
    #expect(before > 0)
    set(60)
    scenario.run(seconds: 5 * 3600)
    set(0)
    scenario.run(seconds: 60)
    #expect(codes() > before, "today's is there")
    set(1)
    scenario.run(seconds: 7 * 3600)
    set(0)
    scenario.run(seconds: 60)
    before = codes()
    scenario.run(seconds: 3600)
    #expect(codes() == before, "today's is wiped")
    set(1)
    scenario.run(seconds: 60)
    #expect(codes() > before)
  }

  @Test("A date that a beacon told wipes no day codes, and a host's takes its place")
  func uncertainDate() {
    let scenario = peripheral(at: nil)
    let isTold = scenario.node.core.setClock(
      unixMilliseconds: noon + 500 * 86_400_000, at: scenario.now, source: .beacon)
    #expect(isTold)
    scenario.run(seconds: 60)
    #expect(scenario.codes().isEmpty)
    let isSet = scenario.node.core.setClock(unixMilliseconds: noon, at: scenario.now, source: .host)
    #expect(isSet)
    scenario.run(seconds: 60)
    let first = codes(ofDay: 168)
    let rows = scenario.codes().map { $0.replacing("ownCode 1 ", with: "") }
    #expect(!rows.isEmpty && rows.allSatisfy { first.contains($0) })
    #expect(scenario.node.core.clock.source == .host)
  }

  @Test("When the window ends the code goes off the air at midnight")
  func windowEnds() {
    let scenario = peripheral(days: 1)
    scenario.run(seconds: 12 * 3600 - 1)
    #expect(scenario.onAir(milliseconds: 900).isEmpty == false || !scenario.codes().isEmpty)
    scenario.run(seconds: 5)
    #expect(scenario.onAir().allSatisfy { !$0.data.contains("13 1F FE 83") })
    #expect(scenario.onAir().isEmpty == false || scenario.node.radio.advertising != nil)
  }

  @Test(
    "HP-55 A phone that cannot advertise writes its code and how strongly it hears us: twelve bytes, or none to wake us"
  )
  func written() {
    let scenario = peripheral()
    _ = scenario.heard()
    scenario.peerConnects()
    let phone = TargetIdentity(Peer.iPhone)
    #expect(scenario.ask("12 1B 00 B3 A5 CC F7 AB 44 1D B2 C4 FF FF FF") == "13")
    #expect(
      scenario.heard() == [
        .detect(phone), .observe(phone, .c19x, hex("B2 1D 44 AB F7 CC A5 B3")), .measure(phone, -60),
      ])
    #expect(scenario.ask("12 1B 00") == "13")
    #expect(scenario.ask("12 1B 00 B3 A5 CC F7 AB 44 1D B2 C4 FF FF") == "01 12 1B 00 0D")
    #expect(scenario.ask("12 1B 00 B3 A5 CC F7 AB 44 1D B2 C4 FF FF FF 00") == "01 12 1B 00 0D")
    #expect(scenario.heard().isEmpty)
    // An RSSI that nobody can measure is not one.
    #expect(scenario.ask("12 1B 00 B3 A5 CC F7 AB 44 1D B2 C4 FF FF 7F") == "13")
    #expect(scenario.heard() == [.observe(phone, .c19x, hex("B2 1D 44 AB F7 CC A5 B3"))])
  }

  @Test("With both systems three sets share the air in turn, and all change in one step")
  func threeSets() {
    let scenario = peripheral()
    scenario.node.core.services.covidWatch.isPeripheral = true
    let air = scenario.onAir(milliseconds: 16 * 60 * 1000)
    func kind(_ data: String) -> String {
      data.contains("13 1F FE 83") ? "c19x" : data.contains("19 C0") ? "covidWatch" : "herald"
    }
    // No set is left out of three slices in a row, but where the address changes in the middle of one.
    var last: [String: Int] = [:]
    var longestWait = 0
    for (place, shown) in air.enumerated() {
      longestWait = max(longestWait, place - (last[kind(shown.data)] ?? place))
      last[kind(shown.data)] = place
    }
    #expect(last.count == 3 && longestWait <= 4)
    // Once the address has changed the old one is not seen again.
    var seen: [DeviceAddress] = []
    for shown in air where seen.last != shown.address { seen.append(shown.address) }
    #expect(seen.count == Set(seen).count && seen.count >= 2)
    scenario.peerConnects()
    #expect(scenario.ask("06 01 00 FF FF 00 28 19 C0") == "07 19 00 1B 00")
    #expect(scenario.ask("06 01 00 FF FF 00 28 \(service)") == "07 1C 00 1E 00")
    scenario.node.core.services.covidWatch.isPeripheral = false
    scenario.poll()
    #expect(scenario.ask("06 01 00 FF FF 00 28 \(service)") == "07 19 00 1B 00")
  }
}
