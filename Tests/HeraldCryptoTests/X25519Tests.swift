import TestInputs
import Testing

@testable import HeraldCrypto

@Suite("X25519")
struct X25519Tests {
  private func product(_ scalar: [UInt8], _ point: [UInt8]) -> [UInt8] {
    var curve = X25519()
    curve.begin(scalar: scalar.span, point: point.span)
    var parts = 0
    while !curve.advance() { parts += 1 }
    #expect(parts == 305)
    var result: [32 of UInt8] = .init(repeating: 0)
    curve.finish(into: &result)
    return result.array
  }

  @Test("RFC 7748, section 5.2: both examples, of which one has the ignored bit set")
  func publishedExamples() {
    #expect(
      product(
        hexBytes("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"),
        hexBytes("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"))
        == hexBytes("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"))
    #expect(
      product(
        hexBytes("4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d"),
        hexBytes("e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493"))
        == hexBytes("95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"))
  }

  @Test("RFC 7748, section 5.2: the function applied to its own results, once and a thousand times")
  func iterated() {
    var scalar: [UInt8] = [9] + .init(repeating: 0, count: 31)
    var point = scalar
    for round in 1...1000 {
      (scalar, point) = (product(scalar, point), scalar)
      if round == 1 {
        #expect(scalar == hexBytes("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"))
      }
    }
    #expect(scalar == hexBytes("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"))
  }

  private static let secret = hexBytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
  private static let other = hexBytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")

  @Test("RFC 7748, section 6.1: a public key, and with the same scalar the shared secret")
  func agreement() {
    var curve = X25519()
    curve.begin(scalar: Self.secret.span, point: Span())
    while !curve.advance() {}
    var result: [32 of UInt8] = .init(repeating: 0)
    curve.finish(into: &result)
    #expect(result.array == hexBytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"))
    curve.begin(point: Self.other.span)
    while !curve.advance() {}
    curve.finish(into: &result)
    #expect(result.array == hexBytes("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"))
    curve.wipe()
    let isWiped = withUnsafeBytes(of: curve) { $0.allSatisfy { $0 == 0 } }
    #expect(isWiped)
  }

  @Test("RFC 7748, section 6.1: the other side has its public key and the same secret")
  func otherSide() {
    let scalar = hexBytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
    let base: [UInt8] = [9] + .init(repeating: 0, count: 31)
    #expect(product(scalar, base) == Self.other)
    let first = hexBytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
    #expect(
      product(scalar, first)
        == hexBytes("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"))
  }

  /// p = 2²⁵⁵ − 19 plus a number, little-endian.
  private static func prime(plus number: Int) -> [UInt8] {
    [UInt8(0xED + number)] + .init(repeating: 0xFF, count: 30) + [0x7F]
  }

  @Test("Points of low order, in each encoding, are known, and give zero; others do not")
  func lowOrder() {
    let zero = [UInt8](repeating: 0, count: 32)
    let points = [
      zero, [1] + zero.dropLast(), Self.prime(plus: -1), Self.prime(plus: 0), Self.prime(plus: 1),
      hexBytes("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
      hexBytes("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
    ]
    for var point in points {
      for top: UInt8 in [0, 0x80] {
        point[31] = point[31] & 0x7F | top
        let isLow = X25519.isLowOrder(point.span)
        #expect(isLow)
        #expect(product(Self.secret, point) == zero)
      }
    }
    for point in [Self.other, [2] + zero.dropLast(), Self.prime(plus: -2), Self.prime(plus: 2)] {
      let isLow = X25519.isLowOrder(point.span)
      #expect(!isLow)
      #expect(product(Self.secret, point) != zero)
    }
    let short = Array(Self.other.dropLast())
    let isLow = X25519.isLowOrder(short.span)
    #expect(isLow)
  }

  @Test("A coordinate of p or more is that number less p")
  func otherEncodings() {
    // p + 3 and 3, p + 18 and 18.
    for number in [3, 18] {
      let small = [UInt8(number)] + [UInt8](repeating: 0, count: 31)
      #expect(product(Self.secret, Self.prime(plus: number)) == product(Self.secret, small))
    }
  }
}
