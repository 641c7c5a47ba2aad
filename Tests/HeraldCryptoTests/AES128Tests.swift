import TestInputs
import Testing

@testable import HeraldCrypto

@Suite("AES-128")
struct AES128Tests {
  private func encrypted(_ block: [UInt8], _ key: [UInt8]) -> [UInt8] {
    var block = inline16(block)
    AES128.encrypt(&block, key: inline16(key))
    return block.array
  }

  @Test("The examples of FIPS 197, appendix B and C.1")
  func publishedExamples() {
    #expect(
      encrypted(hexBytes("3243f6a8885a308d313198a2e0370734"), hexBytes("2b7e151628aed2a6abf7158809cf4f3c"))
        == hexBytes("3925841d02dc09fbdc118597196a0b32"))
    #expect(
      encrypted(hexBytes("00112233445566778899aabbccddeeff"), hexBytes("000102030405060708090a0b0c0d0e0f"))
        == hexBytes("69c4e0d86a7b0430d8cdb78070b4c55a"))
  }

  @Test("The first blocks of NIST SP 800-38A, F.1.1")
  func ecbExamples() {
    let key = hexBytes("2b7e151628aed2a6abf7158809cf4f3c")
    #expect(
      encrypted(hexBytes("6bc1bee22e409f96e93d7e117393172a"), key)
        == hexBytes("3ad77bb40d7a3660a89ecaf32466ef97"))
    #expect(
      encrypted(hexBytes("ae2d8a571e03ac9c9eb76fac45af8e51"), key)
        == hexBytes("f5d3d58503b9699de785895a96fdbaaf"))
  }

  @Test("A hundred blocks, each under a key changed by the last, against OpenSSL")
  func chain() {
    var block = [UInt8](repeating: 0, count: 16)
    var key = block
    for _ in 0..<100 {
      block = encrypted(block, key)
      for index in 0..<16 { key[index] ^= block[index] }
    }
    #expect(block == hexBytes("d2c035ead4889c2aee705386917cd90f"))
    #expect(key == hexBytes("ad681c058b5b5aad8ec414ba14edb2e2"))
  }
}
