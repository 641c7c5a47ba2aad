import Foundation
import Testing

@testable import HeraldArchive

/// The numbers of two devices. ONE hears TWO at -60 dBm every 15 s from 0:00 to 4:45, and TWO hears ONE at
/// -70 dBm from 2:00 to 7:45. Nobody advertises a transmit power, so 0 dBm is assumed: 60 and 70 dB, in the
/// second band (above 55, up to 63) and in the third (up to 73).
@Suite struct MeetingTests {
  private func archive() throws -> (Archive, ScratchFolder) {
    let folder = try ScratchFolder()
    try logMeeting(in: folder.path + "/logs")
    let archive = try newArchive(folder.path + "/archive.sqlite")
    let addition = try archive.fill(folder.path + "/logs")
    #expect(addition.folders == 2 && addition.newPages == 2 && addition.refused.isEmpty)
    return (archive, folder)
  }

  @Test func eachDirectionHasItsContact() throws {
    let (archive, folder) = try archive()
    _ = folder
    let rows = try archive.connection.rows(
      """
      SELECT observer, subject, device, begin_ms, end_ms, seconds, readings, gaps, seconds_1, seconds_2, seconds_3,
        seconds_4 FROM contacts ORDER BY begin_ms
      """
    ).map(\.values)
    let begin = Int64(shiftBegin)
    #expect(
      rows == [
        [.text("ONE"), .text("TWO"), .text("ONE")]
          + [begin, begin + 285_000, 300, 20, 0, 0, 300, 0, 0].map(SQLValue.integer),
        [.text("TWO"), .text("ONE"), .text("TWO")]
          + [begin + 120_000, begin + 465_000, 360, 24, 0, 0, 0, 360, 0].map(SQLValue.integer),
      ])
  }

  @Test func aMeetingJoinsBothDirections() throws {
    let (archive, folder) = try archive()
    _ = folder
    // Minutes 0 to 4 have 60 dB, which is the less where both were measured; minutes 5 to 7 have 70 dB.
    let rows = try archive.connection.rows(
      """
      SELECT day, who, other, seconds, readings, directions, seconds_1, seconds_2, seconds_3, seconds_4
      FROM near ORDER BY who
      """
    ).map(\.values)
    let figures = [480, 44, 2, 0, 300, 180, 0].map { SQLValue.integer($0) }
    #expect(
      rows == [
        [.integer(20_260_914), .text("ONE"), .text("TWO")] + figures,
        [.integer(20_260_914), .text("TWO"), .text("ONE")] + figures,
      ])
    // The other view counts a pair once.
    let sums = try archive.connection.rows("SELECT COUNT(*), SUM(seconds) FROM meetings").map(\.values)
    #expect(sums == [[.integer(1), .integer(480)]])
  }

  @Test func meetingQueries() throws {
    let (archive, folder) = try archive()
    let day: Int64 = 20_260_914
    func asked(
      _ person: String? = nil, _ other: String? = nil, days: ClosedRange<Int64>? = nil, seconds: Int = 0,
      within: Int? = nil
    ) throws -> [MeetingFigures] {
      var query = MeetingQuery()
      (query.person, query.other, query.days) = (person, other, days ?? day...day)
      (query.leastSeconds, query.within) = (seconds, within)
      return try archive.figures(query)
    }
    // A duration is a minimum, everywhere.
    let near = try asked("ONE", seconds: 480)
    #expect(near.map(\.other.label) == ["TWO"] && near.map(\.seconds) == [480])
    #expect(near.map(\.bands) == [[0, 300, 180, 0]] && near.map(\.who.kind) == [.device])
    #expect(try asked("ONE", seconds: 481).isEmpty)
    #expect(try asked("ONE", days: day + 1...day + 1).isEmpty)
    #expect(try asked().map { [$0.who.label, $0.other.label] } == [["ONE", "TWO"]])
    #expect(try asked(seconds: 481).isEmpty)
    #expect(try asked("TWO", "ONE").map(\.bands) == [[0, 300, 180, 0]])
    #expect(try asked("TWO", "ONE", days: day + 1...day + 2).isEmpty)
    // Within 63 dB there are the five minutes in which the least median was 60 dB.
    #expect(try asked("ONE", within: 63).map(\.seconds) == [300])
    #expect(try asked("ONE", within: 63).map(\.bands) == [[0, 300, 0, 0]])
    #expect(try asked("ONE", within: 63).map(\.readings) == [nil])
    #expect(try asked("ONE", within: 60).map(\.seconds) == [300] && asked("ONE", within: 59).isEmpty)
    #expect(try asked("ONE", seconds: 301, within: 63).isEmpty && asked(within: 70).map(\.seconds) == [480])
    #expect(try asked("TWO", within: 63).map { [$0.who.label, $0.other.label] } == [["TWO", "ONE"]])
    // THREE hears TWO for two minutes on the same day, and never ONE.
    var three = try LoggingDevice("THREE")
    try three.read("TWO", from: 2, at: 600_000)
    try three.measure(2, -50, from: 600_000, count: 8)
    try three.pull(to: folder.path + "/logs/three")
    try archive.fill(folder.path + "/logs")
    func second(_ person: String, _ seconds: Int = 0, within: Int? = nil) throws -> [SecondDegree] {
      var query = MeetingQuery()
      (query.person, query.days, query.leastSeconds, query.within) = (person, day...day, seconds, within)
      return try archive.secondDegree(query)
    }
    func found(_ seconds: Int) throws -> [[String]] {
      try second("ONE", seconds).map {
        [$0.who.label, "\($0.through)", "\($0.seconds)"]
      }
    }
    #expect(try found(0) == [["THREE", "1", "120"]])
    #expect(try found(121).isEmpty)
    #expect(try second("THREE").map(\.who.label) == ["ONE"] && second("TWO").isEmpty)
    // THREE was at 50 dB from TWO, and ONE at 60 dB.
    #expect(try second("ONE", within: 60).map(\.who.label) == ["THREE"] && second("ONE", within: 59).isEmpty)
  }

  @Test func aLaterMeetingIsNoWayBack() throws {
    // ONE meets TWO on Tuesday; TWO met THREE on Monday, before that, and FOUR on Wednesday.
    let folder = try ScratchFolder()
    let day: UInt64 = 86_400_000
    var two = try LoggingDevice("TWO")
    for (index, serial) in ["THREE", "ONE", "FOUR"].enumerated() {
      try two.read(serial, from: index, at: UInt64(index) * day)
      try two.measure(index, -60, from: UInt64(index) * day, count: 8)
      var other = try LoggingDevice(serial)
      try other.pull(to: "\(folder.path)/logs/\(serial)")
    }
    try two.pull(to: folder.path + "/logs/two")
    let archive = try newArchive(folder.path + "/a.sqlite")
    try archive.fill(folder.path + "/logs")
    let week: ClosedRange<Int64> = 20_260_914...20_260_920
    for (person, expected) in [("ONE", ["FOUR"]), ("THREE", ["FOUR", "ONE"])] {
      var query = MeetingQuery()
      (query.person, query.days) = (person, week)
      #expect(try archive.secondDegree(query).map(\.who.label) == expected)
    }
  }

  @Test func readingsAreDecodedFromThePages() throws {
    let (archive, folder) = try archive()
    _ = folder
    var all: [Archive.Reading] = []
    try archive.readings(Archive.ReadingFilter()) { all.append($0) }
    #expect(all.count == 44)
    #expect(
      all.first
        == Archive.Reading(
          device: "ONE", unixMilliseconds: Int64(shiftBegin), observer: "ONE", subject: "TWO",
          subjectKind: "device",
          address: "40:00:00:00:00:02", power: nil, rssi: -60))
    #expect(all.last?.unixMilliseconds == Int64(shiftBegin) + 465_000 && all.last?.rssi == -70)
    func count(_ change: (inout Archive.ReadingFilter) -> Void) throws -> Int {
      var filter = Archive.ReadingFilter()
      change(&filter)
      var count = 0
      try archive.readings(filter) { _ in count += 1 }
      return count
    }
    #expect(try count { $0.device = "TWO" } == 24)
    #expect(try count { $0.who = "TWO" } == 44)
    #expect(try count { ($0.who, $0.other) = ("TWO", "ONE") } == 44)
    #expect(try count { $0.days = 20_260_915...20_260_916 } == 0)
    #expect(try count { $0.days = 20_260_914...20_260_914 } == 44)
    #expect(throws: (any Error).self) { try count { $0.device = "NONE" } }
    #expect(throws: (any Error).self) { try count { $0.who = "NONE" } }
  }
}
