import Foundation
import HeraldEmbedded
import Testing

@testable import HeraldHostLink

/// A folder that goes with the test.
private struct Folder: ~Copyable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "herald-keys-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// A file with a secret of one repeated byte.
  func secret(of byte: UInt8, count: Int = 2048, mode: Int = 0o600) throws -> String {
    let file = path + "/secret-\(byte)-\(count)"
    try Data(repeating: byte, count: count).write(to: URL(fileURLWithPath: file))
    #expect(chmod(file, mode_t(mode)) == 0)
    return file
  }
}

private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

private func mode(_ path: String) throws -> Int {
  let attributes = try FileManager.default.attributesOfItem(atPath: path)
  return try #require(attributes[.posixPermissions] as? Int)
}

/// What is wrong with a window, in words; `nil` if nothing is.
private func refusal(
  _ path: String, from: UInt64, days: Int, epoch: KeyScheduleEpoch = .phones
) -> HostLinkError? {
  do throws(HostLinkError) {
    let secret = try SimpleSecret.read(path)
    _ = try MatchingKeyWindow(of: secret, country: 826, state: 0, from: from, days: days, epoch: epoch)
    return nil
  } catch {
    return error
  }
}

@Suite("Keys for the simple payload, derived on the host")
struct SimpleKeyTests {
  private static let epoch: UInt64 = 1_600_905_600
  private static let day: UInt64 = 86_400

  @Test("HP-41 The key file of the published vectors, as the device reads it")
  func vectors() throws {
    let folder = try Folder()
    let secret = try SimpleSecret.read(try folder.secret(of: 0))
    let window = try MatchingKeyWindow(of: secret, country: 826, state: 4, from: Self.epoch, days: 2)
    try window.write(to: folder.path + "/keys")
    #expect(
      try text(folder.path + "/keys") == """
        country 826
        state 4
        first-day 0
        38fc2e6a58a6208cb376e79f46b6dcd646a8eef492c07bdeccde63448aea4b51
        445694f67798589de764c512ae0a95730ca724dcf410483245bc08a76eb73e59

        """)
    let first = window.unixSeconds
    #expect(first == Self.epoch..<Self.epoch + 2 * Self.day)
    let end = try MatchingKeyWindow(
      of: secret, country: 826, state: 0, from: Self.epoch + 2001 * Self.day - 1, days: 1)
    try end.write(to: folder.path + "/keys")
    #expect(
      try text(folder.path + "/keys") == """
        country 826
        state 0
        first-day 2000
        c12eb8ced309befb0c8abf12bd7958f784499254a8266f35772009629b482221

        """)
  }

  @Test("An epoch of one's own starts the days anew, and is written down")
  func ownEpoch() throws {
    let folder = try Folder()
    let secret = try SimpleSecret.read(try folder.secret(of: 0))
    let rebased: UInt64 = 1_763_596_800  // 2025-11-20
    let window = try MatchingKeyWindow(
      of: secret, country: 826, state: 0, from: rebased + Self.day + 5, days: 1,
      epoch: KeyScheduleEpoch(unixSeconds: rebased))
    try window.write(to: folder.path + "/keys")
    #expect(
      try text(folder.path + "/keys") == """
        country 826
        state 0
        epoch 1763596800
        first-day 1
        445694f67798589de764c512ae0a95730ca724dcf410483245bc08a76eb73e59

        """)
    let seconds = window.unixSeconds
    #expect(seconds == rebased + Self.day..<rebased + 2 * Self.day)
  }

  @Test("HP-41 Ninety days hold no other key than those of their days, and nothing of the secret")
  func window() throws {
    let folder = try Folder()
    let secret = try SimpleSecret.read(try folder.secret(of: 1))
    let window = try MatchingKeyWindow(
      of: secret, country: 826, state: 0, from: Self.epoch + 100 * Self.day, days: 90)
    try window.write(to: folder.path + "/keys")
    let lines = try text(folder.path + "/keys").split(separator: "\n")
    #expect(lines.count == 93)
    #expect(lines[2] == "first-day 100")
    #expect(Set(lines.dropFirst(3)).count == 90)
    // Day 0 of this secret begins with the identifier cc92891d59bfd432c00b03567ffb207e; its key is not among
    // them.
    let zero = try MatchingKeyWindow(of: secret, country: 826, state: 0, from: Self.epoch, days: 1)
    try zero.write(to: folder.path + "/zero")
    let key = try #require(try text(folder.path + "/zero").split(separator: "\n").last)
    var bytes: [32 of UInt8] = .init(repeating: 0)
    for index in 0..<32 { bytes[index] = UInt8(key.dropFirst(2 * index).prefix(2), radix: 16) ?? 0 }
    let identifier = try #require(SimpleKeySchedule.contactIdentifier(matchingKey: bytes, period: 0))
    #expect(
      identifier.indices.map { String(identifier[$0], radix: 16) }.prefix(4) == ["cc", "92", "89", "1d"])
    #expect(!lines.contains(key))
    #expect(!(try text(folder.path + "/keys")).contains(String(repeating: "01", count: 16)))
  }

  @Test("Past the schedule's end keys are refused, and the way on is named")
  func pastEnd() throws {
    let folder = try Folder()
    let secret = try folder.secret(of: 0)
    let error = try #require(refusal(secret, from: 1_795_132_800, days: 1))  // 2026-11-20
    #expect(error.cause == .usage)
    #expect(error.what == "the key schedule of the epoch 2020-09-24 ends with day 2000, 2026-03-17")
    #expect(error.advice?.hasSuffix("--epoch 2026-11-20") == true)
    let crossing = try #require(refusal(secret, from: Self.epoch + 2000 * Self.day, days: 2))
    #expect(crossing.what == error.what)
    #expect(crossing.advice?.hasSuffix("--epoch 2026-03-17") == true)
    let early = try #require(refusal(secret, from: Self.epoch - 1, days: 1))
    #expect(early.what == "2020-09-23 lies before the epoch, 2020-09-24")
    let far = KeyScheduleEpoch(unixSeconds: .max - 5)
    #expect(refusal(secret, from: .max, days: 1, epoch: far)?.cause == .usage)
    for days in [Int.min, -1, 0, 91, .max] {
      #expect(refusal(secret, from: Self.epoch, days: days)?.cause == .usage)
    }
  }

  @Test(
    "A new secret is 2048 random bytes in a new file of its owner's alone; an old one is never overwritten")
  func generating() throws {
    let folder = try Folder()
    let path = folder.path + "/secret"
    try SimpleSecret.generate().write(to: path)
    #expect(try mode(path) == 0o600)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(bytes.count == 2048)
    #expect(Set(bytes).count > 200)
    #expect(throws: HostLinkError.self) { try SimpleSecret.generate().write(to: path) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["secret"])
    let isOpen = try SimpleSecret.read(path).isOpenToOthers
    #expect(!isOpen)
  }

  @Test("The key file is its owner's alone, and takes the place of the one before, whatever that allowed")
  func keyFile() throws {
    let folder = try Folder()
    let path = folder.path + "/keys"
    try Data("old".utf8).write(to: URL(fileURLWithPath: path))
    #expect(chmod(path, 0o666) == 0)
    let secret = try SimpleSecret.read(try folder.secret(of: 0))
    let window = try MatchingKeyWindow(of: secret, country: 826, state: 0, from: Self.epoch, days: 1)
    try window.write(to: path)
    #expect(try mode(path) == 0o600)
    #expect(try text(path).hasPrefix("country 826\n"))
    #expect(!FileManager.default.fileExists(atPath: path + ".part"))
    #expect(throws: HostLinkError.self) { try window.write(to: folder.path + "/none/keys") }
  }

  @Test(
    "What is no secret is refused by its name; one that others may use is told of",
    arguments: [0, 2047, 2049, 9000])
  func noSecret(count: Int) throws {
    let folder = try Folder()
    let path = try folder.secret(of: 7, count: count)
    do {
      _ = try SimpleSecret.read(path)
      Issue.record("taken")
    } catch {
      #expect(error.cause == .usage && error.what.hasPrefix(path))
    }
    #expect(throws: HostLinkError.self) { _ = try SimpleSecret.read(path + "-not") }
    let isOpen = try SimpleSecret.read(try folder.secret(of: 9, mode: 0o640)).isOpenToOthers
    #expect(isOpen)
  }

  @Test("Secrets stay in one place, and what does not fit is left out")
  func memory() {
    var memory = SecretMemory(capacity: 5)
    let place = memory.bytes.baseAddress
    memory.append("ab")
    memory.append(hexadecimal: 0x0F)
    memory.append(hexadecimal: 0xA1)
    let (placeNow, content) = (memory.bytes.baseAddress, Array(memory.used))
    #expect(placeNow == place)
    #expect(content == Array("ab0fa".utf8))
  }
}
