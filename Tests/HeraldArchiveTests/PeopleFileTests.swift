import Foundation
import HeraldHostLink
import Testing

@testable import HeraldArchive

/// The entries of a file, each as text.
private func entries(_ text: String, _ days: LocalDays = .utc) throws -> [String] {
  try PeopleFile(Array(text.utf8), days: days).entries.map {
    "\($0.line) \($0.serial)|\($0.name)|\($0.role)|\($0.place)"
  }
}

/// What is wrong with a file; empty if nothing is.
private func mistake(_ bytes: [UInt8], _ days: LocalDays = .utc) -> String {
  do throws(HostLinkError) {
    _ = try PeopleFile(bytes, days: days)
    return ""
  } catch {
    return error.cause == .usage && error.advice != nil ? error.what : "no advice: \(error)"
  }
}

private func mistake(_ text: String) -> String { mistake(Array(text.utf8)) }

@Suite("people.csv")
struct PeopleFileTests {
  @Test("Columns in any order and any case, further ones, blank lines, blanks around fields")
  func columns() throws {
    #expect(
      try entries("Name,note,SERIAL ,Role\n Anna ,x,A1,nurse\n\n,,,\nBen,,B2,\n") == [
        "2 A1|Anna|nurse|", "5 B2|Ben||",
      ])
    #expect(try entries("serial,name\nA1,Anna") == ["2 A1|Anna||"])
    #expect(try entries("serial,name\n").isEmpty)
  }

  @Test("Columns that are not known are noted with their names and those that are known")
  func unknownColumns() throws {
    func notes(_ text: String) throws -> [String] { try PeopleFile(Array(text.utf8), days: .utc).notes }
    let known = "serial, name, role, place, from, to"
    #expect(
      try notes("Serial;Name;von;bis;\nA1;Anna;2026-09-14;2026-09-15;\n") == [
        "line 1: \"von\", \"bis\" are no columns that are known, and not read: known are \(known)"
      ])
    let twice = try PeopleFile(
      Array("serial,name\nA1,Anna\nserial,name,\u{1B}form \nB2,Ben,\n".utf8), days: .utc)
    #expect(twice.remarks.count == 1 && twice.remarks[0].hasPrefix("the file of people, line 3: \""))
    #expect(!twice.remarks[0].contains("\u{1B}"))
    #expect(try notes("serial,name,role,place,from,to\nA1,Anna,,,,\n").isEmpty)
    #expect(try notes("name,serial,,\nAnna,A1,,\n").isEmpty)
  }

  @Test("Semicolons, tabs, a byte order mark, and line ends of three systems")
  func dialects() throws {
    let expected = ["2 A1|Doe, Jane|nurse|Ward 3"]
    #expect(try entries("serial;name;role;place\nA1;Doe, Jane;nurse;Ward 3\n") == expected)
    #expect(try entries("\u{FEFF}serial;name;role;place\r\nA1;Doe, Jane;nurse;Ward 3\r\n") == expected)
    #expect(try entries("serial\tname\trole\tplace\rA1\tDoe, Jane\tnurse\tWard 3\r") == expected)
    #expect(try entries("serial,name,role,place\nA1,\"Doe, Jane\",nurse,Ward 3") == expected)
  }

  @Test("Quotation marks: doubled, around line ends, and wrong ones")
  func quotes() throws {
    #expect(
      try entries("serial,name\nA1,\"Jane \"\"JD\"\" Doe\"\nB2,\"\"\"x\"\"\"\n") == [
        "2 A1|Jane \"JD\" Doe||", "3 B2|\"x\"||",
      ])
    #expect(
      mistake("serial,name\nA1,\"Anna\nB2,Ben\n")
        == "the file of people, line 2: a quotation mark is not closed")
    #expect(
      mistake("serial,name\nA1,\"Anna\"x\n")
        == "the file of people, line 2: text follows a closing quotation mark")
    #expect(
      mistake("serial,name\nA1,\"An\nna\"\n")
        == "the file of people, line 2: \"name\" has characters that cannot be shown")
    // The line after a field of two lines.
    #expect(
      try entries("note,serial,name\n\"a\nb\",A1,Anna\nx,B2,Ben\n") == ["2 A1|Anna||", "4 B2|Ben||"])
  }

  @Test("Names in any script; the two forms of a letter with an accent are one")
  func scripts() throws {
    let names = ["Jürgen Müller", "Ольга", "نسرین\u{200C}زاده", "क्\u{200D}ष", "山田太郎", "עֲדִי", "𐐔𐐯", "👩🏽‍⚕️"]
    let lines = names.enumerated().map { (place, name) -> String in "S\(place),\(name)\n" }
    let file = "serial,name\n" + lines.joined()
    #expect(try PeopleFile(Array(file.utf8), days: .utc).entries.map(\.name) == names)
    let forms = try PeopleFile(Array("serial,name\nA1,Zoe\u{308}\nB2,Zo\u{EB}\n".utf8), days: .utc)
    #expect(Set(forms.entries.map { Array($0.name.utf8) }) == [Array("Zo\u{EB}".utf8)])
  }

  @Test("Blanks of any width and number are one, and text that our tables have marked is itself again")
  func blanks() throws {
    #expect(
      try entries(
        "serial,name,role,place\nA1,Ada\u{A0} \u{2003}Byron,head  nurse,\u{3000}Ward 3 \nB2,Ada Byron,head nurse,Ward 3\n"
      )
        == ["2 A1|Ada Byron|head nurse|Ward 3", "3 B2|Ada Byron|head nurse|Ward 3"])
    #expect(try entries("serial,name,role\n'00012,'=D,'NA\n") == ["2 00012|=D|NA|"])
  }

  @Test(
    "Two spellings that look the same are refused, each with what is not seen",
    arguments: [
      ("Ada", "Ada\u{200D}", "\"Ada<U+200D>\" and \"Ada\""),
      ("Ada", "A\u{200C}da", "\"A<U+200C>da\" and \"Ada\""),
      ("Ada", "Ada\u{FE0F}", "\"Ada<U+FE0F>\" and \"Ada\""),
      ("Ada", "\u{3164}Ada", "\"<U+3164>Ada\" and \"Ada\""),
      ("Ada", "Ａda", "\"<U+FF21>da\" and \"Ada\""),
      ("Ada B", "Ada\u{2800}B", "\"Ada<U+2800>B\" and \"Ada B\""),
    ])
  func appearances(one: String, other: String, spelled: String) {
    let expected = "the file of people, line 3: \"name\" looks like that of line 2 and is another: \(spelled)"
    #expect(mistake("serial,name\nA1,\(one)\nB2,\(other)\n") == expected)
    let serial = "the file of people, line 3: \"serial\" looks like that of line 2 and is another: \(spelled)"
    #expect(mistake("serial,name\n\(one),Ben\n\(other),Ben\n") == serial)
  }

  @Test("A separator that a first line names, separators within quotation marks, and headers that come again")
  func separators() throws {
    let expected = ["2 A1|Doe, Jane|nurse|"]
    #expect(try entries("sep=;\r\nserial;name;role\r\nA1;Doe, Jane;nurse\r\n") == ["3 A1|Doe, Jane|nurse|"])
    #expect(try entries("SEP=,\nserial,name,role\nA1,\"Doe, Jane\",nurse\n") == ["3 A1|Doe, Jane|nurse|"])
    #expect(try entries("serial;name;role;\"ward, floor\"\nA1;Doe, Jane;nurse;x\n") == expected)
    #expect(try entries("\"serial\"\t\"name\"\t\"role\"\t\"a;b,c\"\nA1\tDoe, Jane\tnurse\n") == expected)
    #expect(
      try entries(
        "serial,name,role\nA1,Anna,nurse\nserial,name,role\nB2,Ben,\nName,Role,Serial\nCleo,nurse,C3\n") == [
          "2 A1|Anna|nurse|", "4 B2|Ben||", "6 C3|Cleo|nurse|",
        ])
  }

  @Test("A name that is a formula is a name")
  func formulas() throws {
    #expect(
      try entries("serial,name\nA1,\"=HYPERLINK(\"\"http://x\"\")\"\nB2,@SUM(A1)\n") == [
        "2 A1|=HYPERLINK(\"http://x\")||", "3 B2|@SUM(A1)||",
      ])
  }

  @Test("Other encodings, with the line")
  func encodings() {
    let latin1 = Array("serial,name\nA1,Anna\nB2,J".utf8) + [0xFC] + Array("rgen\n".utf8)
    #expect(mistake(latin1) == "the file of people, line 3: this is not UTF-8")
    #expect(mistake([0xFF, 0xFE, 0x73, 0x00]) == "the file of people is UTF-16, not UTF-8")
    #expect(mistake([0xFE, 0xFF, 0x00, 0x73]) == "the file of people is UTF-16, not UTF-8")
    #expect(mistake([0x73, 0x00, 0x65, 0x00]) == "the file of people is UTF-16, not UTF-8")
    #expect(mistake([0xC0, 0x80]).hasSuffix("line 1: this is not UTF-8"))
    #expect(mistake("") == "the file of people is empty")
    #expect(
      mistake(Array(repeating: 0x0A, count: (64 << 20) + 1))
        == "no advice: the file of people has more than 64 MiB")
  }

  @Test("What is missing, double or too much")
  func missing() {
    let columns = "the file of people has no columns \"serial\" and \"name\""
    #expect(mistake("name,role\nAnna,nurse\n") == columns)
    #expect(mistake("serial;name\n".replacingOccurrences(of: ";", with: "|")) == columns)
    #expect(mistake("serial,name,Name\n") == "the file of people, line 1: there are two columns \"name\"")
    let empty = "the file of people, line 3: the serial number or the name is missing"
    #expect(mistake("serial,name\nA1,Anna\n,Ben\n") == empty)
    #expect(mistake("serial,name\nA1,Anna\nB2\n") == empty)
    #expect(
      mistake("serial,name,role\nA1,Doe, Jane,nurse\n")
        == "the file of people, line 2: there are more fields than columns")
    #expect(mistake("serial,name\nA1,Anna,,\n") == "")
    #expect(
      mistake("serial,name\n\(String(repeating: "A", count: 201)),Anna\n")
        == "the file of people, line 2: \"serial\" has more than 200 characters")
    #expect(
      mistake("serial,name\nA1,An\u{202E}na\n")
        == "the file of people, line 2: \"name\" has characters that cannot be shown")
    #expect(mistake("serial,name\nA1,An\u{0}na\n").hasSuffix("characters that cannot be shown"))
  }

  @Test(
    "Serial numbers of which a spreadsheet has made numbers", arguments: ["1.23457E+15", "1,23E+10", "1E+15"])
  func spreadsheetNumbers(serial: String) {
    #expect(
      mistake("serial;name\n\(serial);Anna\n")
        == "the file of people, line 2: a spreadsheet has made a number of the serial number: \(serial)")
  }

  @Test("Serial numbers that only look like numbers", arguments: ["0012", "F1E+", "E+15", "12E7", "A.1E+5"])
  func serials(serial: String) throws {
    #expect(try entries("serial;name\n\(serial);Anna\n") == ["2 \(serial)|Anna||"])
  }

  @Test("Days and moments in the archive's time zone")
  func dates() throws {
    let berlin = try LocalDays(zone: "Europe/Berlin")
    func span(_ from: String, _ to: String) throws -> [String] {
      let file = try PeopleFile(Array("serial,name,from,to\nA1,Anna,\(from),\(to)\n".utf8), days: berlin)
      let entry = try #require(file.entries.first)
      return [UTCTimestamp.text(UInt64(entry.from)), UTCTimestamp.text(UInt64(entry.to))].map {
        String($0.prefix(23))
      }
    }
    #expect(try span("2026-09-14", "2026-09-14") == ["2026-09-13 22:00:00.000", "2026-09-14 21:59:59.999"])
    #expect(
      try span("2026-09-14 08:30", "2026-09-14T14:00:30") == [
        "2026-09-14 06:30:00.000", "2026-09-14 12:00:29.999",
      ])
    // The day with 25 hours; its 02:30 that there is twice: the first.
    #expect(try span("2026-10-25", "2026-10-25") == ["2026-10-24 22:00:00.000", "2026-10-25 22:59:59.999"])
    #expect(
      try span("2026-10-25 02:30", "2026-10-25 03:00") == [
        "2026-10-25 00:30:00.000", "2026-10-25 01:59:59.999",
      ]
    )
    // 02:30 on the day with 23 hours is not there: 03:00 it is.
    #expect(
      try span("2026-03-29 02:30", "2026-03-29 03:30") == [
        "2026-03-29 01:00:00.000", "2026-03-29 01:29:59.999",
      ]
    )
    let always = try PeopleFile(Array("serial,name,from,to\nA1,Anna,,\n".utf8), days: berlin).entries
    #expect(always.map(\.from) == [.min] && always.map(\.to) == [.max])
  }

  @Test(
    "What is no date",
    arguments: [
      "14.09.2026", "2026-9-14", "2026-02-30", "2026-09-14 25:00", "2026-09-14 08:30Z",
      "2026-09-14 08:30:00+00000", "1969-12-31", "tomorrow", "2026-09-14 08:3", "46279",
    ])
  func noDates(text: String) {
    #expect(
      mistake("serial,name,from\nA1,Anna,\(text)\n")
        == "the file of people, line 2: \"\(text)\" is not a date")
  }

  @Test("A device is with one person at a time")
  func overlaps() throws {
    func people(_ first: String, _ second: String) -> String {
      mistake("serial,name,from,to\nA1,Anna,\(first)\nA1,Ben,\(second)\n")
    }
    let overlap =
      "the file of people, line 3: device A1 is with Anna (line 2) and with Ben (line 3) at the same time"
    #expect(people("2026-09-14,2026-09-15", "2026-09-15,") == overlap)
    #expect(people(",", "2026-09-15,2026-09-15") == overlap)
    #expect(people("2026-09-14 08:00,2026-09-14 14:01", "2026-09-14 14:00,") == overlap)
    #expect(people("2026-09-14 08:00,2026-09-14 14:00", "2026-09-14 14:00,") == "")
    #expect(people("2026-09-14,2026-09-14", "2026-09-15,") == "")
    // In the other order of time.
    #expect(
      people("2026-09-15,", "2026-09-14,2026-09-15")
        == "the file of people, line 3: device A1 is with Ben (line 3) and with Anna (line 2) at the same time"
    )
    #expect(
      mistake("serial,name,from,to\nA1,Anna,2026-09-15,2026-09-14\n")
        == "the file of people, line 2: \"to\" is not after \"from\"")
    #expect(
      mistake("serial,name,role\nA1,Anna,nurse\nB2,Anna,patient\n")
        == "the file of people, line 3: Anna has another role or place than in line 2")
    #expect(mistake("serial,name,role\nA1,Anna,nurse\nB2,Anna,nurse\n") == "")
  }

  @Test("Damaged files are refused or read, and nothing else happens")
  func damaged() {
    let good = Array("serial;name;from;to\r\nA1;\"Zo\u{EB} \"\"Z\"\"\";2026-09-14;2026-09-15 08:30\r\n".utf8)
    #expect(mistake(good) == "")
    var state: UInt64 = 7
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<3000 {
      var bytes = good
      for _ in 0...next(4) {
        switch next(3) {
        case 0: bytes[next(bytes.count)] ^= 1 << UInt8(next(8))
        case 1: bytes.remove(at: next(bytes.count))
        default: bytes.insert(bytes[next(bytes.count)], at: next(bytes.count))
        }
      }
      _ = mistake(bytes)
    }
  }

  @Test("A file that is not there")
  func noFile() {
    #expect(throws: HostLinkError.self) { try PeopleFile(reading: "/nonexistent/people.csv", days: .utc) }
  }
}
