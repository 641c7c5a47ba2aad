import TestInputs
import Testing

@testable import HeraldCrypto

@Suite("HKDF-SHA-256")
struct HKDFSHA256Tests {
  private func output(_ keyMaterial: [UInt8], salt: [UInt8], _ context: [UInt8]) -> [UInt8] {
    var keys = HKDFSHA256()
    // In two parts, wherever it is cut.
    keys.extract(
      salt: salt.span.extracting(0..<salt.count / 3), salt.span.extracting(salt.count / 3..<salt.count),
      keyMaterial: keyMaterial.span)
    var output: [32 of UInt8] = .init(repeating: 0)
    keys.expand("", context.span, into: &output)
    return output.array
  }

  @Test("RFC 5869, appendix A.1 to A.3: the first block of each output")
  func publishedExamples() {
    #expect(
      output(.init(repeating: 0x0B, count: 22), salt: Array(0...0x0C), Array(0xF0...0xF9))
        == hexBytes("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"))
    // A salt longer than a block of the hash stands for its hash (RFC 2104, 2).
    let salt = SHA256.digest(of: Array(UInt8(0x60)...0xAF).span).array
    #expect(
      output(Array(0x00...0x4F), salt: salt, Array(0xB0...0xFF))
        == hexBytes("b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"))
    #expect(
      output(.init(repeating: 0x0B, count: 22), salt: [], [])
        == hexBytes("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"))
  }

  @Test("RFC 5869, appendix A.1 to A.3: the first block from each pseudorandom key")
  func publishedKeys() {
    for (key, context, block) in [
      (
        hexBytes("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"),
        Array(UInt8(0xF0)...0xF9),
        hexBytes("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf")
      ),
      (
        hexBytes("06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244"),
        Array(UInt8(0xB0)...0xFF),
        hexBytes("b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c")
      ),
      (
        hexBytes("19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04"), [],
        hexBytes("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d")
      ),
    ] {
      var keys = HKDFSHA256()
      keys.set(key: key.span)
      var output: [32 of UInt8] = .init(repeating: 0)
      keys.expand("", context.span, into: &output)
      #expect(output.array == block)
    }
  }

  @Test("Outputs of one secret differ by their text; after wiping nothing is left of the secret")
  func purposes() {
    var keys = HKDFSHA256()
    let salt = [UInt8](0...0x0C)
    keys.extract(salt: salt.span, Span(), keyMaterial: [UInt8](repeating: 0x0B, count: 22).span)
    var output: [32 of UInt8] = .init(repeating: 0)
    let context = Array(UInt8(0xF0)...0xF9)
    keys.expand("", context.span, into: &output)
    let first = output.array
    keys.expand("a", context.span, into: &output)
    #expect(output.array != first)
    keys.wipe()
    keys.expand("", context.span, into: &output)
    #expect(output.array != first)
  }
}
