import Foundation
import Testing

/// The core is a sequencer of machines, and each has a state that nothing else writes.
@Suite("Ownership of state")
struct OwnershipTests {
  /// Under which name a machine is reached, and the files in which its state is written.
  private static let machines = [
    "peers": "Peers", "serving": "Serving", "exchanges": "Exchanges", "presence": "OwnPresence",
    "scanning": "Scanning", "outbox": "Outbox", "ageing": "Ageing",
  ]

  @Test("Only a machine of the core writes its state; others call its functions")
  func machines() throws {
    let files = DocumentReferences.ofThisPackage.files.filter {
      $0.hasPrefix("Sources/HeraldEmbedded/") && $0.hasSuffix(".swift")
    }
    #expect(files.count > 100)
    let assignment = #/\b(\w+)\.[\w.]+(?:\[[^=]*\])?[\w.]* (?:=|&\+=|&-=|\|=|&=) /#
    for file in files {
      let name = try #require(file.split(separator: "/").last)
      let lines = try #require(ComplianceTable.text(of: file)).split(separator: "\n")
      for line in lines where !line.contains("let ") && !line.contains("newValue") {
        guard let match = line.firstMatch(of: assignment), let owner = Self.machines[String(match.1)] else {
          continue
        }
        #expect(name.hasPrefix(owner), "\(file): \(line)")
      }
    }
  }
}
