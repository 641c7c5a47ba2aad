import Foundation
import HeraldText
import TestInputs
import Testing

@testable import HeraldHostLink

/// Being let in to a device that is locked, against answers written by hand.
@Suite("Access to devices")
struct DeviceAccessTests {
  /// A locked device, as far as it is needed here: what it was sent, and how it answers the proof.
  private final class Locked {
    var wait: UInt16 = 0
    var hasKey = true
    var proofs: [[UInt8]] = []
    /// What comes when sealed packets are sent, in hexadecimal digits.
    var sealed: [String: String] = [:]
    // Those of key 0…31 for the serial number 5356dee2c5b85838, the device's nonce 10…1F and the host's
    // A0…AF, from Python's hmac.
    let hostProof = "07e7b4d489a271a0186ced90a79e66deb0f6252895615345cc4420f6f324ca1b"
    var deviceProof = "a2829658fa81ba40c663c2ef59790a38b0859af1389dc7fa28d71c047473f3af"

    func answer(_ packet: [UInt8]) -> [[UInt8]] {
      if packet[1] == 1 {
        return sealed[packet.hexadecimal].map { [hexBytes($0)] } ?? [
          [packet[0] + 1, 0, 0, 5] + packet[4..<8] + hexBytes("a162726308")
        ]
      }
      let body: [UInt8]
      switch (packet[0] & 7, packet[5], packet[7]) {
      case (0, 0, 7): body = [0xA1, 0x66] + Array("output".utf8) + [0x70] + Array("5356dee2c5b85838".utf8)
      case (0, 72, 5):
        body =
          [0xA4, 0x63] + Array("set".utf8) + [hasKey ? 0xF5 : 0xF4, 0x64] + Array("open".utf8)
          + [hasKey ? 0xF4 : 0xF5, 0x65]
          + Array("nonce".utf8) + [0x50] + Array(0x10...0x1F) + [0x64] + Array("wait".utf8) + [
            0x19, UInt8(wait >> 8), UInt8(wait & 0xFF),
          ]
      case (2, 72, 5):
        let sent = Array(packet.suffix(32))
        proofs.append(sent)
        body =
          sent.hexadecimal == hostProof
          ? hexBytes("a16570726f6f665820" + deviceProof)
          : [0xA1, 0x63] + Array("err".utf8) + [0xA2, 0x65] + Array("group".utf8) + [0x18, 72, 0x62]
            + Array("rc".utf8)
            + [6]
      default: body = [0xA1, 0x62] + Array("rc".utf8) + [0x08]
      }
      return [[packet[0] + 1, packet[1], 0, UInt8(body.count)] + packet[4..<8] + body]
    }
  }

  private static func client(_ answer: @escaping ([UInt8]) -> [[UInt8]]) -> DeviceClient {
    client(over: DirectTransport(answer))
  }

  private static func client(over transport: DirectTransport) -> DeviceClient {
    DeviceClient(
      SMPClient(transport: transport, timeouts: SMPClient.Timeouts(timeout: .milliseconds(1), attempts: 1)))
  }

  private func key(_ bytes: [UInt8]) throws -> String {
    let path = NSTemporaryDirectory() + "herald-key-" + UUID().uuidString
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// The nonce of the host in these tests.
  private let nonce = [UInt8](0xA0...0xAF)

  @Test(
    "In literal bytes: proofs are exchanged, requests and responses are sealed, the session is closed; the key is not sent"
  )
  func literal() throws {
    let device = Locked()
    let path = try key(Array(0..<32))
    defer { try? FileManager.default.removeItem(atPath: path) }
    // What Python's cryptography makes of the list of counters, and of the end of the session.
    device.sealed = [
      "0801000d00020301000000017af2fb05eadff7e49c":
        "0901001400020301e6c54d824a7b664ff7910715407a50627e23ec48",
      "0a01000d0048040900000002dad3f9cff41e236476": "0b0100090048040957916ac5f6817eebab",
    ]
    let transport = DirectTransport(device.answer)
    let client = Self.client(over: transport)
    try client.unlock(AccessKey.read(path), nonce: nonce) { _ in }
    #expect(device.proofs.map(\.hexadecimal) == [device.hostProof] && client.client.isSealed)
    #expect(try client.statistics().isEmpty)
    client.client.closeSession()
    #expect(!client.client.isSealed && transport.sent.count == 5)
    #expect(Set(transport.sent.dropFirst(3).map(\.hexadecimal)) == Set(device.sealed.keys))
    let key = Array(UInt8(0)..<32).hexadecimal
    #expect(!transport.sent.contains { $0.hexadecimal.contains(key) })
  }

  @Test("A device that does not prove that it has the key is told nothing more")
  func impostor() throws {
    let path = try key(Array(0..<32))
    defer { try? FileManager.default.removeItem(atPath: path) }
    for wrong in ["00", "reflected", "without a key"] {
      let device = Locked()
      device.deviceProof = wrong == "reflected" ? device.hostProof : String(repeating: "00", count: 32)
      device.hasKey = wrong != "without a key"
      let transport = DirectTransport(device.answer)
      let client = Self.client(over: transport)
      let error = #expect(throws: HostLinkError.self) {
        try client.unlock(AccessKey.read(path), nonce: nonce) { _ in }
      }
      #expect(error?.cause == .notProved && error?.cause.exitStatus == 18 && !client.client.isSealed)
      #expect(transport.sent.count == (device.hasKey ? 3 : 1))
    }
  }

  @Test(
    "A device that says it has no key, and for which there is one, is refused unless it is known to be new")
  func keyless() throws {
    let device = Locked()
    device.hasKey = false
    let path = try key(Array(0..<32))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let client = Self.client(over: DirectTransport(device.answer))
    func authenticate(_ file: String, isNew: Bool) throws(HostLinkError) {
      try client.authenticate(keyFile: file, serial: "5356dee2c5b85838", isNew: isNew) { _ in }
    }
    let error = #expect(throws: HostLinkError.self) { try authenticate(path, isNew: false) }
    #expect(error?.cause == .notProved && error?.advice?.contains("--new-device") == true)
    try authenticate(path, isNew: true)
    try authenticate(path + "{serial}", isNew: false)
    #expect(device.proofs.isEmpty)
  }

  @Test("A device that says it is locked gets no key and no other secret without a session")
  func locked() throws {
    let device = Locked()
    let path = try key(Array(0..<32))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let transport = DirectTransport(device.answer)
    let client = Self.client(over: transport)
    let key = try AccessKey.read(path)
    let error = #expect(throws: HostLinkError.self) { try client.setAccessKey(key) }
    #expect(error?.cause == .refused && error?.advice?.contains("--key-file") == true)
    // Group 72, command 5.
    #expect(transport.sent.map { Array($0[4...7]) } == [[0, 72, 0, 5]])
    device.hasKey = false
    try client.refuseLocked()
  }

  @Test("A wrong key is told of; while the device waits nothing is proved")
  func refusals() throws {
    let device = Locked()
    let path = try key(Array(1...32))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let wrong = #expect(throws: HostLinkError.self) {
      try Self.client(device.answer).unlock(AccessKey.read(path))
    }
    #expect(wrong?.cause == .refused && wrong?.what.contains("not its access key") == true)
    device.wait = 5001
    let early = #expect(throws: HostLinkError.self) {
      try Self.client(device.answer).unlock(AccessKey.read(path))
    }
    #expect(early?.what.contains("wrong ones have been tried") == true)
    #expect(device.proofs.count == 1)
  }

  @Test("A device that takes no proof yet because it has just started is waited for, once")
  func justStarted() throws {
    let device = Locked()
    let path = try key(Array(0..<32))
    defer { try? FileManager.default.removeItem(atPath: path) }
    var pauses: [UInt32] = []
    device.wait = 3990
    try Self.client(device.answer).unlock(AccessKey.read(path), nonce: nonce) {
      pauses.append($0)
      device.wait = 0
    }
    #expect(pauses == [3990] && device.proofs.map(\.hexadecimal) == [device.hostProof])
    // It takes none after that either: somebody else tries.
    device.wait = 3000
    let early = #expect(throws: HostLinkError.self) {
      try Self.client(device.answer).unlock(AccessKey.read(path), nonce: nonce) { pauses.append($0) }
    }
    #expect(early?.cause == .refused && pauses == [3990, 3000] && device.proofs.count == 1)
  }

  @Test("A device of a firmware without keys is open")
  func without() throws {
    let old = Self.client { [[$0[0] + 1, $0[1], 0, 5] + $0[4..<8] + [0xA1, 0x62, 0x72, 0x63, 0x08]] }
    #expect(try old.access() == DeviceAccess(isSet: false, isOpen: true, nonce: [], waitMilliseconds: 0))
  }

  @Test("A key is a file of 32 bytes for its owner alone, and is never replaced")
  func files() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let path = folder.path + "/a.key"
    try AccessKey.generate().write(to: path)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    let isOpenToOthers = try AccessKey.read(path).isOpenToOthers
    #expect(!isOpenToOthers)
    #expect(throws: HostLinkError.self) { try AccessKey.generate().write(to: path) }
    try Data([UInt8](repeating: 1, count: 31)).write(to: URL(fileURLWithPath: folder.path + "/b"))
    #expect(throws: HostLinkError.self) { _ = try AccessKey.read(folder.path + "/b") }
    #expect(throws: HostLinkError.self) { _ = try AccessKey.read(folder.path + "/none") }
    #expect(try SecretPath.of("k/{serial}.key", serial: "../A") == "k/%2e.%2fA.key")
    #expect(try SecretPath.of("k/one.key", serial: "") == "k/one.key")
    #expect(throws: HostLinkError.self) { _ = try SecretPath.of("k/{serial}.key", serial: "") }
  }
}
