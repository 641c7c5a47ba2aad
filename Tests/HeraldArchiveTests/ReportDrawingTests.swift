import Testing

@testable import HeraldArchive

/// The drawings of a report, and the numbers below them.
@Suite("Drawings of a report")
struct ReportDrawingTests {
  @Test("Minutes of seconds: a half while the number is small, groups of digits when it is large")
  func minutes() {
    #expect(
      [0, 20, 30, 60, 90, 570, 630, 3600, 60_000].map(ReportText.minutes) == [
        "0", "0.5", "0.5", "1", "1.5", "9.5", "11", "60", "1,000",
      ])
  }

  @Test("Runs of minutes, and the closest band of each step")
  func runs() {
    var minutes = [UInt8](repeating: ReportRun.none, count: ReportDay.minutes)
    for (minute, band) in [(3, 1), (4, 1), (5, 3), (9, 0), (1439, 4)] as [(Int, UInt8)] {
      minutes[minute] = band
    }
    let runs = ReportRun.runs(minutes)
    #expect(
      runs == [
        ReportRun(start: 3, length: 2, band: 1), ReportRun(start: 5, length: 1, band: 3),
        ReportRun(start: 9, length: 1, band: 0), ReportRun(start: 1439, length: 1, band: 4),
      ])
    #expect(ReportRun.coarse(runs, step: 1) == runs)
    #expect(
      ReportRun.coarse(runs, step: 5) == [
        ReportRun(start: 0, length: 5, band: 1), ReportRun(start: 5, length: 5, band: 0),
        ReportRun(start: 1435, length: 5, band: 4),
      ])
  }

  @Test("On the days on which clocks change, minutes are where a clock shows them")
  func clock() throws {
    let days = try LocalDays(zone: "Europe/Berlin")
    let back = DayClock(try #require(LocalDays.day("2026-10-25")), days)
    #expect([0, 179, 180, 240].map(back.minute) == [0, 179, 120, 180])
    let forth = DayClock(try #require(LocalDays.day("2026-03-29")), days)
    #expect([0, 119, 120, 1379, 1500].map(forth.minute) == [0, 119, 180, 1439, 1439])
    #expect(DayClock(20_710, .utc).minute(725) == 725)
  }

  @Test("Persons are on a circle from the top, with a place free between groups")
  func network() {
    let layout = NetworkLayout(groups: ["a", "a", "b", "b"])
    // 4 places and 2 gaps of 0.8: the first is at 0.5 of 5.6.
    #expect(
      layout.nodes.map { ReportText.coordinate($0.angle / (2 * .pi) * 560) } == ["50", "150", "330", "430"])
    #expect(layout.nodes.allSatisfy { (180...720).contains($0.x) && (180...720).contains($0.y) })
    #expect(layout.labels.map(\.text) == ["a", "b"])
    #expect(layout.labels.map(\.isLeft) == [false, true])
    #expect(!layout.isRadial && NetworkLayout(groups: [String](repeating: "a", count: 24)).isRadial)
    #expect(NetworkLayout(groups: []).nodes.isEmpty)
  }

  @Test("Labels of small groups do not lie upon each other")
  func labels() {
    let layout = NetworkLayout(groups: (0..<40).map { "group \($0)" })
    for isLeft in [false, true] {
      let places = layout.labels.filter { $0.isLeft == isLeft }.map(\.y).sorted()
      #expect(zip(places, places.dropFirst()).allSatisfy { $1 - $0 >= 16.9 })
    }
  }

  @Test("A drawing takes fewer lanes and wider columns rather than more bytes than it may")
  func budget() {
    let runs = (0..<700).map { ReportRun(start: $0 * 2, length: 1, band: UInt8($0 % 4)) }
    var day = ReportDay(day: 0)
    day.closest = runs
    day.lanes = (1...6).map { ReportDay.Lane(who: $0, runs: runs, sums: ReportSums()) }
    var person = ReportPerson(who: 0)
    person.days = [day]
    let all = TimelineDrawing([person], budget: 1_000_000)
    #expect(all.lanes == 6 && all.step == 1 && all.hours == 0...24)
    let few = TimelineDrawing([person], budget: 12_000)
    #expect(few.lanes < 6 && few.step > 1)
    let least = TimelineDrawing([person], budget: 0)
    #expect(least.lanes == 0 && least.step == 10)
  }

  @Test("Shades are steps of the square root")
  func shades() {
    #expect([0, 1, 4, 16, 36, 64, 100].map { WardReport.step($0, 100) } == [0, 1, 2, 3, 4, 5, 5])
    #expect(WardReport.step(5, 0) == 0)
  }

  @Test("The longest spans, in the order of their dates")
  func spans() {
    let spans = (0..<30).map { ReportDevice.Span(begin: $0 * 1000, end: $0 * 1000 + 1 + $0 % 25) }
    let longest = ReportDevice.longest(spans)
    #expect(longest.count == 20)
    #expect(longest.allSatisfy { $0.end - $0.begin >= 6 })
    #expect(zip(longest, longest.dropFirst()).allSatisfy { $0.begin < $1.begin })
  }
}
