import Foundation
import HeraldNeighbours
import Testing

@testable import herald_node

@Suite("Choice of neighbour systems of the node")
struct NeighbourChoiceTests {
  /// What is switched on by these choices, and the warnings.
  private func chosen(_ choices: String...) throws -> (on: [Bool], warnings: [String]) {
    var neighbours = CovidWatchAndC19X()
    var warnings: [String] = []
    for choice in choices {
      if let warning = try NeighbourChoice(choice).take(part: &neighbours) { warnings.append(warning) }
    }
    return (
      [
        neighbours.covidWatch.isObserver, neighbours.covidWatch.isPeripheral, neighbours.c19x.isObserver,
        neighbours.c19x.isPeripheral,
      ], warnings
    )
  }

  @Test("A choice switches on and never off what another one has switched on")
  func together() throws {
    #expect(try chosen().on == [false, false, false, false])
    #expect(try chosen("covidwatch:observer").on == [true, false, false, false])
    #expect(try chosen("covidwatch:observer", "covidwatch:peripheral").on == [true, true, false, false])
    #expect(try chosen("covidwatch:peripheral", "covidwatch:observer").on == [true, true, false, false])
    #expect(try chosen("covidwatch", "covidwatch:observer", "c19x").on == [true, true, true, false])
  }

  @Test("Day codes that others may use are taken, with a warning; those of their owner alone without")
  func openToOthers() throws {
    let path = NSTemporaryDirectory() + "herald-day-codes-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data("first-day 7\nB21D44ABF7CCA5B3\n".utf8).write(to: URL(fileURLWithPath: path))
    for (mode, warned) in [(0o600, false), (0o644, true), (0o640, true), (0o400, false)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      let (on, warnings) = try chosen("c19x:" + path, "c19x")
      #expect(on == [false, false, true, true])
      #expect(warnings.count == (warned ? 1 : 0))
      #expect(warnings.allSatisfy { $0.contains(path) && $0.contains("chmod 600") })
    }
  }
}
