import HeraldHostLink
import Testing

@testable import HeraldArchive

@Suite("Who wears a device, and who has not come")
struct WornDevicesTests {
  private let people = """
    serial,name,from,to
    A1,Anna,,
    B2,Ben,,2026-11-20
    B2,Bea,2026-11-21,
    C3,Carl,,
    D4,Dora,2026-11-28,
    E5,Emil,2026-12-01,
    """
  /// Badges without a motion sensor, with a line for each shift; Finn's first one was exchanged, and G1 was
  /// returned in October.
  private let shifts = """
    serial,name,from,to
    F1,Finn,2026-11-26 08:00,2026-11-26 16:00
    F2,Finn,2026-11-27 08:00,2026-11-27 16:00
    G1,Gina,2026-10-01 08:00,2026-10-01 16:00
    H1,Hugo,2026-11-27 08:00,2026-11-27 16:00
    H1,Hugo,2026-11-30 08:00,2026-11-30 16:00
    I1,Ida,2026-11-28 08:00,2026-11-28 16:00
    """
  /// 2026-11-28T09:00:00Z.
  private let date: UInt64 = 1_795_856_400_000

  @Test("The person is the one of the day")
  func person() throws {
    let worn = Assignments(try PeopleFile(Array(people.utf8), days: .utc))
    #expect(worn.person(ofSerial: "B2", at: date) == "Bea")
    #expect(worn.person(ofSerial: "B2", at: date - 10 * 86_400_000) == "Ben")
    #expect(worn.person(ofSerial: "E5", at: date) == nil && worn.person(ofSerial: "X", at: date) == nil)
    #expect(worn.worn(at: date).map(\.person) == ["Anna", "Bea", "Carl", "Dora"])
  }

  @Test("Missing devices are named, and only people who wear a device today")
  func missing() throws {
    let worn = Assignments(try PeopleFile(Array(people.utf8), days: .utc))
    #expect(
      worn.summary(of: ["A1", "B2", "C3", "E5"], verb: "collected", at: date)
        == "3 of 4 collected, missing: Dora")
    #expect(worn.summary(of: ["A1", "B2", "C3", "D4"], verb: "here", at: date) == "4 of 4 here")
    #expect(worn.summary(of: [], verb: "collected", at: date).hasSuffix("missing: Anna, Bea, Carl, Dora"))
    #expect(Assignments().summary(of: ["A1"], verb: "collected", at: date).isEmpty)
  }

  @Test("Between two shifts a badge is of the person who wore it last, and is waited for")
  func betweenShifts() throws {
    let worn = Assignments(try PeopleFile(Array(shifts.utf8), days: .utc))
    #expect(worn.worn(at: date).map(\.serial) == ["F2", "H1", "I1"])
    // At night, after the last shift of the day.
    #expect(worn.worn(at: date + 12 * 3_600_000).map(\.serial) == ["F2", "H1", "I1"])
    #expect(worn.person(ofSerial: "H1", at: date) == "Hugo")
    #expect(worn.person(ofSerial: "G1", at: date) == nil)
    #expect(
      worn.summary(of: ["H1", "I1"], verb: "collected", at: date + 12 * 3_600_000)
        == "2 of 3 collected, missing: Finn")
  }
}
