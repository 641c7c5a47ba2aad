import TestInputs
import Testing

@testable import HeraldCrypto

@Suite("HMAC-SHA-256")
struct HMACSHA256Tests {
  private func code(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    var code = HMACSHA256(key: key.span)
    code.update(message.span)
    var result: [32 of UInt8] = .init(repeating: 0)
    code.finish(into: &result)
    return result.array
  }

  @Test("The examples of RFC 4231 whose keys have 32 bytes at most")
  func publishedExamples() {
    // Test cases 1 to 5; of the fifth only the first 16 bytes are published.
    #expect(
      code(.init(repeating: 0x0B, count: 20), Array("Hi There".utf8))
        == hexBytes("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"))
    #expect(
      code(Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        == hexBytes("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
    #expect(
      code(.init(repeating: 0xAA, count: 20), .init(repeating: 0xDD, count: 50))
        == hexBytes("773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"))
    #expect(
      code(Array(0x01...0x19), .init(repeating: 0xCD, count: 50))
        == hexBytes("82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"))
    #expect(
      code(.init(repeating: 0x0C, count: 20), Array("Test With Truncation".utf8)).prefix(16)
        == hexBytes("a3b6167473100ee06e0c796c2955552b")[...])
  }

  @Test("Pieces make the same code as the whole, and afterwards nothing is left of the key")
  func pieces() {
    var pieces = HMACSHA256(key: Array("Jefe".utf8).span)
    pieces.update("what do ya ")
    pieces.update(Array("want for ".utf8).span)
    pieces.update([UInt8]().span)
    pieces.update("nothing?")
    var result: [32 of UInt8] = .init(repeating: 0)
    pieces.finish(into: &result)
    #expect(result.array == hexBytes("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
    pieces.finish(into: &result)
    #expect(result.array != hexBytes("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
  }
}
