import TestInputs
import Testing

@testable import HeraldCrypto

@Suite("SHA-256")
struct SHA256Tests {
  private func digest(_ message: [UInt8]) -> [UInt8] { SHA256.digest(of: message.span).array }

  @Test("The examples of FIPS 180 and of NIST's validation suite")
  func publishedExamples() {
    #expect(digest([]) == hexBytes("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
    #expect(digest([0xD3]) == hexBytes("28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"))
    #expect(
      digest(Array("abc".utf8))
        == hexBytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    #expect(
      digest(Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8))
        == hexBytes("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"))
    let long =
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
    #expect(
      digest(Array(long.utf8))
        == hexBytes("cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"))
  }

  @Test("A million times the letter a, in pieces that never end with a block")
  func million() {
    let piece: [UInt8] = .init(repeating: 0x61, count: 1000)
    var hash = SHA256()
    for _ in 0..<1000 { hash.update(piece.span) }
    var result: [32 of UInt8] = .init(repeating: 0)
    hash.finish(into: &result)
    #expect(
      result.array == hexBytes("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"))
  }

  @Test("Every length from 0 to 199, checked against Python's hashlib through the digest of all digests")
  func everyLength() {
    var all = SHA256()
    for length in 0..<200 {
      let message = (0..<length).map { UInt8(truncatingIfNeeded: 7 * $0 + length) }
      let one = SHA256.digest(of: message.span)
      all.update(one.span)
    }
    var result: [32 of UInt8] = .init(repeating: 0)
    all.finish(into: &result)
    #expect(
      result.array == hexBytes("8c7c9ff69da76fc28823a1cb97268672663e628e1ea955868b16db46bab0545d"))
  }

  @Test("However a message is cut in two, the digest is the same")
  func pieces() {
    let message = (0..<150).map { UInt8($0) }
    let whole = digest(message)
    for cut in 0...message.count {
      var hash = SHA256()
      hash.update(message.span.extracting(0..<cut))
      hash.update(message.span.extracting(cut..<message.count))
      var result: [32 of UInt8] = .init(repeating: 0)
      hash.finish(into: &result)
      #expect(result.array == whole, "cut at \(cut)")
    }
  }

  @Test("After finishing it is a new hash")
  func reuse() {
    var hash = SHA256()
    var result: [32 of UInt8] = .init(repeating: 0)
    for _ in 0..<3 {
      hash.update(Array("abc".utf8).span)
      hash.finish(into: &result)
      #expect(
        result.array == hexBytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    }
  }

  @Test("After finishing nothing of the message is left in it")
  func wiped() {
    var hash = SHA256()
    hash.update([UInt8](repeating: 0xA7, count: 100).span)
    var result: [32 of UInt8] = .init(repeating: 0)
    hash.finish(into: &result)
    var fresh = SHA256()
    let same = withUnsafeBytes(of: &hash) { used in
      withUnsafeBytes(of: &fresh) { used.elementsEqual($0) }
    }
    #expect(same)
  }
}

@Suite("Secret bytes")
struct SecretBytesTests {
  private func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.span.equalsInConstantTime(right.span)
  }

  private func isZero(_ bytes: [UInt8]) -> Bool { bytes.span.isZeroInConstantTime }

  @Test("Comparing tells equal from different in every single bit, and never by a common prefix")
  func comparison() {
    let secret = hexBytes("00ff5a0123456789")
    #expect(areEqual(secret, Array(secret)))
    for bit in 0..<64 {
      var other = secret
      other[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!areEqual(secret, other))
    }
    #expect(!areEqual(secret, Array(secret.dropLast())))
    #expect(areEqual([], []))
  }

  @Test("Only zeros are zero")
  func zero() {
    #expect(isZero([UInt8](repeating: 0, count: 16)))
    #expect(isZero([]))
    for place in 0..<16 {
      var bytes = [UInt8](repeating: 0, count: 16)
      bytes[place] = 0x80
      #expect(!isZero(bytes))
    }
  }

  @Test("Wiping overwrites every byte and no other")
  func wiping() {
    var bytes = [UInt8](repeating: 0xFF, count: 40)
    do {
      var all = bytes.mutableSpan
      var middle = all._mutatingExtracting(3..<37)
      middle.wipe()
    }
    #expect(bytes == [0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 34) + [0xFF, 0xFF, 0xFF])
    var words: [UInt32] = [.max, 1, 0x8000_0000]
    do {
      var all = words.mutableSpan
      all.wipe()
    }
    #expect(words == [0, 0, 0])
  }
}
