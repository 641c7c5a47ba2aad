import Foundation
import Testing

/// Rows that no test shows to hold. The document says "not yet" of the same ones; both lists only shrink.
private let rowsWithoutTest: Set<String> = []

@Suite("The list of requirements in docs/compliance.md")
struct ComplianceTests {
  private let numbers = (1...57).map { $0 < 10 ? "HP-0\($0)" : "HP-\($0)" }

  @Test("Every requirement has one row, in order, with its strength")
  func complete() throws {
    let rows = try ComplianceTable.rows()
    #expect(rows.map(\.requirement) == numbers)
    for row in rows { #expect(["M", "S", "O"].contains(row.strength), "\(row.requirement)") }
  }

  @Test("Every file it names is there")
  func files() throws {
    for row in try ComplianceTable.rows() {
      #expect(!row.implementations.isEmpty || row.tests.isEmpty, "\(row.requirement) has tests but no file")
      for path in row.implementations {
        #expect(ComplianceTable.text(of: "Sources/" + path) != nil, "\(row.requirement): Sources/\(path)")
      }
    }
  }

  @Test("Every test it names is in the file it names, and has the row in its name")
  func tests() throws {
    for row in try ComplianceTable.rows() {
      for test in row.tests {
        #expect(test.name.contains(row.requirement), "\(row.requirement): \(test.name)")
        guard let text = ComplianceTable.text(of: "Tests/" + test.file) else {
          Issue.record("\(row.requirement): there is no Tests/\(test.file)")
          continue
        }
        #expect(
          ComplianceTable.has(test.name, in: text, isSwift: test.file.hasSuffix(".swift")),
          "\(row.requirement): Tests/\(test.file) has no test \(test.name)")
      }
    }
  }

  @Test("The rows without a test are those that are known to have none")
  func missing() throws {
    let rows = try ComplianceTable.rows()
    #expect(Set(rows.filter { $0.tests.isEmpty }.map(\.requirement)) == rowsWithoutTest)
    for row in rows where row.tests.isEmpty {
      #expect(row.testsText == ComplianceTable.noTest, "\(row.requirement)")
    }
  }

  @Test("A test names no requirement that does not exist")
  func known() {
    let files = ComplianceTable.testFiles()
    #expect(files.count > 50)
    for (path, text) in files {
      #expect(ComplianceTable.requirements(in: text).subtracting(numbers).isEmpty, "Tests/\(path)")
    }
  }

  @Test("The check itself: a name is found only as the name of a test, and only as a whole")
  func checker() {
    let text = """
      @Test(
        "HP-01 one, and more",
        arguments: [1])
      // "HP-02 two"
      @Test("HP-03 three") func three() {}
      @Test("HP-04 four and five") func four() {}
      @Test("HP-04 four and six") func five() {}
      """
    #expect(ComplianceTable.has("HP-01 one, and more", in: text, isSwift: true))
    #expect(ComplianceTable.has("HP-03 three", in: text, isSwift: true))
    #expect(!ComplianceTable.has("HP-01 one", in: text, isSwift: true))
    #expect(ComplianceTable.has("HP-01 one, …", in: text, isSwift: true))
    #expect(!ComplianceTable.has("HP-02 …", in: text, isSwift: true))
    #expect(!ComplianceTable.has("HP-04 four and …", in: text, isSwift: true))
    #expect(ComplianceTable.has("HP-04 four and s…", in: text, isSwift: true))
    #expect(!ComplianceTable.has("HP-02 two", in: text, isSwift: true))
    #expect(ComplianceTable.has("HP-55 x", in: "\"\"\"HP-55 x.\"\"\"", isSwift: false))
    #expect(ComplianceTable.requirements(in: "HP-01 HP-58, HP-x") == ["HP-01", "HP-58"])
  }
}
