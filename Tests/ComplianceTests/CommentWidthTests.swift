import Foundation
import Testing

/// Comments are as wide as the formatter makes code: it does not break them itself.
@Suite("Width of comments")
struct CommentWidthTests {
  /// `lineLength` of `.swift-format`.
  private static let width = 110

  /// Whether a line is a comment that is too wide. Rows of tables and code spans that cannot be broken may be
  /// wider.
  private static func isTooWide(_ line: Substring) -> Bool {
    guard line.count > width else { return false }
    let text = line.drop { $0 == " " }
    guard text.hasPrefix("//") else { return false }
    let comment = text.drop { $0 == "/" }.drop { $0 == " " }
    let longestSpan = comment.split(separator: "`").map(\.count).max() ?? 0
    return !comment.hasPrefix("|") && !(comment.contains("`") && longestSpan > 80)
  }

  @Test("No comment is wider than the formatter's lines")
  func all() throws {
    let files = DocumentReferences.ofThisPackage.files.filter { $0.hasSuffix(".swift") }.sorted()
    #expect(files.count > 400)
    for file in files {
      let text = try #require(ComplianceTable.text(of: file))
      for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        #expect(!Self.isTooWide(line), "\(file):\(index + 1)")
      }
    }
  }

  @Test("The check itself: prose is too wide, tables and code spans are not")
  func checker() {
    let words = String(repeating: "word ", count: 30)
    #expect(Self.isTooWide("  /// \(words)"))
    #expect(Self.isTooWide("// \(words)"))
    #expect(!Self.isTooWide("/// | \(words)|"))
    #expect(!Self.isTooWide("/// `\(words)`"))
    #expect(!Self.isTooWide("let text = 1  \(words)"))
  }
}
