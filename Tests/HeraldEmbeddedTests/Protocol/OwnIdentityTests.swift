import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import TestInputs
import Testing

/// The sample key of the Core Specification, Vol 3, Part H, appendix D.7.
private let sampleKey = IdentityResolvingKey(inline16(hexBytes("ec0234a357c8ad05341010a60a397d9b")))

@Suite("Own identity")
struct OwnIdentityTests {
  @Test("A source that gives nothing but zeros makes no identity")
  func uselessRandom() {
    var stuck = ScriptedRandom([])
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
