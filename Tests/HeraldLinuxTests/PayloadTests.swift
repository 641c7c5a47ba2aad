import Foundation
import Testing

@testable import HeraldLinux

@Suite("Chosen payloads")
struct PayloadTests {
  private func bytes(_ payload: inout ConfiguredPayload, at unixSeconds: UInt64?) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 512)
    var span = buffer.mutableSpan
    let count = payload.payload(at: unixSeconds, now: .start, into: &span)
    return Array(buffer[..<count])
  }

  @Test("are read as they are written, and refused with the forms there are")
  func choices() throws {
    #expect(
      try PayloadChoice("fixed:826,4,1234567890") == .fixed(country: 826, state: 4, identifier: 1_234_567_890)
    )
    #expect(try PayloadChoice("simple:/a:b") == .simple(file: "/a:b"))
    #expect(
      try PayloadChoice("venue:826,4,123123") == .venue(country: 826, state: 4, code: 123_123, name: ""))
    #expect(
      try PayloadChoice("venue:826,4,123123,Fish, chips: hot")
        == .venue(country: 826, state: 4, code: 123_123, name: "Fish, chips: hot"))
    #expect(try PayloadChoice("test:-7") == .test(identifier: -7, length: 129))
    #expect(try PayloadChoice("test:42,510") == .test(identifier: 42, length: 510))
    #expect(try PayloadChoice("hex:91aBFf") == .opaque([0x91, 0xAB, 0xFF]))
    for text in [
      "", "fixed", "fixed:", "fixed:1,2", "fixed:1,2,0", "fixed:65536,0,1", "fixed:1,2,3,4", "simple:", "x:y",
      "venue:1,2", "venue:1,2,0", "venue:65536,2,3", "venue:1,2,4294967296", "venue:,2,3",
      "venue:1,2,3," + String(repeating: "é", count: 128), "test:", "test:x", "test:2147483648", "test:1,6",
      "test:1,511", "test:1,2,3", "test:1,", "hex:", "hex:1", "hex:1g", "hex:+1", "hex:111",
      "hex:" + String(repeating: "00", count: 511),
    ] {
      #expect(throws: SystemFailure.self, "\(text)") { try PayloadChoice(text) }
    }
  }

  @Test("venue: number and name, whatever the date")
  func venue() throws {
    var payload = try ConfiguredPayload(PayloadChoice("venue:826,4,123123,Erin's Stakehouse"))
    let expected: [UInt8] = [
      0x30, 0x3A, 0x03, 0x04, 0x00, 0xF3, 0xE0, 0x01, 0x00, 0x10, 0x11, 0x45, 0x72, 0x69, 0x6E, 0x27, 0x73,
      0x20, 0x53, 0x74, 0x61, 0x6B, 0x65, 0x68, 0x6F, 0x75, 0x73, 0x65,
    ]
    #expect(bytes(&payload, at: nil) == expected)
    #expect(payload.complaint(at: nil) == nil && payload.fixedLength == 0)
    payload = try ConfiguredPayload(PayloadChoice("venue:826,4,123123"))
    #expect(bytes(&payload, at: 5) == Array(expected[..<9]))
    payload = try ConfiguredPayload(PayloadChoice("venue:1,2,3," + String(repeating: "a", count: 255)))
    #expect(bytes(&payload, at: 5).count == 9 + 2 + 255)
  }

  @Test("test: identifier and length, whatever the date")
  func test() throws {
    var payload = try ConfiguredPayload(PayloadChoice("test:-2,9"))
    #expect(bytes(&payload, at: nil) == [0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF, 0, 0])
    #expect(payload.fixedLength == 9 && payload.complaint(at: nil) == nil)
    payload = try ConfiguredPayload(PayloadChoice("test:1"))
    #expect(bytes(&payload, at: nil) == [0, 0, 0, 1] + [UInt8](repeating: 0, count: 125))
    #expect(throws: SystemFailure.self) { _ = try ConfiguredPayload(.test(identifier: 1, length: 6)) }
  }

  @Test("hex: the bytes as they are, whatever the date")
  func opaque() throws {
    var payload = try ConfiguredPayload(PayloadChoice("hex:910102"))
    #expect(bytes(&payload, at: nil) == [0x91, 1, 2])
    #expect(payload.fixedLength == 0 && payload.complaint(at: nil) == nil)
    payload = try ConfiguredPayload(.opaque([UInt8](repeating: 7, count: 510)))
    #expect(bytes(&payload, at: 9) == [UInt8](repeating: 7, count: 510))
    for count in [0, 511] {
      #expect(throws: SystemFailure.self) {
        _ = try ConfiguredPayload(.opaque([UInt8](repeating: 7, count: count)))
      }
    }
  }

  @Test("fixed: thirteen bytes, whatever the date")
  func fixed() throws {
    var payload = try ConfiguredPayload(.fixed(country: 826, state: 0, identifier: 1_234_567_890))
    let expected: [UInt8] = [0x08, 0x3A, 0x03, 0, 0, 0xD2, 0x02, 0x96, 0x49, 0, 0, 0, 0]
    #expect(bytes(&payload, at: nil) == expected)
    #expect(payload.fixedLength == 13)
    #expect(payload.complaint(at: nil) == nil)
  }

  @Test("simple: the published identifier of day 0 and its first period, from a key file")
  func simple() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/keys"
    let text = """
      # the matching key of day 0 of a secret of zeros
      country 826
      state 4  # Jersey, say
      first-day 0

      38fc2e6a58a6208cb376e79f46b6dcd646a8eef492c07bdeccde63448aea4b51
      """
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    var payload = try ConfiguredPayload(.simple(file: path))
    let identifier: [UInt8] = [
      0xE2, 0xCF, 0xBE, 0xB3, 0x2D, 0xE9, 0x32, 0xC9, 0x17, 0x1C, 0x65, 0x8B, 0x5F, 0x57, 0xA3, 0x37,
    ]
    #expect(bytes(&payload, at: nil) == [])
    #expect(payload.complaint(at: nil)?.contains("the date is not known") == true)
    #expect(bytes(&payload, at: 1_600_905_600) == [0x10, 0x3A, 0x03, 0x04, 0x00] + identifier)
    #expect(payload.complaint(at: 1_600_905_600) == nil)
    #expect(payload.fixedLength == 21)
    #expect(payload.complaint(at: 1_600_905_600 + 86_400)?.contains("new keys are needed") == true)
    #expect(payload.complaint(at: 1_800_000_000)?.contains("`epoch UNIXSECONDS`") == true)
    #expect(bytes(&payload, at: 1_800_000_000) == [])
  }

  @Test(
    "simple: a key file that makes no sense is refused, with its name and the reason",
    arguments: [
      ("first-day 0\n", "it has no keys"), ("country 1\n", "no line `first-day N`"),
      ("first-day 0\nhello\n", "line 2 makes no sense"), ("first-day x\n", "line 1 makes no sense"),
      ("first-day 0\n" + String(repeating: "zz", count: 32) + "\n", "line 2 makes no sense"),
      ("first-day 0\n" + String(repeating: "+f", count: 32) + "\n", "line 2 makes no sense"),
      ("first-day 0\n" + String(repeating: String(repeating: "11", count: 16) + "\n", count: 2), "line 2"),
      ("first-day +4\n", "line 1 makes no sense"), ("country 65536\n", "line 1 makes no sense"),
      ("first-day 0\n" + String(repeating: "00", count: 32) + "\n", "all zeros"),
      ("first-day 2001\n" + String(repeating: "11", count: 32) + "\n", "day 2000"),
      ("first-day 0\n" + String(repeating: String(repeating: "11", count: 32) + "\n", count: 91), "90 days"),
    ])
  func refused(text: String, reason: String) throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/keys"
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    do {
      _ = try ConfiguredPayload(.simple(file: path))
      Issue.record("taken")
    } catch {
      #expect(error.subject == path)
      #expect(error.reason.contains(reason), "\(error)")
    }
    #expect(throws: SystemFailure.self) { _ = try ConfiguredPayload(.simple(file: path + "-not")) }
  }

  @Test("simple: a key file that others may read is warned of", arguments: [0o600, 0o640, 0o604, 0o620])
  func openToOthers(mode: Int) throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/keys"
    try Data("first-day 0\n\(String(repeating: "aF", count: 32))\n".utf8).write(
      to: URL(fileURLWithPath: path))
    #expect(chmod(path, mode_t(mode)) == 0)
    let payload = try ConfiguredPayload(.simple(file: path))
    #expect((payload.warning == nil) == (mode == 0o600))
    #expect(payload.warning?.contains(path) != false)
  }

  @Test("simple: a file that is longer than keys can be is refused")
  func tooLong() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/keys"
    try Data(repeating: UInt8(ascii: "#"), count: 65536).write(to: URL(fileURLWithPath: path))
    #expect(throws: SystemFailure("read", path, code: EFBIG)) {
      _ = try ConfiguredPayload(.simple(file: path))
    }
  }

  @Test("secret bytes stay in one place, and take no more than there is room for")
  func secretBytes() {
    var bytes = SecretBytes(capacity: 3)
    let place = bytes.bytes.baseAddress
    var taken: [Bool] = []
    for byte: UInt8 in [1, 2, 3, 4] { taken.append(bytes.append(byte)) }
    #expect(taken == [true, true, true, false])
    let (placeNow, content) = (bytes.bytes.baseAddress, Array(bytes.bytes))
    #expect(placeNow == place)
    #expect(content == [1, 2, 3])
  }
}
