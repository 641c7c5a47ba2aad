import Foundation
import Testing

@testable import HeraldEmbedded

/// The tables of docs/architecture.md say what the code does.
struct CoordinatorTableTests {
  private static let page: [String] = {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../docs/architecture.md")
    return ((try? String(contentsOf: url, encoding: .utf8)) ?? "").components(separatedBy: "\n")
  }()

  /// The cells of the rows of a section's tables.
  private static func rows(_ section: String) -> [[String]] {
    guard let start = page.firstIndex(where: { $0.hasPrefix("## \(section).") }) else { return [] }
    let end = page[(start + 1)...].firstIndex { $0.hasPrefix("## ") } ?? page.endIndex
    return page[start..<end].filter { $0.hasPrefix("|") }.map {
      $0.dropFirst().dropLast().components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  private static func step(_ name: String) -> ExchangeStep? {
    (UInt8(0)...31).lazy.compactMap { ExchangeStep(rawValue: $0) }.first { "\($0)" == name }
  }

  @Test("HP-17 Section 3 has every step, and what follows it is what the code does")
  func steps() throws {
    var written: Set<String> = []
    for row in Self.rows("3").dropFirst(2) {
      for name in row[0].components(separatedBy: ", ") {
        let step = try #require(Self.step(name), "no step is called \(name)")
        written.insert(name)
        for (column, outcome) in [(2, ExchangeStep.Outcome.found), (3, .absent), (4, .failed)] {
          let expected = row[column].isEmpty ? name : row[column]
          #expect("\(step.next(after: outcome))" == expected, "\(name), \(outcome)")
        }
      }
    }
    for number in UInt8(0)...31 {
      if let step = ExchangeStep(rawValue: number) { #expect(written.contains("\(step)"), "\(step)") }
    }
  }

  @Test("HP-17 Section 2 names every task, and no other")
  func tasks() {
    let written = Set(Self.rows("2").dropFirst(2).map { $0[2] })
    var known: Set<String> = []
    for number in UInt8(0)...31 {
      if let task = PeerTask(rawValue: number) { known.insert("\(task)") }
    }
    #expect(written == known)
  }

  @Test("HP-17 Section 1 has every state of a peer")
  func states() {
    let written = Set(Self.rows("1").dropFirst(2).map { $0[0] })
    var known: Set<String> = []
    for number in UInt8(0)...31 {
      if let state = Target.State(rawValue: number) { known.insert("\(state)") }
    }
    #expect(written == known)
  }
}
