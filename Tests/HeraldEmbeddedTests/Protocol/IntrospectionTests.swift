import HeraldBluetooth
import HeraldEmbedded
import TestInputs
import Testing

private let sender = DeviceAddress(high: 0x7081, low: 0x940D_FBAA, kind: .random)
private let report = AdvertisingReport(address: sender, rssi: RSSI(-60), kind: .legacy)

private func introspected(_ data: [UInt8], by introspection: Introspection = Introspection()) -> Introspected
{
  introspection.classify(report, data.span)
}

private func introspected(_ hex: String, by introspection: Introspection = Introspection()) -> Introspected {
  introspected(hexBytes(hex), by: introspection)
}

private let long = "1107 9BFD5BD672451E80D3424647AF328142"
private let pseudoAddress = PseudoDeviceAddress(high: 0xA5A4, low: 0xA3A2_A1A0)

@Suite("Introspection")
struct IntrospectionTests {
  @Test("HP-33 The service of the document is recognised, alone or in a list, complete or not")
  func longService() {
    #expect(introspected("020106" + long).services == .long)
    #expect(introspected("1106 9BFD5BD672451E80D3424647AF328142").services == .long)
    let other = "000102030405060708090A0B0C0D0E0F"
    #expect(introspected("2107" + other + "9BFD5BD672451E80D3424647AF328142").services == .long)
    #expect(introspected("1107" + other).services == .none)
    #expect(introspected("1007 9BFD5BD672451E80D3424647AF3281").services == .none)
  }

  @Test("The 16-bit service of newer phones is recognised, alone or in a list, complete or not")
  func shortService() {
    #expect(introspected("020106 0303F6FC").services == .short)
    #expect(introspected("0502 0118F6FC").services == .short)
    #expect(introspected("0403 0118F6").services == .none)
    #expect(introspected("0303FCF6").services == .none)
    #expect(introspected("0202F6").services == .none)
  }

  @Test("Our own advertisement is Herald through both services, and might be an Android phone's")
  func ownAdvertisement() {
    let found = introspected("020106 0303F6FC" + long)
    #expect(found.services == .long.union(.short))
    #expect(found.isHerald)
    #expect(found.peer == .maybeAndroid)
    #expect(found.identity == TargetIdentity(sender))
    #expect(found.pseudoAddress == nil)
    #expect(found.txPower == nil)
  }

  @Test("HP-37 A provider's own service is recognised when it is configured")
  func customService() {
    let own = UUID128(0x0001_0203_0405_0607, 0x0809_0A0B_0C0D_0E0F)
    let advertised = "1107 0F0E0D0C0B0A09080706050403020100"
    #expect(introspected(advertised).services == .none)
    #expect(introspected(advertised, by: Introspection(customService: own)).services == .custom)
  }

  @Test("Each standard service can be switched off")
  func switchedOff() {
    let both = "0303F6FC" + long
    #expect(introspected(both, by: Introspection(ignored: .long)).services == .short)
    #expect(introspected(both, by: Introspection(ignored: .short)).services == .long)
    #expect(!introspected(both, by: Introspection(ignored: .long.union(.short))).isHerald)
  }

  @Test("HP-15 A pseudo device address is the identity, the rotating address is not")
  func identity() {
    let found = introspected("020106" + long + "09FF FAFF A0A1A2A3A4A5")
    #expect(found.pseudoAddress == pseudoAddress)
    #expect(found.identity == TargetIdentity(kind: .pseudoAddress, high: 0xA5A4, low: 0xA3A2_A1A0))
    #expect(found.peer == .android)
    let elsewhere = AdvertisingReport(address: .zero, rssi: RSSI(-60), kind: .legacy)
    let again = Introspection().classify(
      elsewhere, hexBytes("020106 0303F6FC 09FF FAFF A0A1A2A3A4A5").span)
    #expect(again.identity == found.identity)
    #expect(introspected("020106" + long).identity == TargetIdentity(sender))
  }

  @Test(
    "HP-11 The pseudo device address is found under 0xFFFA, in the wrong order too, and under 0x05F1 of Herald devices"
  )
  func companies() {
    #expect(introspected("09FF FAFF A0A1A2A3A4A5").pseudoAddress == pseudoAddress)
    #expect(introspected("09FF FFFA A0A1A2A3A4A5").pseudoAddress == pseudoAddress)
    #expect(introspected("0303F6FC 09FF F105 A0A1A2A3A4A5").pseudoAddress == pseudoAddress)
    #expect(introspected("09FF F105 A0A1A2A3A4A5 0303F6FC").pseudoAddress == pseudoAddress)
    #expect(introspected("09FF F105 A0A1A2A3A4A5").pseudoAddress == nil, "other products have 0x05F1 too")
    #expect(introspected("0303F6FC 09FF 05F1 A0A1A2A3A4A5").pseudoAddress == nil)
    #expect(introspected("0303F6FC 09FF FF03 A0A1A2A3A4A5").pseudoAddress == nil)
    // The vector of the C++ library: company FF FA, as it sends it.
    #expect(
      introspected("09ff fffa 1007331f2c30").pseudoAddress
        == PseudoDeviceAddress(high: 0x302C, low: 0x1F33_0710))
  }

  @Test(
    "HP-15 The published pseudo device addresses are the identity, under each company code",
    arguments: publishedPseudoAddresses)
  func pseudoAddresses(value: Int64, hex: String) {
    for company in ["FAFF", "F105", "FFFA"] {
      let found = introspected("02011A 0303F6FC 09FF" + company + hex)
      #expect(found.identity == TargetIdentity(PseudoDeviceAddress(value: value)))
      #expect(found.identity.kind == .pseudoAddress && found.peer == .android)
    }
  }

  @Test(
    "HP-16 The advertisements of every known sender are taken for what they are",
    arguments: [
      // Android up to 2.0, 31 bytes, and from 2.2 on
      ("02011A" + long + "09FF FAFF A0A1A2A3A4A5", HeraldServiceSet.long, true, PeerGuess.android),
      ("02011A 0303F6FC 09FF F105 A0A1A2A3A4A5", .short, true, .android),
      // iOS in the foreground: before 2.1, from 2.1 on, and with Apple's data beside it
      ("02011A 020A0C" + long, .long, false, .maybeAndroid),
      ("02011A 020A0C 0303F6FC", .short, false, .maybeAndroid),
      ("02011A 020A0C 0303F6FC 0AFF 4C00 1005 031C0B4CAC", .short, false, .ios),
      // C++ on Zephyr; herald-for-c, whose manufacturer data are a company alone, in the wrong order
      ("020106 0503 01180018" + long, .long, false, .maybeAndroid),
      ("020106 03FF FFFA" + long, .long, false, .maybeAndroid),
      // A wearable, with TxPower or without; exposure notification; a headset
      ("020106 0303F6FC" + long, .long.union(.short), false, .maybeAndroid),
      ("020106 0303F6FC" + long + "020A00", .long.union(.short), false, .maybeAndroid),
      ("0303 6FFD 1716 6FFD 000102030405060708090A0B0C0D0E0F 10111213", .none, false, .ignored),
      ("020106 0303 0D18 09FF F105 A0A1A2A3A4A5", .none, false, .ignored),
    ])
  func senders(advertisement: String, services: HeraldServiceSet, isPseudo: Bool, peer: PeerGuess) {
    let found = introspected(advertisement)
    #expect(found.services == services && found.peer == peer)
    #expect(found.pseudoAddress == (isPseudo ? pseudoAddress : nil))
    #expect(found.identity == (isPseudo ? TargetIdentity(pseudoAddress) : TargetIdentity(sender)))
  }

  @Test("A pseudo device address has exactly six bytes")
  func companyDataLength() {
    #expect(introspected("0303F6FC 03FF FFFA").pseudoAddress == nil)
    #expect(introspected("0303F6FC 08FF FAFF A0A1A2A3A4").pseudoAddress == nil)
    #expect(introspected("0303F6FC 0AFF FAFF A0A1A2A3A4A5A6").pseudoAddress == nil)
    #expect(introspected("0303F6FC 0AFF F105 A0A1A2A3A4A5A6").pseudoAddress == nil)
    #expect(introspected("0303F6FC 02FF FA").pseudoAddress == nil)
    #expect(introspected("0303F6FC 01FF").pseudoAddress == nil)
  }

  @Test("Of several pseudo device addresses the one phones take counts")
  func severalCompanies() {
    let both = "0303F6FC 09FF FAFF 010203040506 09FF F105 A0A1A2A3A4A5"
    #expect(introspected(both).pseudoAddress == pseudoAddress)
    let twice = "0303F6FC 09FF FAFF A0A1A2A3A4A5 09FF FAFF 010203040506"
    #expect(introspected(twice).pseudoAddress == pseudoAddress)
    // Data of other length under 0x05F1 do not hide it.
    #expect(introspected("0303F6FC 05FF F1050102 09FF FAFF A0A1A2A3A4A5").pseudoAddress == pseudoAddress)
  }

  @Test("HP-16 What a scan result is taken for")
  func classification() {
    let phone = "0AFF 4C001006071EA3DD89"
    let television = "0AFF 4C00100508141BBA69"
    #expect(introspected("0303F6FC 09FF FAFF A0A1A2A3A4A5").peer == .android)
    #expect(introspected("0303F6FC" + phone).peer == .ios)
    #expect(introspected(long + television).peer == .ios, "who says Herald is heard, whatever else it says")
    #expect(introspected(long).peer == .maybeAndroid)
    #expect(introspected(television).peer == .ignored)
    #expect(introspected(phone).peer == .maybeIOS)
    #expect(introspected("020106").peer == .ignored)
    #expect(introspected("").peer == .ignored)
  }

  @Test("HP-27 TxPower is the first byte of the first structure that has one")
  func txPower() {
    #expect(introspected("020A0C").txPower == 12)
    #expect(introspected("020AF4").txPower == -12)
    #expect(introspected("010A 030A7F01 020A05").txPower == 127)
    #expect(introspected("010A").txPower == nil)
    #expect(introspected("020A").txPower == nil)
  }

  @Test(
    "HP-16 A structure that runs past the end, and a length of zero, end the data; what came before counts")
  func truncation() {
    #expect(introspected("0303F6FC 1107 9BFD").services == .short)
    #expect(introspected("0303F6FC FF").services == .short)
    #expect(introspected("0303F6FC 00" + long).services == .short)
    #expect(introspected("00").services == .none)
    #expect(introspected([UInt8](repeating: 0, count: 255)).peer == .ignored)
    #expect(introspected([UInt8](repeating: 0xFF, count: 255)).peer == .ignored)
    #expect(introspected([UInt8](repeating: 1, count: 255)).peer == .ignored)
  }
}

@Suite("Apple manufacturer data")
struct AppleMessagesTests {
  @Test(
    "HP-16 Published advertisements of phones that may hide Herald",
    arguments: [
      // iPhone with Herald in the background: nearby information and an overflow area
      (
        "02011A020A0C0BFF4C001006071EA3DD89E014FF4C000100000000000000000000200000000000",
        AppleVerdict.overflowArea
      ),
      ("02011A14FF4C000100000000000000000000200000000000", .overflowArea),
      ("0201060AFF4C001005421C1E616A", .unfiltered),
      ("1eff4c001219006d17255505df2aec6ef580be0ddeba8bb034c996de5b0200", .unfiltered),
      ("0bff4c001006061a396363ce", .unfiltered),
      ("02011a0aff4c001005031c0b4cac", .unfiltered),
      ("02011a0aff4c001005031c0b4cac02011a0aff4c00100503", .unfiltered),
      (
        "02011a020a0c0aff4c001005031c8ba89d14ff4c000100200000000000000000000000000000"
          + "000000000000000000000000000000000000000000000000", .overflowArea
      ),
      ("02011a020a080cff4c001007331f2c302f9258", .unfiltered),
    ])
  func phones(hex: String, verdict: AppleVerdict) {
    let found = introspected(hex)
    #expect(found.apple == verdict)
    #expect(found.peer == .maybeIOS)
    #expect(found.services == .none)
  }

  @Test(
    "HP-16 Published advertisements of Apple devices that are no phones",
    arguments: [
      "1bff4c000c0e00c857ac085510515d52cf3862211006551eee51497a",
      "02011a020a0c0aff4c00100508141bba69",
      "02011a0dff4c0010050814123456100101",
      "07ff4c0010020b00",
      "09ff4c0010060c044fde",
      "0bff4c0010060C044FDE4DF7",
      "0bff4c0010060C144FDE4DF7",
      "14ff4c000100000000000000000000000000000000",
    ])
  func others(hex: String) {
    let found = introspected(hex)
    #expect(found.apple == .filtered)
    #expect(found.peer == .ignored)
  }

  @Test("HP-16 Each of Apple's messages begins behind the data of the one before it")
  func messages() {
    // Type 12 with the data AA 07, and nearby information of an iPhone; or a type that no phone shows.
    #expect(introspected("0eff4c00 1202aa07 1005031c000000").apple == .unfiltered)
    #expect(introspected("0aff4c00 1202aa10 070100").apple == .filtered)
  }

  @Test("HP-16 iPhone with Herald in the foreground: the service, and no Apple data")
  func foreground() {
    let found = introspected("02011a020a0c11079bfd5bd672451e80d3424647af328142")
    #expect(found.services == .long)
    #expect(found.txPower == 12)
    #expect(found.apple == .none)
    #expect(found.peer == .maybeAndroid)
  }

  @Test("HP-16 Apple data whose structure is cut off count as none")
  func truncated() {
    #expect(introspected("02011a0aff4c001005031c0b4c").apple == .none)
    #expect(introspected("02011a0aff4c001005031c0b4c").peer == .ignored)
    #expect(introspected("02FF4C").apple == .none)
  }

  @Test("HP-16 Each message type of the filter, and those beside it")
  func types() {
    for type in UInt8.min...UInt8.max where type != 0x01 && type != 0x10 {
      let data: [UInt8] = [0x07, 0xFF, 0x4C, 0x00, type, 0x02, 0x55, 0x66]
      let isFiltered = [0x00, 0x03, 5, 6, 7, 8, 9, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F].contains(type)
      #expect(introspected(data).apple == (isFiltered ? .filtered : .unfiltered), "type \(type)")
    }
  }

  @Test("HP-16 Nearby information is filtered by its length 2, or by second byte 04 or 14")
  func nearby() {
    for second in UInt8.min...UInt8.max {
      let data: [UInt8] = [0x09, 0xFF, 0x4C, 0x00, 0x10, 0x04, 0x55, second, 0x66, 0x77]
      #expect(introspected(data).apple == (second == 0x04 || second == 0x14 ? .filtered : .unfiltered))
    }
    #expect(introspected("06ff4c00100155").apple == .unfiltered)
    #expect(introspected("07ff4c0010 02 5566").apple == .filtered)
    // Length 2 claimed, one byte there: still "1002".
    #expect(introspected("06ff4c0010 02 55").apple == .filtered)
  }

  @Test(
    "HP-16 The vectors of the pattern: 10….04 and 10….14 match, others do not, and only at the start of a message"
  )
  func patterns() {
    #expect(introspected("0bff4c0010060C054FDE4DF7").apple == .unfiltered)
    #expect(introspected("0bff4c0010060C154FDE4DF7").apple == .unfiltered)
    #expect(introspected("0cff4c00010060C054FDE4DF7A").apple == .overflowArea)
  }

  @Test(
    "HP-16 The overflow area takes all that is left; of sixteen zero bytes it says that there is no service")
  func overflowArea() {
    let zeros = "00000000000000000000000000000000"
    #expect(introspected("14ff4c0001" + zeros).apple == .filtered)
    #expect(introspected("15ff4c0001" + zeros + "01").apple == .filtered)
    #expect(introspected("14ff4c000100000000000000000000000000000001").apple == .overflowArea)
    #expect(introspected("13ff4c0001000000000000000000000000000000").apple == .overflowArea)
    #expect(introspected("04ff4c0001").apple == .overflowArea)
    // What looks like AirPods within it is not.
    #expect(introspected("14ff4c0001 07000000000000000000000000000000").apple == .overflowArea)
    // A message before it that says "no phone" decides.
    #expect(introspected("18ff4c00 0502AAAA 01 00000000000000000000200000000000").apple == .filtered)
  }

  @Test("Apple's identifier alone, or a lone type byte at the end, says nothing against a phone")
  func short() {
    #expect(introspected("03ff4c00").apple == .unfiltered)
    #expect(introspected("04ff4c0007").apple == .unfiltered)
    #expect(introspected("04ff4c0010").apple == .unfiltered)
    #expect(introspected("05ff4c000700").apple == .filtered)
  }

  @Test("Of two structures the one that says 'no phone' decides, in either order")
  func twoStructures() {
    #expect(introspected("06ff4c00100155 07ff4c0007025566").apple == .filtered)
    #expect(introspected("07ff4c0007025566 06ff4c00100155").apple == .filtered)
    #expect(introspected("04ff4c0001 06ff4c00100155").apple == .overflowArea)
  }
}
