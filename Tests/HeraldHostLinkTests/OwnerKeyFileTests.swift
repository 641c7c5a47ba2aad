import Foundation
import HeraldText
import Testing

@testable import HeraldEmbedded
@testable import HeraldHostLink

@Suite("Files of the owner's key")
struct OwnerKeyFileTests {
  /// Made by `openssl genpkey -algorithm X25519` (OpenSSL 3.0), with the passphrase "correct horse" and
  /// PBKDF2, and in plain.
  private static let plain = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VuBCIEIEDaAAopibKeOJw+zgCHYvlgmmPdCWaF1B7p+EDX12Fj
    -----END PRIVATE KEY-----

    """
  private static let protected = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAh5kFhgU5DdHAICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEFL9/vN4vwHOKJYe5QZIR2wEQP8i
    HCT2/jvb5MsbdMvj+SRWxenApDtziKVAo7VJ2PiJGPCmJMQ+BQfoudYlpw5BwHLO
    3WnNlgjPzA1NdZyM32E=
    -----END ENCRYPTED PRIVATE KEY-----

    """
  private static let bytes = "40da000a2989b29e389c3ece008762f9609a63dd096685d41ee9f840d7d76163"
  private static let edwards = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIEStiI8ZFshEOnbiYEVPootI75won938WIBrUhECjojx
    -----END PRIVATE KEY-----

    """

  private func key(in text: String, _ passphrase: String? = nil) throws(PrivateKeyText.Failure) -> String {
    let words = passphrase.map { Self.passphrase($0) }
    return try Self.with(Array(text.utf8)) { text throws(PrivateKeyText.Failure) in
      // Named: a temporary value would be overwritten before it is read.
      let key = try PrivateKeyText.privateKey(in: text, passphrase: words)
      return Array(key.used).hexadecimal
    }
  }

  private static func passphrase(_ text: String) -> Passphrase {
    var memory = SecretMemory(capacity: 64)
    memory.append(text)
    return Passphrase(memory)
  }

  private static func with<Result, Failure>(
    _ bytes: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var memory = SecretMemory(capacity: max(bytes.count, 1))
    for byte in bytes { memory.append(byte: byte) }
    return try body(memory.used)
  }

  @Test("Keys that OpenSSL wrote are read; each obstacle has a reason of its own")
  func reading() throws {
    #expect(try key(in: Self.plain) == Self.bytes)
    #expect(try key(in: Self.protected, "correct horse") == Self.bytes)
    #expect(throws: PrivateKeyText.Failure.noPassphrase) { try key(in: Self.protected) }
    #expect(throws: PrivateKeyText.Failure.wrongPassphrase) { try key(in: Self.protected, "Correct horse") }
    #expect(throws: PrivateKeyText.Failure.otherKind) { try key(in: Self.edwards) }
    #expect(throws: PrivateKeyText.Failure.noKey) { try key(in: "-----BEGIN PRIVATE KEY-----\n") }
    // PBKDF2 with 2³¹ − 1 iterations in the place of 2,048 would take minutes.
    let der = try #require(
      Data(base64Encoded: Self.protected.split(separator: "\n").dropFirst().dropLast().joined()))
    let place = try #require(der.range(of: Data([0x02, 0x02, 0x08, 0x00])))
    var slow = der
    slow.replaceSubrange(place, with: [0x02, 0x04, 0x7F, 0xFF, 0xFF, 0xFF])
    let text = Self.lengthened(slow, at: place.lowerBound, by: 2)
    #expect(throws: PrivateKeyText.Failure.otherProtection) { try key(in: text, "correct horse") }
  }

  /// The PEM of DER with the lengths increased of all sequences that contain `place`.
  private static func lengthened(_ der: Data, at place: Int, by count: UInt8) -> String {
    var bytes = [UInt8](der)
    func descend(_ start: Int, _ end: Int) {
      var position = start
      while position + 2 <= end {
        let isLong = bytes[position + 1] & 0x80 != 0
        let head = isLong ? 2 + Int(bytes[position + 1] & 0x7F) : 2
        let old = isLong ? Int(bytes[position + 2]) : Int(bytes[position + 1])
        let inside = position + head
        if bytes[position] == 0x30, place >= inside, place < inside + old {
          bytes[isLong ? position + 2 : position + 1] += count
          descend(inside, inside + old + Int(count))
          return
        }
        position = inside + old
      }
    }
    descend(0, bytes.count)
    return
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\n\(Data(bytes).base64EncodedString())\n-----END ENCRYPTED PRIVATE KEY-----\n"
  }

  @Test("A key that is written with a passphrase opens with it alone")
  func writing() throws {
    let secret = [UInt8](1...32)
    let words = Self.passphrase("pass")
    let text = Self.with(secret) { bytes -> String in
      guard let text = PrivateKeyText.protected(bytes, words) else { return "" }
      return String(decoding: text.used, as: UTF8.self)
    }
    #expect(
      text.hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----\n")
        && text.hasSuffix("-----END ENCRYPTED PRIVATE KEY-----\n"))
    #expect(try key(in: text, "pass") == secret.hexadecimal)
    #expect(throws: PrivateKeyText.Failure.wrongPassphrase) { try key(in: text, "pass ") }
  }

  @Test("Damaged files are refused, or give the key that is in them: truncations, flipped bits")
  func damage() throws {
    for count in Self.plain.utf8.indices where count.utf16Offset(in: Self.plain) < Self.plain.utf8.count - 28
    {
      let text = String(Self.plain[..<count])
      #expect(throws: PrivateKeyText.Failure.self) { try key(in: text) }
    }
    var others = 0
    let bytes = Array(Self.plain.utf8)
    for index in bytes.indices {
      for bit in 0..<8 as Range<UInt8> {
        var changed = bytes
        changed[index] ^= 1 << bit
        let found = try? Self.with(changed) { text throws(PrivateKeyText.Failure) in
          try PrivateKeyText.privateKey(in: text, passphrase: nil).count
        }
        // A key without a checksum can be another one.
        if let found {
          others += 1
          #expect(found == 32)
        }
      }
    }
    #expect(others > 0)
  }

  @Test("The copy on paper in literal characters, read back in any case and with similar letters")
  func paper() throws {
    let secret = [UInt8](1...32)
    let text = Self.with(secret) { bytes -> String in
      let code = RecoveryCode.text(of: bytes)
      return String(decoding: code.used, as: UTF8.self)
    }
    // Computed by an independent program.
    let literal = """
      0410R 6105K 0R3GR G28AN 1C606 T3GF7 208HN
      44RM6 2MB1M E60S4 38DHK R78YY 3WGAG W8BCS

      """
    #expect(text == literal)
    func read(_ text: String) throws(RecoveryCode.Failure) -> [UInt8] {
      try Self.with(Array(text.utf8)) { bytes throws(RecoveryCode.Failure) in
        let key = try RecoveryCode.key(of: bytes)
        return Array(key.used)
      }
    }
    #expect(try read(literal) == secret)
    #expect(try read("o4Ior-6I05k\t" + literal.dropFirst(12).lowercased()) == secret)
    #expect(throws: RecoveryCode.Failure.count(13)) { try read(String(literal.dropFirst(6))) }
    #expect(throws: RecoveryCode.Failure.count(15)) { try read(literal + "0410R") }
    #expect(throws: RecoveryCode.Failure.count(0)) { try read("") }
    // Every wrong character and every two that are exchanged: the group is named.
    let characters = Array(literal)
    var (count, exchanges) = (0, 0)
    for (place, character) in characters.enumerated() where !character.isWhitespace {
      let group = place / 6 + 1
      for other in "0123456789ABCDEFGHJKMNPQRSTVWXYZU*" where other != character {
        var changed = characters
        changed[place] = other
        #expect(throws: RecoveryCode.Failure.groups([group])) { try read(String(changed)) }
        count += 1
      }
      for next in (place + 1)..<(place / 6 * 6 + 5) where characters[next] != character {
        guard next < place / 6 * 6 + 5 else { break }
        var changed = characters
        changed.swapAt(place, next)
        #expect(throws: RecoveryCode.Failure.groups([group])) { try read(String(changed)) }
        exchanges += 1
      }
    }
    #expect(count == 70 * 33 && exchanges > 100)
    // Two groups exchanged.
    let groups = literal.split(whereSeparator: \.isWhitespace).map(String.init)
    var exchanged = groups
    exchanged.swapAt(2, 9)
    #expect(throws: RecoveryCode.Failure.groups([3, 10])) { try read(exchanged.joined(separator: " ")) }
  }

  @Test("An opening in literal lines; whatever is not whole or not in this form is refused with its line")
  func opening() throws {
    let key = String(repeating: "0f", count: 23)
    let text = """
      herald-log-opening 1
      device A 1
      segment 00000001 00000002 0000 \(key)
      segment 00000001 00000002 0140 \(key)
      device B
      segment ffffffff 00000002 ffff \(key)
      end 3

      """
    func read(_ text: String) throws -> LogOpening {
      try Self.with(Array(text.utf8)) { try LogOpening($0, path: "file") }
    }
    let opening = try read(text)
    #expect(opening.serials == ["A 1", "B"] && opening.segmentCount == 3)
    #expect(opening.device("B")?.segments == [.init(epoch: .max, sequence: 2, offset: .max)])
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    try opening.write(to: folder.path + "/opening")
    #expect(try String(contentsOfFile: folder.path + "/opening", encoding: .utf8) == text)
    var refused = 0
    for end in text.indices {
      #expect(throws: HostLinkError.self) { try read(String(text[..<end])) }
      refused += 1
    }
    #expect(refused == text.count)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for (number, line) in [
      (1, "herald-log-opening 2"), (2, "device "), (2, "device A\t1"), (3, lines[2].uppercased()),
      (3, lines[2] + "0"),
      (3, "segment 00000001 00000002 000 0\(key)"), (3, "segment +0000001 00000002 0000 \(key)"),
      (4, lines[2]),
      (5, "device A 1"), (7, "end 2"), (7, "end 03"), (6, "end 2"), (6, ""),
    ] {
      var changed = lines
      changed[number - 1] = line
      let error = #expect(throws: HostLinkError.self, "\(line)") { try read(changed.joined(separator: "\n")) }
      #expect(error?.cause == .usage && error?.what.contains("line ") == true)
    }
    #expect(throws: HostLinkError.self) { try read(text + "end 3\n") }
  }
}
