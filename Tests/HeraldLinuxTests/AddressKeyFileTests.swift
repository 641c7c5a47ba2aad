import Foundation
import HeraldBluetooth
import HeraldHAL
import Testing

@testable import HeraldLinux

/// Gives words whose bytes count up from 1, the least significant first.
private struct CountingRandom: RandomSource, ~Copyable {
  var next8: UInt32 = 1
  mutating func next() -> UInt32 {
    defer { next8 += 4 }
    return next8 | (next8 + 1) << 8 | (next8 + 2) << 16 | (next8 + 3) << 24
  }
}

/// A source that does not work.
private struct FailingRandom: RandomSource, ~Copyable {
  mutating func next() -> UInt32 { 0 }
}

@Suite("The key of a device's addresses")
struct AddressKeyFileTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.path + "/address-key" }

  private func bytes(_ key: IdentityResolvingKey) -> [UInt8] { (0..<16).map { key.bytes[$0] } }

  private func load(warning: inout String?) throws(SystemFailure) -> [UInt8] {
    var random = CountingRandom()
    // The directory's own number is not to take from the key's bytes.
    var other = CountingRandom()
    let directory = try StorageDirectory(folder.path, random: &other)
    return bytes(try AddressKeyFile.load(in: directory, random: &random, warning: &warning))
  }

  private func load() throws(SystemFailure) -> [UInt8] {
    var warning: String?
    let key = try load(warning: &warning)
    #expect(warning == nil)
    return key
  }

  @Test("The key file is made once, of random bytes, is readable for its owner alone, and stays the same")
  func made() throws {
    let key: [UInt8] = Array(1...16)
    #expect(try load() == key)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "0102030405060708090a0b0c0d0e0f10\n")
    var attributes = stat()
    #expect(stat(path, &attributes) == 0 && attributes.st_mode & 0o777 == 0o600)
    try Data("ec0234a357c8ad05341010a60a397d9b".utf8).write(to: URL(fileURLWithPath: path))
    #expect(chmod(path, 0o600) == 0)
    #expect(
      try load() == [
        0xEC, 0x02, 0x34, 0xA3, 0x57, 0xC8, 0xAD, 0x05, 0x34, 0x10, 0x10, 0xA6, 0x0A, 0x39, 0x7D, 0x9B,
      ])
    #expect(FileManager.default.fileExists(atPath: path + ".part") == false)
  }

  @Test("Of a key that cannot be written nothing is left")
  func unwritable() throws {
    try FileManager.default.createDirectory(atPath: path + "/in-the-way", withIntermediateDirectories: true)
    var text = SecretBytes(capacity: 4)
    _ = text.append(0x61)
    do {
      try StorageDirectory.store(text.bytes.span, at: path, in: folder.path)
      Issue.record("it was written")
    } catch { #expect(error.code == EISDIR || error.code == ENOTEMPTY || error.code == EEXIST) }
    #expect(FileManager.default.fileExists(atPath: path + ".part") == false)
  }

  @Test("A part of a file that a killed process left behind is in nobody's way")
  func partial() throws {
    try Data("0102".utf8).write(to: URL(fileURLWithPath: path + ".part"))
    #expect(chmod(path + ".part", 0o666) == 0)
    #expect(try load() == Array(1...16))
    var attributes = stat()
    #expect(stat(path, &attributes) == 0 && attributes.st_mode & 0o777 == 0o600)
  }

  @Test(
    "A file that holds no key is an error that says so, and stays as it is",
    arguments: [
      "", "\n", "0102030405060708090a0b0c0d0e0f1", "0102030405060708090a0b0c0d0e0f1g",
      "0102030405060708090a0b0c0d0e0f10\n\n", "0102030405060708090a0b0c0d0e0f1011",
      "00000000000000000000000000000000\n", String(repeating: "11", count: 1000),
    ])
  func refused(text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    do {
      _ = try load()
      Issue.record("taken")
    } catch {
      #expect(error.subject == path && error.reason.contains("32 hexadecimal digits"), "\(error)")
      #expect(text.count < 32 || !error.description.contains(text.prefix(32)), "the error shows the key")
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  @Test("A file that others may use is warned of, and one that is somewhere else is not followed")
  func others() throws {
    _ = try load()
    #expect(chmod(path, 0o640) == 0)
    var warning: String?
    #expect(try load(warning: &warning) == Array(1...16))
    #expect(warning?.contains(path) == true)
    #expect(rename(path, path + "-elsewhere") == 0 && symlink(path + "-elsewhere", path) == 0)
    #expect(throws: SystemFailure("open", path, code: ELOOP)) { try load() }
  }

  @Test("A random source that gives only zeros makes no key")
  func noRandomness() throws {
    var random = FailingRandom()
    var warning: String?
    var other = CountingRandom()
    let directory = try StorageDirectory(folder.path, random: &other)
    do {
      _ = try AddressKeyFile.load(in: directory, random: &random, warning: &warning)
      Issue.record("made")
    } catch {
      #expect(error.reason.contains("zeros"))
    }
    #expect(FileManager.default.fileExists(atPath: path) == false)
  }
}
