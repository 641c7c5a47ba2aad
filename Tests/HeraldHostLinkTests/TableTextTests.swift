import Testing

@testable import HeraldHostLink

/// Text in tables for analysts: whatever reader guesses types, text stays text.
@Suite("Text in tables")
struct TableTextTests {
  @Test(
    "names are clean, in any script",
    arguments: [
      ("Zoë", "Zoë"), ("فاطمه\u{200C}زهرا", "فاطمه\u{200C}زهرا"), ("👩🏽\u{200D}⚕️", "👩🏽\u{200D}⚕️"),
      ("a\tb\r\nc", "a b  c"),
      ("\u{0}a\u{1B}[2Jb\u{7F}\u{9B}", "a[2Jb"), ("\u{202E}evil\u{2066}", "evil"),
      ("\u{FFFE}\u{FEFF}x\u{1FFFF}", "x"),
      ("\u{2028}x", " x"), ("", ""),
    ])
  func cleaning(text: String, clean: String) {
    // By scalars: texts that are canonically equivalent are equal as strings.
    #expect(Array(TableText.clean(text).unicodeScalars) == Array(clean.unicodeScalars))
  }

  @Test(
    "what readers take for numbers, dates, logical and missing values, and spreadsheets for formulas, is marked",
    arguments: [
      "NA", "na", "N/A", "NaN", "nan", "null", "NULL", "None", "T", "F", "true", "FALSE", "yes", "Inf",
      "-inf", "Infinity",
      "00012", "1E5", "12E7", "1e400", "0x1F", "1D5", "1_000", ".5", "5.", "+1", "-", "-1", "2026-01-01",
      "01/02/2026",
      "12:30", "=1+1", "@SUM(A1)", "#N/A", "٠٠١٢", "１２", "'x", " x", " NA", "epoch",
    ])
  func mistakable(text: String) {
    #expect(TableText.guarded(text) == "'" + text)
    #expect(TableText.field(text) == "\"'\(text)\"")
    #expect(TableText.original("'" + text) == text)
  }

  @Test(
    "other text is as it is",
    arguments: ["Ada", "F1EE700003", "Нина", "山田", "nurse", "Natalie", "TRUEman", "E5", "x12"])
  func plain(text: String) {
    #expect(TableText.field(text) == text && TableText.original(text) == text)
  }

  @Test("marks, separators and formulas behind a semicolon")
  func quoting() {
    #expect(TableText.field("say \"a\", b") == "\"say \"\"a\"\", b\"")
    #expect(TableText.field("a;=1;b") == "\"a;'=1;b\"")
    #expect(TableText.field("") == "\"\"")
    // A control in front must not hide a formula.
    #expect(TableText.field("\u{1}=1") == "\"'=1\"")
    // An apostrophe that is part of a name is not taken away.
    #expect(TableText.original("'hood") == "'hood" && TableText.original("O'Neil") == "O'Neil")
    #expect(TableText.guarded("'hood") == "''hood" && TableText.original("''hood") == "'hood")
  }
}
