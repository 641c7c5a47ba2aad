import Testing

@Suite("Numbers and commands in documents")
struct DocumentNumbersTests {
  private let documents = DocumentNumbers.allDocuments + ["CONTRIBUTING.md", "README.md", "SECURITY.md"]

  @Test("A number that a file of the project also has is the same in a document")
  func numbers() {
    let numbers = DocumentNumbers()
    let wrong = numbers.wrongFacts() + numbers.wrongComputations()
    #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    #expect(DocumentNumbers.documents.count >= 100, "\(DocumentNumbers.documents.count)")
    #expect(Set(DocumentNumbers.documents).count >= 20)
  }

  @Test("A command in a document exists, and so do its long options")
  func commands() throws {
    let known = DocumentCommands.ofThisPackage
    #expect(known.options["herald-host log pull"]?.contains("--trim") == true)
    var count = 0
    for document in documents {
      let text = try #require(ComplianceTable.text(of: document))
      for line in DocumentCommands.lines(in: text) {
        let found = known.complaints(about: line)
        count += found.commands
        #expect(found.wrong.isEmpty, "\(document): \(found.wrong) in \(line)")
      }
    }
    #expect(count > 100, "\(count)")
  }

  @Test("At most 20 documents, 50,000 words and 120 columns; tables, addresses and listings may be wider")
  func size() throws {
    let docs = DocumentNumbers.allDocuments
    #expect(docs.count <= 20, "\(docs)")
    var words = 0
    for document in docs {
      let text = try #require(ComplianceTable.text(of: document))
      words += text.split(whereSeparator: \.isWhitespace).count
      let wide = DocumentNumbersTests.wideLines(of: text)
      #expect(wide.isEmpty, "\(document): \(wide)")
    }
    #expect(words > 10_000 && words <= 50_000, "\(words)")
  }

  /// Lines over 120 columns that have to be broken.
  private static func wideLines(of text: String) -> [Substring] {
    var isListing = false
    return text.split(separator: "\n").filter { line in
      if line.hasPrefix("```") { isListing.toggle() }
      return line.count > 120 && !isListing && !line.hasPrefix("|") && !line.contains("://")
    }
  }

  @Test("The check itself: values in one form")
  func values() {
    let same: [(String, String)] = [
      ("0x0001_E000", "0x1_E000"), ("640 KB", "640K"), ("2 M", "2 << 20"), ("four", "4"), ("1,024", "1_024"),
      ("6.0", "6"), ("4.", "4"), ("`HeraldHAL` and `HeraldHCI`", "\"HeraldHAL\", \"HeraldHCI\""),
      ("428132af-4746-42d3-801e-4572d65bfd9b", "4281_32af_4746_42d3, 0x801e_4572_d65b_fd9b"),
    ]
    for (one, other) in same { #expect(DocumentNumbers.value(one) == DocumentNumbers.value(other)) }
    #expect(DocumentNumbers.value("1_900", times: 0.001) == "1.9")
    #expect(DocumentNumbers.value("0.000_25", times: 1000) == "0.25")
    #expect(DocumentNumbers.value("0x20") != DocumentNumbers.value("20"))
  }

  @Test("The check itself: a wrong number, a number that is gone and a wrong source are found")
  func planted() throws {
    func planted(_ path: String, _ right: String, _ wrong: String) throws -> String {
      let text = try #require(ComplianceTable.text(of: path))
      #expect(text.contains(right), "\(path): \(right)")
      let numbers = DocumentNumbers(replacing: [path: text.replacing(right, with: wrong)])
      return (numbers.wrongFacts() + numbers.wrongComputations()).joined(separator: "\n")
    }
    let supply = try planted("docs/boards.md", "| 2.0 V |", "| 2.1 V |")
    #expect(supply.contains("docs/boards.md says 1.9, 2.1, 2.1, 2.5, 2.8, "), "\(supply)")
    #expect(
      supply.contains("HeraldWearable.swift") && supply.contains(" 1.9, 2.1, 2, 2.5, 2.8: "), "\(supply)")
    #expect(!supply.contains("\n"))
    let word = try planted("docs/porting.md", "0x2000_0880", "0x2000_0C00")
    #expect(
      word.contains("docs/porting.md says 536873984, 122880, ") && word.contains(" 536873088, "), "\(word)")
    let modules = try planted("docs/architecture.md", "`HeraldHAL`, `HeraldCrypto`,", "`HeraldHAL`,")
    #expect(modules.contains("docs/architecture.md says HeraldHAL HeraldBluetooth HeraldHCI "), "\(modules)")
    let gone = try planted("docs/wire-formats.md", "Full speed, vendor", "The vendor is")
    #expect(gone.contains("docs/wire-formats.md has nothing like Full speed"), "\(gone)")
    let version = try planted(
      "Sources/HeraldEmbedded/Log/LogFormat.swift", "version: UInt8 { 3 }", "version: UInt8 { 4 }")
    #expect(
      version.contains("docs/log-format.md says 3, 2, ") && version.contains("docs/porting.md says 3, 2"))
    let status = try planted("docs/herald-host.md", "(`not-proved`)", "(`unproved`)")
    #expect(status == "docs/herald-host.md has no exit status 18, `not-proved`", "\(status)")
    let index = try planted("docs/README.md", "(ward.md)", "(wards.md)")
    #expect(index.contains("docs/README.md lists "), "\(index)")
  }

  @Test("The check itself: a command or option that does not exist is found")
  func plantedCommands() {
    let document = """
      Use `herald-host log  pull --trim`, `herald-host archive neer Ada`, `herald-node --radios hci:0`;
      ```
      swift run herald-flash write --board microbit --unsafe   # --nothing
      herald-host report log \\
        --people people.csv --badges
      HeraldEmbedded --strange
      ```
      """
    let found = DocumentCommands.lines(in: document).map {
      DocumentCommands.ofThisPackage.complaints(about: $0)
    }
    #expect(found.map(\.commands).reduce(0, +) == 5)
    #expect(
      found.flatMap(\.wrong) == [
        "herald-host archive has no command neer", "herald-node has no option --radios",
        "herald-flash write has no option --unsafe", "herald-host report has no option --badges",
      ])
  }
}
