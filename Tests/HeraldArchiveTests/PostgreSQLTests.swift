import HeraldHostLink
import Testing

@testable import HeraldArchive

/// What needs no server. `Tests/Interop/cases_archive.py` compares archives in both databases.
@Suite struct PostgreSQLTests {
  @Test func rowsHaveTheBinaryFormatOfCopy() {
    var rows = PostgreSQLCopy()
    rows.add([.null, .integer(-2), .text("ä\u{0}"), .blob([0xFF])])
    rows.finish()
    let expected: [UInt8] =
      Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0] + [0, 4]
      + [0xFF, 0xFF, 0xFF, 0xFF]
      + [0, 0, 0, 8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE]
      // U+0000, which a server cannot store, is U+FFFD.
      + [0, 0, 0, 5, 0xC3, 0xA4, 0xEF, 0xBF, 0xBD]
      + [0, 0, 0, 1, 0xFF]
      + [0xFF, 0xFF]
    #expect(rows.take() == expected)
    #expect(rows.bytes.isEmpty)
  }

  @Test func sumsAreWholeNumbers() {
    func number(_ words: UInt16...) -> Int64 {
      PostgreSQLRow.wholeNumber(words.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
    }
    #expect(number(0, 0, 0, 0) == 0)
    #expect(number(2, 1, 0, 0, 1234, 5678) == 12_345_678)
    // Zeros at the end are left out: 1 × 10,000².
    #expect(number(1, 2, 0, 0, 1) == 100_000_000)
    #expect(number(1, 0, 0x4000, 0, 7) == -7)
    // 0.5 has the weight -1; not a number; the largest of 64 bits; one digit more.
    #expect(number(1, 0xFFFF, 0, 1, 5000) == 0)
    #expect(number(0, 0, 0xC000, 0) == 0)
    #expect(number(5, 4, 0, 0, 922, 3372, 368, 5477, 5807) == .max)
    #expect(number(5, 4, 0, 0, 922, 3372, 368, 5477, 5808) == .max)
    #expect(number(5, 4, 0, 0, 9999, 9999, 9999, 9999, 9999) == .max)
    #expect(PostgreSQLRow.wholeNumber([0, 2, 0, 1, 0, 0, 0, 0, 4]) == 0)
    #expect(PostgreSQLRow.wholeNumber([]) == 0)
  }

  @Test func argumentsAreNumbered() {
    #expect(
      PostgreSQLConnection.numbered("SELECT ? FROM who WHERE id = ? OR id > ?")
        == "SELECT $1 FROM who WHERE id = $2 OR id > $3")
  }

  @Test func addressesAreShownWithoutSecrets() throws {
    func location(_ text: String) throws -> String { try PostgreSQLAddress(text).location }
    #expect(
      try location("postgresql://ada@db.example.org:5433/ward") == "postgresql://ada@db.example.org:5433/ward"
    )
    #expect(try location("postgres://db/ward") == "postgresql://db/ward")
    #expect(
      try location("postgresql:///ward?host=/run/postgresql&user=ada")
        == "postgresql://ada@/ward?host=/run/postgresql")
    #expect(PostgreSQLAddress.isOne("postgresql://db/ward") && PostgreSQLAddress.isOne("postgres://db"))
    #expect(!PostgreSQLAddress.isOne("postgresql.sqlite") && !PostgreSQLAddress.isOne("/tmp/postgres://"))
  }

  @Test(arguments: [
    "postgresql://ada:s3cret@db/ward", "postgresql://ada:s3cr@et@db/ward", "postgresql://ada:s3c/ret@db/ward",
    "postgresql://ada:s3c%2Fret@db/ward", "postgresql://db/ward?password=s3cret",
    "postgresql://db/ward?user=ada&sslpassword=s3cret", "postgresql://ada@s3cr@et/ward",
    "postgresql://db:s3cret/ward", "postgresql://ada:s3cret@[::1/ward", "postgresql://%zzs3cret@db/ward",
    "postgresql://db/ward?s3cret=1",
  ])
  func passwordsAreRefusedAndNotRepeated(address: String) {
    let error = #expect(throws: HostLinkError.self) { try PostgreSQLAddress(address) }
    #expect(error?.cause == .usage)
    for part in ["s3c", "ret", "s3cr"] { #expect(error?.description.contains(part) == false) }
  }
}
