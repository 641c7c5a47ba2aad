import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldHostLink
import Testing

@testable import HeraldArchive

/// Which of several clocks was wrong, found by what the devices heard of each other.
@Suite struct ClockFindingTests {
  private static let names = ["Ada", "Ben", "Cleo", "Dora", "Emil", "Fred"]
  private static let start = ReportWard.start

  /// The minutes since 08:00 in Berlin in which two of six are together: others for each pair and day.
  private static func together(_ one: Int, _ other: Int, day: Int) -> [Range<UInt64>] {
    let (low, high) = (UInt64(min(one, other)), UInt64(max(one, other)))
    let begin = (low * 37 + high * 23 + UInt64(day) * 61) % 300
    return [begin..<begin + 25 + low * 3, begin + 70..<begin + 70 + 12 + high]
  }

  /// Folders of badges, each with a clock that is ahead by some minutes on each day.
  private func ward(_ ahead: [String: [Int64]], days: Int = 2, count: Int = 6, deaf: Set<String> = []) throws
    -> ReportWard
  {
    let ward = ReportWard()
    for (one, name) in Self.names.prefix(count).enumerated() {
      var records: [(UInt64, LogEvent, [UInt8])] = []
      for day in 0..<days {
        let shift = (ahead[name]?[day] ?? 0) * 60_000
        for (other, peer) in Self.names.prefix(count).enumerated() where other != one && !deaf.contains(name)
        {
          for minutes in Self.together(one, other, day: day) {
            records += ReportWard.near(peer, minutes, rssi: -60).map { record in
              (
                UInt64(Int64(record.0) + Int64(day) * 86_400_000 + shift + 10 * 86_400_000), record.1,
                record.2
              )
            }
          }
        }
      }
      try ward.add(name, records)
    }
    return ward
  }

  private static let people =
    "serial,name,role\n" + names.map { "\($0),\($0) N.,nurse\n" }.joined()

  private func texts(_ ward: ReportWard) throws -> [String] {
    try ward.archive(Self.people).deviceClocks.findings().map(\.text)
  }

  @Test func rightClocksHaveNoFindings() throws {
    #expect(try texts(try ward([:])).isEmpty)
    #expect(try texts(try ward([:], deaf: ["Ben"])).isEmpty)
  }

  @Test func onlyDevicesThatHeardEachOtherAreCompared() throws {
    let all = try ward([:]).archive(Self.people).deviceClocks.reach()
    #expect(all.compared == 6 && all.words == "No date differs among the 6 devices that heard each other.")
    #expect(try ward([:], deaf: ["Ben"]).archive(Self.people).deviceClocks.reach().compared == 5)
    let none = try ward([:], count: 2, deaf: ["Ben"]).archive(Self.people).deviceClocks.reach()
    #expect(none.compared == 0)
    #expect(
      DeviceClocks.Reach(compared: 0, devices: 2).words
        == "No clock was compared: no two of the 2 devices heard each other.")
    #expect(
      DeviceClocks.Reach(compared: 5, devices: 6).words
        == "No date differs among the 5 devices that heard each other; 1 of 6 devices, which heard none that heard them, is not compared."
    )
  }

  @Test(
    "the wrong clock is named, and no other",
    arguments: [180, -180, 7, -45, 60, 20_160, -4_320, 4_385] as [Int64])
  func theWrongClockIsNamed(minutes: Int64) throws {
    let findings = try ward(["Dora": [minutes, minutes]]).archive(Self.people).deviceClocks.findings()
    #expect(findings.map(\.name) == ["Dora N.'s badge"])
    #expect(findings.first?.offsetSeconds == minutes * 60 && findings.first?.met == 5)
    #expect(findings.first?.kind == (minutes > 0 ? .ahead : .behind))
  }

  @Test func theSentenceHasTheOffset() throws {
    #expect(
      try texts(try ward(["Dora": [180, 180]])) == [
        "Dora N.'s badge is 3 h 00 min ahead of the 5 badges it met from 2026-09-24 to 2026-09-25"
      ])
  }

  @Test func aClockThatIsWrongOnOneDayOnly() throws {
    #expect(
      try texts(try ward(["Dora": [0, -120]])) == [
        "Dora N.'s badge is 2 h 00 min behind the 5 badges it met on 2026-09-25"
      ])
  }

  @Test func twoWrongClocksThatAgreeAreTheFewer() throws {
    let names = try ward(["Dora": [180, 180], "Emil": [180, 180]]).archive(Self.people).deviceClocks
      .findings()
      .filter { $0.kind == .ahead }.map(\.name)
    #expect(names == ["Dora N.'s badge", "Emil N.'s badge"])
  }

  @Test func ofTwoClocksNobodyKnowsWhichIsWrong() throws {
    let findings = try ward(["Ben": [180, 180]], count: 2).archive(Self.people).deviceClocks.findings()
    #expect(findings.map(\.kind) == [.differs])
    #expect(
      findings.first?.text
        == "Ada N.'s badge and Ben N.'s badge have clocks that differ by 3 h 00 min from 2026-09-24 to 2026-09-25, and no third badge says which is right"
    )
  }

  @Test func daysThatAreAlikeAreNotMistaken() throws {
    // On the second day all but one of them were not collected.
    let ward = ReportWard()
    for (one, name) in Self.names.enumerated() {
      var records: [(UInt64, LogEvent, [UInt8])] = []
      for day in 0..<(name == "Ada" ? 2 : 1) {
        for (other, peer) in Self.names.enumerated() where other != one {
          for minutes in Self.together(one, other, day: 0) {
            records += ReportWard.near(peer, minutes, rssi: -60).map {
              ($0.0 + UInt64(day) * 86_400_000, $0.1, $0.2)
            }
          }
        }
      }
      try ward.add(name, records)
    }
    // What they say is that nobody else knows of the second day.
    #expect(
      try texts(ward) == [
        "Ada N.'s badge met badges on 2026-09-15 that have no record of this day"
      ])
  }

  @Test func theFutureAndThePastAreNamed() throws {
    let days = try LocalDays(zone: "UTC")
    for (date, kind) in [("2005-01-01 10:00:00", "ancient"), ("2038-01-19 03:00:00", "future")] {
      let folder = try ScratchFolder()
      var device = try LoggingDevice("ONE", date: UInt64(try #require(days.moment(date))) * 1000)
      try device.measure(5, -60, from: 0, count: 8)
      try device.pull(to: folder.path + "/one")
      let archive = try newArchive(folder.path + "/a.sqlite")
      try archive.fill(folder.path + "/one")
      let findings = try archive.deviceClocks.findings()
      #expect(findings.map(\.kind.rawValue) == [kind])
      #expect(findings.first?.from == String(date.prefix(10)))
    }
  }

  @Test func correctedRecordsAreThoseOfARightClock() throws {
    let right = try ward([:])
    let expected = try right.archive(Self.people)
    for minutes: Int64 in [180, 14 * 1440] {
      let ward = try ward(["Dora": [minutes, minutes]])
      let archive = try ward.archive(Self.people)
      let wrong = try archive.told()
      #expect(try archive.deviceClocks.correct() == 1)
      try archive.update()
      #expect(try archive.told() == (try expected.told()))
      #expect(try archive.deviceClocks.findings().isEmpty)
      #expect(try archive.deviceClocks.correct() == 0)
      try archive.deviceClocks.restore()
      try archive.update()
      #expect(try archive.told() == wrong)
      #expect(try archive.deviceClocks.findings().map(\.name) == ["Dora N.'s badge"])
      withExtendedLifetime(ward) {}
    }
    withExtendedLifetime(right) {}
  }

  @Test func anInterruptedUpdateDerivesThemLater() throws {
    let ward = try ward(["Dora": [180, 180]])
    let archive = try ward.archive(Self.people)
    try archive.connection.execute("DROP TABLE clock_finding")
    try archive.connection.execute("DELETE FROM setting WHERE name = 'clock_findings'")
    #expect(try archive.deviceClocks.findings().isEmpty)
    try archive.update()
    #expect(try archive.deviceClocks.findings().count == 1)
    withExtendedLifetime(ward) {}
  }
}
