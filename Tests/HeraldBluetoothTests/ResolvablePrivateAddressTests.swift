import HeraldBluetooth
import HeraldHAL
import TestInputs
import Testing

/// The sample key of the Core Specification, Vol 3, Part H, appendix D.7.
private let sampleKey = IdentityResolvingKey(inline16(hexBytes("ec0234a357c8ad05341010a60a397d9b")))

/// A random source that gives these words, and then zeros.
private struct Words: RandomSource {
  var left: [UInt32]
  mutating func next() -> UInt32 { left.isEmpty ? 0 : left.removeFirst() }
}

@Suite("Resolvable private addresses")
struct ResolvablePrivateAddressTests {
  @Test("The random address hash function of the specification's sample data")
  func hash() {
    #expect(ResolvablePrivateAddress.hash(sampleKey, prand: 0x708194) == 0x0DFBAA)
  }

  @Test("The hash under another key, against Python's cryptography")
  func otherHashes() {
    let key = IdentityResolvingKey(inline16(hexBytes("00112233445566778899aabbccddeeff")))
    #expect(ResolvablePrivateAddress.hash(key, prand: 0x400001) == 0x68B75F)
    #expect(ResolvablePrivateAddress.hash(key, prand: 0x7FFFFE) == 0x351509)
    #expect(ResolvablePrivateAddress.hash(key, prand: 0x5A5A5A) == 0xEDDC49)
  }

  @Test("An address is prand with top bits 01 above its hash, and resolves with its own key only")
  func making() throws {
    // Bits 22 and 23 of what the source gives are replaced: 0x308194 and 0xF08194 both make prand 0x708194.
    for word: UInt32 in [0x0030_8194, 0xFFF0_8194] {
      var random = Words(left: [word])
      let address = try #require(ResolvablePrivateAddress.make(sampleKey, random: &random))
      #expect(address == DeviceAddress(high: 0x7081, low: 0x940D_FBAA, kind: .random))
      #expect(address.isResolvablePrivate)
      #expect(ResolvablePrivateAddress.resolves(address, with: sampleKey))
      let otherKey = IdentityResolvingKey(inline16(hexBytes("ed0234a357c8ad05341010a60a397d9b")))
      #expect(!ResolvablePrivateAddress.resolves(address, with: otherKey))
    }
  }

  @Test("Other kinds of address do not resolve, whatever their bits")
  func notResolvable() {
    for address in [
      DeviceAddress(high: 0x7081, low: 0x940D_FBAA, kind: .public),
      DeviceAddress(high: 0xF081, low: 0x940D_FBAA, kind: .random),
      DeviceAddress(high: 0x3081, low: 0x940D_FBAA, kind: .random),
      DeviceAddress(high: 0x7081, low: 0x940D_FBAB, kind: .random),
    ] {
      #expect(!ResolvablePrivateAddress.resolves(address, with: sampleKey))
    }
  }

  @Test("A prand of only zeros or only ones is drawn again, and a source that gives nothing else is given up")
  func uselessRandom() throws {
    var random = Words(left: [0, 0x3F_FFFF, 0xFFFF_FFFF, 0xFFC0_0000, 0x0030_8194])
    let address = try #require(ResolvablePrivateAddress.make(sampleKey, random: &random))
    #expect(address.low == 0x940D_FBAA)
    #expect(random.left.isEmpty)
    var stuck = Words(left: [])
    #expect(ResolvablePrivateAddress.make(sampleKey, random: &stuck) == nil)
  }
}
