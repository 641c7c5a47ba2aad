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
}
