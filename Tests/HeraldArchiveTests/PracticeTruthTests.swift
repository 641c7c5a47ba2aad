import HeraldHostLink
import HeraldSimulation
import Testing

@testable import HeraldArchive

/// What an archive says of the practice ward, whose truth is known: each badge that differs is named, by
/// person, and no other is.
@Suite("The truth of the practice ward", .serialized)
struct PracticeTruthTests {
  /// The archive is made once, as nothing here changes it; one test after the other uses it.
  nonisolated(unsafe) private static let practice = Result { try PracticeArchive() }

  /// The days of the ward.
  private static let days: ClosedRange<Int64> = 20_260_914...20_260_918

  @Test("The flat badge: Ada is without power from Tuesday to Friday, and nobody else is")
  func flat() throws {
    let practice = try Self.practice.get()
    let truth = practice.ward.truth
    let (from, to) = (Int64(practice.ward.setting.begin), Int64(truth.flatTime.upperBound) + 3_600_000)
    let without = try practice.archive.coverages(from: from, to: to).filter {
      $0.milliseconds(.withoutPower) >= 3_600_000
    }
    #expect(without.map(\.label) == ["Ada"] && practice.name(truth.flat) == "Ada")
    let gap = try #require(without.first?.intervals.first { $0.state == .withoutPower })
    // It begins with the last record before the battery was empty, at most an hour earlier, and ends with the
    // start, which is before its first record.
    #expect(gap.to <= Int64(truth.flatTime.upperBound) && gap.to > Int64(truth.flatTime.upperBound) - 60_000)
    #expect(gap.from <= Int64(truth.flatTime.lowerBound))
    #expect(gap.from > Int64(truth.flatTime.lowerBound) - 3_600_000)
    let wednesday = Int64(practice.ward.setting.begin) + 2 * 86_400_000
    let coverage = try #require(
      try practice.archive.coverage(of: "Ada", from: wednesday, to: wednesday + 86_400_000))
    #expect(coverage.isUnrecorded)
  }

  @Test("The fast badge: Dan's is 3 h 20 min ahead, and no other clock is wrong")
  func fast() throws {
    let practice = try Self.practice.get()
    let findings = try practice.archive.deviceClocks.findings()
    #expect(findings.map(\.persons) == [["Dan"]] && practice.name(practice.ward.truth.fast) == "Dan")
    let finding = try #require(findings.first)
    #expect(finding.kind == .ahead)
    #expect(finding.device == practice.ward.badges[practice.ward.truth.fast.badge].serial)
    // To the minute in which the two directions agree best.
    #expect(abs((finding.offsetSeconds ?? 0) - 12_000) <= 60)
  }

  @Test("The covered badge: Finn is received far longer than he receives, and nobody else is one-sided")
  func covered() throws {
    let practice = try Self.practice.get()
    let shares = try CoverageReader(practice.archive).directionShares(days: Self.days)
    let oneSided = shares.filter { $0.isOneSided && $0.who.kind == .person }
    #expect(oneSided.map(\.who.label) == ["Finn"] && practice.name(practice.ward.truth.covered) == "Finn")
    #expect(oneSided.allSatisfy { $0.heardSeconds < $0.wasHeardSeconds })
  }

  @Test(
    "The boxed badges lie together for hours, with and without a motion sensor, and are nobody's contacts")
  func boxed() throws {
    let practice = try Self.practice.get()
    #expect(practice.ward.truth.boxed.map(practice.name) == ["Ben", "Cleo", "Hugo"])
    var query = MeetingQuery()
    query.days = Self.days
    query.leastSeconds = 3600
    let together = try practice.archive.unwornFigures(query).filter {
      $0.who.kind == .unworn && $0.other.kind == .unworn
    }
    // The times of a badge whose clock is wrong are outside of its shifts, too; the finding says so.
    let wrong = try practice.archive.deviceClocks.findings().flatMap { $0.persons + [$0.device] }
    let labels = Set(together.flatMap { [$0.who.label, $0.other.label] }).subtracting(wrong)
    // Outside of his shifts people.csv says that nobody wears the badge that Hugo has in them: it is his.
    #expect(labels == ["Ben", "Cleo", "Hugo"])
    // A night has more than seven hours in the box; no two persons are so long so near.
    #expect(together.contains { $0.bands[0] > 7 * 3600 })
    let nearest = try practice.archive.figures(query).map { $0.bands[0] }.max() ?? 0
    #expect(nearest < 3 * 3600)
    #expect(
      try practice.archive.figures(query).allSatisfy { $0.who.kind == .person && $0.other.kind == .person })
  }

  @Test("The report counts the eleven persons, and names each of the badges and no other")
  func report() throws {
    let practice = try Self.practice.get()
    let report = try WardReport(practice.archive)
    func named(_ words: String) -> [String] {
      report.findings.filter { $0.what.contains(words) }.map(\.about).sorted()
    }
    #expect(named("had no power") == ["Ada"])
    #expect(named("ahead of") == ["Dan's badge"])
    #expect(named("heard the others") == ["Finn"])
    #expect(named("while nobody wore it") == ["Ben", "Cleo", "Hugo"])
    #expect(named("its log ends").isEmpty)
    for name in ["Eva", "Ida", "Jan", "Kim"] {
      #expect(!report.findings.contains { $0.about.contains(name) }, "\(name)")
    }
  }

  @Test(
    "In smaller and larger wards the fast badge and the covered one are named as well, on all days and on each",
    arguments: [(9, 5, 7), (20, 5, 1), (40, 4, 3), (11, 14, 3)] as [(Int, Int, UInt64)])
  func otherWards(devices: Int, days: Int, seed: UInt64) throws {
    let practice = try PracticeArchive(seed: seed, devices: devices, days: days)
    let findings = try practice.archive.deviceClocks.findings()
    #expect(findings.map(\.name) == ["Dan's badge"] && findings.map(\.kind) == [.ahead])
    #expect(findings.first?.from == "2026-09-14" && findings.first?.to == "2026-09-\(13 + days)")
    let reader = CoverageReader(practice.archive)
    let first: Int64 = 20_260_914
    for range in [first...first + Int64(days) - 1] + (0..<Int64(days)).map({ first + $0...first + $0 }) {
      let named = try reader.directionShares(days: range).filter { $0.finding != nil }.map(\.who.label)
      #expect(Set(named).isSubset(of: ["Finn"]), "\(range)")
    }
    let report = try WardReport(practice.archive)
    let others = report.findings.filter { finding in
      !["Ada", "Dan", "Finn", "Ben", "Cleo", "Hugo"].contains { finding.about.hasPrefix($0) }
    }
    #expect(others.map(\.about).isEmpty)
  }
}
