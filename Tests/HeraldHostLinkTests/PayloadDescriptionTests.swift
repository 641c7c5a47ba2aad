import Foundation
import HeraldHostLink
import Testing

@Suite("What a payload says about itself")
struct PayloadDescriptionTests {
  private static let venue: [UInt8] = [0x30, 0x3A, 0x03, 0x04, 0x00, 0xF3, 0xE0, 0x01, 0x00]

  private static func named(_ name: [UInt8]) -> [UInt8] { venue + [0x10, UInt8(name.count)] + name }

  private func json(_ description: PayloadDescription?) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(description), as: UTF8.self)
  }

  @Test("HP-40 Every payload has a family, if only an unknown one")
  func families() {
    let names: [(UInt8, String)] = [
      (0x00, "custom"), (0x08, "custom"), (0x10, "simple"), (0x18, "unknown"), (0x20, "secured"),
      (0x30, "venue"),
      (0x80, "exposure-notification"), (0x88, "robert"), (0x91, "bluetrace"), (0x98, "dp3t"), (0xA0, "pact"),
      (0xFF, "unknown"),
    ]
    for (first, name) in names {
      let description = PayloadDescription([first])
      #expect(description?.family == name && description?.text == name)
      #expect(description?.version == Int(first & 7) && description?.country == nil)
    }
    #expect(PayloadDescription([]) == nil)
  }

  @Test("A venue has country, state, number and name")
  func venues() throws {
    let erin = PayloadDescription(Self.named(Array("Erin's Stakehouse".utf8)))
    #expect(erin?.text == "venue 826/4/123123 Erin's Stakehouse")
    let expected =
      #"{"country":826,"family":"venue","premises":"Erin's Stakehouse","state":4,"venueCode":123123,"version":0}"#
    #expect(try json(erin) == expected)
    let plain = PayloadDescription(Self.venue)
    #expect(plain?.text == "venue 826/4/123123" && plain?.premises == nil)
    #expect(
      try json(plain) == #"{"country":826,"family":"venue","state":4,"venueCode":123123,"version":0}"#)
  }

  @Test("Other families have country and state where they carry them")
  func countries() {
    let fixed = PayloadDescription([0x08, 0x3A, 0x03, 0x02, 0, 1, 0, 0, 0, 0, 0, 0, 0])
    #expect(fixed?.country == 826 && fixed?.state == 2 && fixed?.venueCode == nil && fixed?.text == "custom")
    let later = PayloadDescription([0x31] + Self.venue.dropFirst())
    #expect(later?.country == 826 && later?.version == 1 && later?.venueCode == nil && later?.text == "venue")
  }

  @Test("A hostile name does no harm")
  func hostileNames() {
    let escape = PayloadDescription(Self.named([0x41, 0x1B, 0x5B, 0x32, 0x4A, 0xFF, 0x0A]))
    #expect(escape?.premises == "A?[2J\u{FFFD}?")
    let long = PayloadDescription(Self.named([UInt8](repeating: 0x41, count: 255)))
    #expect(long?.premises?.count == 255)
    #expect(long?.text == "venue 826/4/123123 " + String(repeating: "A", count: 40) + "…")
  }
}
