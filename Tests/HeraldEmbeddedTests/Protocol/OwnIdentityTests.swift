import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import TestInputs
import Testing

/// The sample key of the Core Specification, Vol 3, Part H, appendix D.7.
private let sampleKey = IdentityResolvingKey(inline16(hexBytes("ec0234a357c8ad05341010a60a397d9b")))

@Suite("Own identity")
struct OwnIdentityTests {
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
      var random = ScriptedRandom([word])
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
    var random = ScriptedRandom([0, 0x3F_FFFF, 0xFFFF_FFFF, 0xFFC0_0000, 0x0030_8194])
    let address = try #require(ResolvablePrivateAddress.make(sampleKey, random: &random))
    #expect(address.low == 0x940D_FBAA)
    #expect(random.asked == 5)
    var stuck = ScriptedRandom([])
    #expect(ResolvablePrivateAddress.make(sampleKey, random: &stuck) == nil)
    #expect(OwnIdentity.make(sampleKey, lifetime: .seconds(5), random: &stuck) == nil)
  }

  @Test("A new key takes 128 bits from the source")
  func newKey() {
    var random = ScriptedRandom([0x0403_0201, 0x0807_0605, 0x0C0B_0A09, 0x100F_0E0D])
    let key = IdentityResolvingKey.make(random: &random)
    #expect(key.bytes.array == Array(1...16))
    #expect(random.asked == 4)
  }

  @Test("HP-11 An identity that lives for seconds has a pseudo device address, advertised under 0xFFFA")
  func shortLived() throws {
    var random = ScriptedRandom([0x0030_8194, 0xA3A2_A1A0, 0xA5A4_0000])
    let identity = try #require(OwnIdentity.make(sampleKey, lifetime: .seconds(8), random: &random))
    #expect(identity.pseudoAddress == PseudoDeviceAddress(high: 0xA5A4, low: 0xA3A2_A1A0))
    var advertisement = HeraldAdvertisement(pseudoAddress: identity.pseudoAddress)
    advertisement.omitted = .long
    #expect(try written(advertisement) == hexBytes("020106 0303F6FC 09FF FAFF A0A1A2A3A4A5"))
  }

  @Test("HP-13 An identity that lives for minutes has no pseudo device address")
  func longLived() throws {
    for lifetime: Interval in [.minutes(1), .minutes(15), Interval(milliseconds: .max)] {
      var random = ScriptedRandom([0x0030_8194, 0xA3A2_A1A0, 0xA5A4_0000])
      let identity = try #require(OwnIdentity.make(sampleKey, lifetime: lifetime, random: &random))
      #expect(identity.pseudoAddress == nil)
    }
    var random = ScriptedRandom([0x0030_8194])
    let identity = try #require(
      OwnIdentity.make(sampleKey, lifetime: .milliseconds(59_999), random: &random))
    #expect(identity.pseudoAddress != nil)
  }

  @Test("HP-14 Address and pseudo device address change together, both every time")
  func rotation() throws {
    var random = SeededSource(seed: 14)
    var addresses: Set<DeviceAddress> = []
    var pseudoAddresses: Set<PseudoDeviceAddress> = []
    for _ in 0..<500 {
      let identity = try #require(OwnIdentity.make(sampleKey, lifetime: .seconds(5), random: &random))
      addresses.insert(identity.address)
      pseudoAddresses.insert(try #require(identity.pseudoAddress))
    }
    // 22 random bits in an address: among 500, a repetition has a chance of 3 %; this seed has none.
    #expect(addresses.count == 500)
    #expect(pseudoAddresses.count == 500)
  }
}

/// Random words from a seed.
struct SeededSource: RandomSource {
  private var generator: SplitMix64
  init(seed: UInt64) { generator = SplitMix64(seed: seed) }
  mutating func next() -> UInt32 { UInt32(truncatingIfNeeded: generator.next() >> 32) }
}
