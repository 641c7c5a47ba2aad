import Foundation
import HeraldHostLink
import Testing

@testable import HeraldArchive

/// Ada's badge was flat on the Wednesday of the practice ward, on which all others recorded.
@Suite("An answer names those of whom nothing is recorded", .serialized)
struct QueryCoverageTests {
  nonisolated(unsafe) private static let practice = Result { try PracticeArchive() }
  private static let wednesday: Int64 = 20_260_916

  private func query(_ change: (inout MeetingQuery) -> Void = { _ in }) -> MeetingQuery {
    var query = MeetingQuery()
    query.days = Self.wednesday...Self.wednesday
    change(&query)
    return query
  }

  @Test("Ada has no row, and is named with each person, role and place that is asked for")
  func unrecorded() throws {
    let archive = try Self.practice.get().archive
    for query in [
      query(), query { $0.person = "Ben" }, query { $0.role = "nurse" }, query { $0.place = "Ward 2" },
    ] {
      let coverage = try QueryCoverage(archive, query, found: ["Eva"])
      #expect(coverage.all.filter(\.isUnrecorded).map(\.label) == ["Ada"])
      #expect(coverage.others.contains { $0.label == "Eva" } && !coverage.isNobodyRecorded)
    }
    #expect(try QueryCoverage(archive, query { $0.person = "Ben" }, found: []).asked.map(\.label) == ["Ben"])
    #expect(try QueryCoverage(archive, query { $0.person = "Ada" }, found: []).asked.map(\.label) == ["Ada"])
  }

  @Test("Persons of a role are named whether they have a row or not")
  func role() throws {
    let archive = try Self.practice.get().archive
    let coverage = try QueryCoverage(archive, query { $0.role = "doctor" }, found: [])
    #expect(coverage.all.map(\.label) == ["Ada", "Dan", "Jan"])
  }

  @Test("A role that only unrecorded persons have is known, and nobody of it is recorded")
  func unrecordedRole() throws {
    let practice = try PracticeArchive(people: false)
    let serials = practice.ward.badges.map(\.serial)
    let people = "serial,name,role\n\(serials[0]),Ada,night nurse\n\(serials[1]),Ben,nurse\n"
    try practice.archive.label(try PeopleFile(Array(people.utf8), days: .utc))
    try practice.archive.update()
    let night = query { $0.role = "night nurse" }
    #expect(try practice.archive.figures(night).isEmpty)
    let coverage = try QueryCoverage(practice.archive, night, found: [])
    #expect(coverage.isNobodyRecorded && coverage.all.map(\.label) == ["Ada"])
    #expect(throws: HostLinkError.self) { try practice.archive.figures(query { $0.role = "day nurse" }) }
  }

  @Test("Without persons, badges are named by their serial numbers")
  func devices() throws {
    let practice = try PracticeArchive(people: false)
    let flat = practice.ward.badges[practice.ward.truth.flat.badge].serial
    let coverage = try QueryCoverage(practice.archive, query(), found: [])
    #expect(coverage.all.count == practice.ward.badges.count)
    #expect(coverage.all.filter(\.isUnrecorded).map(\.label).contains(flat))
  }

  @Test("coverage.csv of an export has those of whom nothing is recorded, and all of the role")
  func export() throws {
    let archive = try Self.practice.get().archive
    let folder = try ScratchFolder()
    _ = try archive.exchange(query { $0.role = "doctor" }, as: .epicontacts, to: folder.path)
    let text = try String(contentsOfFile: folder.path + "/coverage.csv", encoding: .utf8)
    let names = Set(
      text.split(separator: "\n").dropFirst().map {
        $0.split(separator: ",", omittingEmptySubsequences: false)[1]
      })
    #expect(names.isSuperset(of: ["Ada", "Dan", "Jan"]))
    let ada = try #require(
      text.split(separator: "\n").first { $0.hasPrefix(",Ada,") || $0.contains(",Ada,") })
    #expect(ada.contains(",1440.000") || ada.contains(",1440"))
  }
}
