import Foundation
import Testing

@Suite("References in documents")
struct DocumentReferencesTests {
  @Test("Every file, type of tests, test and heading that a document names is there")
  func all() throws {
    let references = DocumentReferences.ofThisPackage
    let documents = references.documents
    #expect(documents.contains("docs/security.md") && documents.contains { $0.contains(".docc/") })
    var count = 0
    for document in documents {
      let text = try #require(ComplianceTable.text(of: document))
      for reference in DocumentReferences.references(in: text) {
        count += 1
        let isThere = references.has(reference, in: document)
        #expect(isThere, "\(document) names \(reference)")
      }
    }
    #expect(count > 300, "\(count)")
  }

  @Test("The additional service that docs/porting.md shows is the one that is tested")
  func exampleOfService() throws {
    let document = try #require(ComplianceTable.text(of: "docs/porting.md"))
    let tests = try #require(
      ComplianceTable.text(of: "Tests/HeraldEmbeddedTests/Coordinator/AdditionalServiceTests.swift"))
    let start = try #require(document.range(of: "/// Serves and advertises the number of a room"))
    let end = try #require(document.range(of: "```", range: start.lowerBound..<document.endIndex))
    #expect(tests.contains(document[start.lowerBound..<end.lowerBound]))
  }

  @Test("The check itself: what is there is found, and what is not is missed")
  func checker() {
    let text = """
      `AccessTests` "wrong proofs …", "locked" and `RadioTests`; [settings](herald-host.md#names) and `script/test`, `Log.swift`, `.build/x.py`,
      `LogTests`: "no name", `FlashLog`, [there](https://example.org/a.md), `cases_*.py`
      ```
      `Hidden.swift`
      ```
      """
    let found = DocumentReferences.references(in: text)
    #expect(
      found == [
        .tests("AccessTests"), .test(of: "AccessTests", name: "wrong proofs …"),
        .test(of: "AccessTests", name: "locked"), .tests("RadioTests"), .tests("LogTests"),
        .link("herald-host.md", heading: "names"), .file("script/test"), .file("Log.swift"),
      ])
    let there = DocumentReferences(
      files: ["script/test", "Sources/Log/Log.swift", "Tests/A/AccessTests.swift"],
      tests: [
        "Tests/A/AccessTests.swift": """
        struct LogTests {
          @Test(
            "HP-07 wrong proofs are slowed down")
          @Test("locked permanently")
        """
      ])
    #expect(there.has(.file("script/test"), in: "x.md") && there.has(.file("Log/Log.swift"), in: "x.md"))
    #expect(!there.has(.file("og.swift"), in: "x.md") && !there.has(.file("Sources/Log.swift"), in: "x.md"))
    #expect(there.has(.tests("AccessTests"), in: "x.md") && there.has(.tests("LogTests"), in: "x.md"))
    #expect(!there.has(.tests("RadioTests"), in: "x.md"))
    #expect(there.has(.test(of: "AccessTests", name: "wrong proofs …"), in: "x.md"))
    #expect(there.has(.test(of: "LogTests", name: "HP-07 wrong …"), in: "x.md"))
    #expect(!there.has(.test(of: "AccessTests", name: "locked"), in: "x.md"))
    #expect(!there.has(.test(of: "AccessTests", name: "slowed down …"), in: "x.md"))
    #expect(there.has(.link("herald-host.md", heading: "names"), in: "docs/security.md") == false)
    #expect(there.has(.link("herald-host.md", heading: nil), in: "docs/security.md"))
  }
}
