import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldText
import Testing

@testable import HeraldLinux

@Suite("Configuration files")
struct ConfigurationFileTests {
  private func entries(_ text: String) throws(SystemFailure) -> [String] {
    try ConfigurationFile(path: "file", contents: Array(text.utf8)[...]).entries.map {
      "\($0.line) \($0.name)=\($0.value)"
    }
  }

  @Test("A line is a name and a value; blanks, empty lines and comments do not count")
  func lines() throws {
    #expect(try entries("") == [])
    #expect(try entries("\n  \n# role = beacon\n\t# x\n") == [])
    #expect(
      try entries("role=beacon\n\n  scan-window \t=  50  # ms\r\nlink = tcp:0")
        == ["1 role=beacon", "3 scan-window=50", "4 link=tcp:0"])
    #expect(try entries("name = a=b\nname = Ward\u{e9} 3") == ["1 name=a=b", "2 name=Ward\u{e9} 3"])
  }

  @Test("A # within a word, or within quotes, is part of the value")
  func comments() throws {
    #expect(try entries("payload = venue:1,2,3,No#5 # here") == ["1 payload=venue:1,2,3,No#5"])
    #expect(try entries("payload = \"venue:1,2,3,Room #5 \"  # here") == ["1 payload=venue:1,2,3,Room #5 "])
    #expect(try entries("name = \"\"") == ["1 name="])
    #expect(try entries("name = a \"b\"") == ["1 name=a \"b\""])
  }

  @Test(
    "A line that makes no sense is an error with its number",
    arguments: [
      ("role", "it is not `name = value`"), ("= beacon", "it is not `name = value`"),
      ("--role = beacon", "it is not `name = value`"), ("Role = beacon", "it is not `name = value`"),
      ("ro le = beacon", "it is not `name = value`"), ("rôle = beacon", "it is not `name = value`"),
      ("role =", "there is no value"), ("role = # beacon", "there is no value"),
      ("role =   \t", "there is no value"), ("role = \"beacon", "the quotes do not end"),
      ("role = \"beacon\" x", "there is something behind the quotes"),
      ("role = bea\u{0}con", "it is not text in UTF-8"), ("role = bea\rcon", "it is not text in UTF-8"),
      ("role = bea\u{1B}con", "it is not text in UTF-8"),
    ])
  func refused(line: String, reason: String) throws {
    #expect(throws: SystemFailure("use", "file", reason: "line 3: \(reason)")) {
      try entries("# a comment\n\n\(line)\nscan = no\n")
    }
  }

  @Test("What is not UTF-8 is an error with its line")
  func notText() {
    #expect(throws: SystemFailure("use", "file", reason: "line 2: it is not text in UTF-8")) {
      try ConfigurationFile(path: "file", contents: [0x0A, 0x61, 0x3D, 0xC3, 0x28])
    }
  }

  @Test("A file is read whole up to 65536 bytes; a larger one, or none, is an error with its path")
  func size() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/config"
    let longest = Data("name = ".utf8) + Data(repeating: UInt8(ascii: "x"), count: 65529)
    try longest.write(to: URL(fileURLWithPath: path))
    #expect(try ConfigurationFile(path: path).entries.first?.value.utf8.count == 65529)
    try (longest + Data("x".utf8)).write(to: URL(fileURLWithPath: path))
    #expect(throws: SystemFailure("use", path, reason: "it has more than 65536 bytes")) {
      try ConfigurationFile(path: path)
    }
    #expect(throws: SystemFailure("read", path + "-not", code: ENOENT)) {
      try ConfigurationFile(path: path + "-not")
    }
    #expect(throws: SystemFailure("read", folder.path, code: EISDIR)) {
      try ConfigurationFile(path: folder.path)
    }
  }

  @Test("Any bytes are lines or an error, never a trap")
  func anything() {
    var state: UInt64 = 1
    let alphabet = Array("ab-=#\"\\ \t\r\n\u{e9}1".utf8) + [0, 0xFF]
    for _ in 0..<5000 {
      var bytes: [UInt8] = []
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      for _ in 0..<Int(state >> 58) {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes.append(alphabet[Int(state >> 33) % alphabet.count])
      }
      if let file = try? ConfigurationFile(path: "file", contents: bytes[...]) {
        #expect(file.entries.allSatisfy { !$0.name.isEmpty && $0.line >= 1 })
      }
    }
  }

  @Test("Services by their names; a provider's own by its UUID")
  func services() throws {
    #expect(try ServiceChoice("long,short").omitted == .none)
    #expect(try ServiceChoice("long").omitted == .short)
    #expect(try ServiceChoice("short").omitted == .long)
    for text in ["", "long,", "none", "LONG", "custom"] {
      #expect(throws: SystemFailure.self, "\(text)") { try ServiceChoice(text) }
    }
    #expect(
      try CustomService("0e0a8F54-7a5c-4cd1-9f0e-3b1d5c2f7a10").uuid
        == UUID128(0x0E0A_8F54_7A5C_4CD1, 0x9F0E_3B1D_5C2F_7A10))
    for text in [
      "", "0e0a8f547a5c4cd19f0e3b1d5c2f7a10", "0e0a8f54-7a5c-4cd1-9f0e-3b1d5c2f7a1", "fcf6",
      "0e0a8f54-7a5c-4cd1-9f0e-3b1d5c2f7a1g", "+e0a8f54-7a5c-4cd1-9f0e-3b1d5c2f7a10",
      "00000000-0000-0000-0000-000000000000", "428132af-4746-42d3-801e-4572d65bfd9b",
      "0000fcf6-0000-1000-8000-00805f9b34fb", "0e0a8f547-a5c-4cd1-9f0e-3b1d5c2f7a10",
    ] {
      #expect(throws: SystemFailure.self, "\(text)") { try CustomService(text) }
    }
  }

  @Test("Hexadecimal digits of either case, in pairs and nothing else")
  func hexadecimal() {
    #expect(Hexadecimal.bytes("00aFF1".utf8) == [0x00, 0xAF, 0xF1])
    #expect(Hexadecimal.bytes("".utf8) == [])
    for text in ["0", "0g", "+1", " 1", "0x01", "00 11"] { #expect(Hexadecimal.bytes(text.utf8) == nil) }
    let bytes: [UInt8] = [0x00, 0xAF, 0xF1]
    #expect(Hexadecimal.text(bytes.span) == "00aff1")
  }
}
