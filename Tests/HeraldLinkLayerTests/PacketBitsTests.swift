import HeraldLinkLayer
import TestInputs
import Testing

/// The CRC of a PDU as the three bytes that follow it.
func checkBytes(_ pdu: [UInt8], start: UInt32 = PacketCRC.advertisingInit) -> [UInt8] {
  let check = PacketCRC.check(pdu.span, start: start)
  return [UInt8(check & 0xFF), UInt8(check >> 8 & 0xFF), UInt8(check >> 16)]
}

/// Packets in this suite were transmitted by Apache NimBLE's controller, unless stated otherwise.
@Suite("CRC, channels and access addresses")
struct PacketBitsTests {
  @Test(
    "The CRC of packets on advertising channels",
    arguments: [
      ("0006bc9a78563412", "097dbb"),
      ("0522efcdab896745bc9a78563412fb91b0c54d6ea4020000180000001900ffffffff1f8b", "26a27e"),
    ])
  func advertisingCheck(pdu: String, check: String) {
    #expect(checkBytes(hexBytes(pdu)) == hexBytes(check))
  }

  @Test(
    "The CRC of packets of a connection",
    arguments: [
      ("0309080500000000000000", "ed97a6"), ("0500", "aa6845"), ("0d00", "0c6545"),
      ("0b09090500000000000000", "990f10"), ("0100", "796e45"), ("020a00000000000000000000", "0289c7"),
    ])
  func dataCheck(pdu: String, check: String) {
    // CRCInit is in the CONNECT_IND above, as 4d 6e a4.
    #expect(checkBytes(hexBytes(pdu), start: 0xA46E4D) == hexBytes(check))
  }

  @Test("With all channels used, the channel advances by the hop increment")
  func hops() {
    // hopIncrement 11; channels 11, 22 and 33 are those of the recorded connection.
    var selection = ChannelSelection(hop: 11)
    var channels: [UInt8] = []
    for _ in 0..<8 {
      selection.advance(by: 1)
      channels.append(selection.channel(in: .all))
    }
    #expect(channels == [11, 22, 33, 7, 18, 29, 3, 14])
  }

  @Test("An unused channel is remapped to a used one")
  func remapping() {
    // Channels 9, 10, 21, 22, 23, 33, 34, 35 and 36 are used. hopIncrement 7: unmapped 7, 14, 21, 28, 35, 5.
    // 7 mod 9 = 7: the eighth used. 14 mod 9 = 5: the sixth. 21 is used. 28 mod 9 = 1. 35 is used. 5: the
    // sixth.
    let map = ChannelMap(low: 0x00E0_0600, high: 0x1E)
    var selection = ChannelSelection(hop: 7)
    var channels: [UInt8] = []
    for _ in 0..<6 {
      selection.advance(by: 1)
      channels.append(selection.channel(in: map))
    }
    #expect(map.count == 9 && map.isValid)
    #expect(channels == [35, 33, 21, 10, 35, 33])
  }

  @Test("Advancing by many events equals advancing repeatedly by one")
  func manyEvents() {
    for hop in UInt8(5)...16 {
      for count in [0, 1, 36, 37, 38, 500, 0x7FFF, 0xFFFF] as [UInt16] {
        var one = ChannelSelection(hop: hop)
        var all = ChannelSelection(hop: hop)
        for _ in 0..<count { one.advance(by: 1) }
        all.advance(by: count)
        #expect(one == all)
      }
    }
  }

  @Test("An empty map results in channel 0, and channels above 36 are never used")
  func emptyMap() {
    let empty = ChannelMap(low: 0, high: 0xE0)
    #expect(empty.count == 0 && !empty.isValid)
    #expect(!ChannelMap(low: 1, high: 0).isValid)
    #expect(ChannelSelection(hop: 5).channel(in: empty) == 0)
    #expect(!ChannelMap.all.contains(37) && !ChannelMap.all.contains(255) && ChannelMap.all.contains(36))
    #expect(ChannelMap.all.count == 37)
  }

  @Test(
    "Access addresses a central may choose", arguments: [0xC5B0_91FB, 0x14B7_03C4, 0x5065_5DA3] as [UInt32])
  func validAddress(bits: UInt32) {
    #expect(AccessAddress(rawValue: bits).isValid)
  }

  @Test(
    "Access addresses a central may not choose",
    arguments: [
      // That of the advertising channels, and one that differs in one bit.
      0x8E89_BED6, 0x8E89_BED7, 0x0E89_BED6,
      // Seven zeros, seven ones, at both ends and in the middle.
      0x5065_5D80, 0x5065_5DFF, 0x506F_E5A3, 0x5060_15A3,
      // Four equal bytes.
      0x5959_5959, 0x3636_3636,
      // 25 transitions or more.
      0xAAAA_AAAA, 0x5555_5555, 0xA555_5533,
      // Fewer than two transitions in the six most significant bits: 111100, 000111.
      0xF365_5DA3, 0x1E65_5DA3,
    ] as [UInt32])
  func invalidAddress(bits: UInt32) {
    #expect(!AccessAddress(rawValue: bits).isValid)
  }

  @Test("24 transitions and six equal bits are allowed")
  func limitsOfAddresses() {
    #expect(AccessAddress(rawValue: 0xA555_5333).isValid)
    #expect(AccessAddress(rawValue: 0x5065_5DC0).isValid)
  }

  @Test("The rules for access addresses equal a bitwise implementation of the text")
  func addressRules() {
    var random = SplitMix64(seed: 18)
    var valid = 0
    for _ in 0..<20_000 {
      let bits = UInt32.random(in: 0...UInt32.max, using: &random)
      let text = (0..<32).map { bits >> (31 - $0) & 1 == 1 ? "1" : "0" }.joined()
      let changes = zip(text, text.dropFirst()).map { $0 != $1 }
      let bytes = Set((0..<4).map { bits >> ($0 * 8) & 0xFF })
      let isValid =
        !text.contains("0000000") && !text.contains("1111111") && changes.filter { $0 }.count <= 24
        && changes.prefix(5).filter { $0 }.count >= 2 && bytes.count > 1
        && (bits ^ 0x8E89_BED6).nonzeroBitCount > 1
      #expect(AccessAddress(rawValue: bits).isValid == isValid, "\(text)")
      valid += isValid ? 1 : 0
    }
    #expect(valid > 10_000)
  }
}
