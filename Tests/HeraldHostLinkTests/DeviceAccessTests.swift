import Foundation
import HeraldText
import Testing

@testable import HeraldHostLink

/// Being let in to a device that is locked, against answers written by hand.
@Suite("Access to devices")
struct DeviceAccessTests {
  /// A locked device, as far as it is needed here: what it was sent, and how it answers the proof.
  private final class Locked {
    var wait: UInt16 = 0
    var isOpen = false
    var proofs: [[UInt8]] = []
    /// That of key 0…31 for the serial number 5356dee2c5b85838 and the nonce 10…1F, from Python's hmac.
    let proof = "b903cd43b4e9c33196374cf9848b833ce38ed27cf9168da4fddcb12b0f1c3805"

    func answer(_ packet: [UInt8]) -> [[UInt8]] {
      let body: [UInt8]
      switch (packet[0] & 7, packet[5], packet[7]) {
      case (0, 0, 7): body = [0xA1, 0x66] + Array("output".utf8) + [0x70] + Array("5356dee2c5b85838".utf8)
      case (0, 72, 5):
        body =
          [0xA4, 0x63] + Array("set".utf8) + [0xF5, 0x64] + Array("open".utf8) + [isOpen ? 0xF5 : 0xF4, 0x65]
          + Array("nonce".utf8) + [0x50] + Array(0x10...0x1F) + [0x64] + Array("wait".utf8) + [
            0x19, UInt8(wait >> 8), UInt8(wait & 0xFF),
          ]
      case (2, 72, 5):
        let sent = Array(packet.suffix(32))
        proofs.append(sent)
        body =
          sent.hexadecimal == proof
          ? [0xA0]
          : [0xA1, 0x63] + Array("err".utf8) + [0xA2, 0x65] + Array("group".utf8) + [0x18, 72, 0x62]
            + Array("rc".utf8)
            + [6]
      default: body = [0xA1, 0x62] + Array("rc".utf8) + [0x08]
      }
      return [[packet[0] + 1, packet[1], 0, UInt8(body.count)] + packet[4..<8] + body]
    }
  }

  private func client(_ answer: @escaping ([UInt8]) -> [[UInt8]]) -> DeviceClient {
    DeviceClient(
      SMPClient(
        transport: DirectTransport(answer),
        patience: SMPClient.Patience(timeout: .milliseconds(1), attempts: 1)))
  }

  private func key(_ bytes: [UInt8]) throws -> String {
    let path = NSTemporaryDirectory() + "herald-key-" + UUID().uuidString
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test("The proof is the HMAC over the device's serial number and nonce, and the key is not sent")
  func proof() throws {
    let device = Locked()
    let path = try key(Array(0..<32))
    defer { try? FileManager.default.removeItem(atPath: path) }
    try client(device.answer).unlock(AccessKey.read(path))
    #expect(device.proofs.map(\.hexadecimal) == [device.proof])
  }

  @Test("A wrong key is told of; while the device waits, or is open, nothing is proved")
  func refusals() throws {
    let device = Locked()
    let path = try key(Array(1...32))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let wrong = #expect(throws: HostLinkError.self) { try client(device.answer).unlock(AccessKey.read(path)) }
    #expect(wrong?.cause == .refused && wrong?.what.contains("not its access key") == true)
    device.wait = 5001
    let early = #expect(throws: HostLinkError.self) { try client(device.answer).unlock(AccessKey.read(path)) }
    #expect(early?.what.contains("wrong ones have been tried") == true)
    device.isOpen = true
    try client(device.answer).unlock(AccessKey.read(path))
    #expect(device.proofs.count == 1)
  }

  @Test("A device that takes no proof yet because it has just started is waited for, once")
  func justStarted() throws {
    let device = Locked()
    let path = try key(Array(0..<32))
    defer { try? FileManager.default.removeItem(atPath: path) }
    var pauses: [UInt32] = []
    device.wait = 3990
    try client(device.answer).unlock(AccessKey.read(path)) {
      pauses.append($0)
      device.wait = 0
    }
    #expect(pauses == [3990] && device.proofs.map(\.hexadecimal) == [device.proof])
    // It takes none after that either: somebody else tries.
    device.wait = 3000
    let early = #expect(throws: HostLinkError.self) {
      try client(device.answer).unlock(AccessKey.read(path)) { pauses.append($0) }
    }
    #expect(early?.cause == .refused && pauses == [3990, 3000] && device.proofs.count == 1)
  }

  @Test("A device of a firmware without keys is open")
  func without() throws {
    let old = client { [[$0[0] + 1, $0[1], 0, 5] + $0[4..<8] + [0xA1, 0x62, 0x72, 0x63, 0x08]] }
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
