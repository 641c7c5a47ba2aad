import HeraldBluetooth
import HeraldEmbedded
import TestInputs
import Testing

/// The bytes of an advertisement, in a buffer of `room` bytes.
func written(_ advertisement: HeraldAdvertisement, room: Int = 31) throws -> [UInt8] {
  var buffer = [UInt8](repeating: 0xEE, count: room)
  var count = 0
  do {
    var span = buffer.mutableSpan
    count = try advertisement.write(to: &span)
  }
  return Array(buffer[0..<count])
}

private let address = PseudoDeviceAddress(high: 0xA5A4, low: 0xA3A2_A1A0)
private let long = "11 07 9BFD5BD672451E80D3424647AF328142"

@Suite("Herald advertisement")
struct HeraldAdvertisementTests {
  @Test("HP-33 Both services by default, 25 bytes")
  func bothServices() throws {
    #expect(
      try written(HeraldAdvertisement())
        == hexBytes("02 01 06 03 03 F6 FC 11 07 9B FD 5B D6 72 45 1E 80 D3 42 46 47 AF 32 81 42"))
    #expect(HeraldAdvertisement().length == 25)
  }

  @Test("Each service can be left out")
  func oneService() throws {
    #expect(try written(HeraldAdvertisement(omitted: .short)) == hexBytes("020106" + long))
    #expect(try written(HeraldAdvertisement(omitted: .long)) == hexBytes("020106 0303F6FC"))
    #expect(try written(HeraldAdvertisement(omitted: .long.union(.short))) == hexBytes("020106"))
  }

  @Test("A TxPower fits beside both services")
  func txPower() throws {
    #expect(
      try written(HeraldAdvertisement(txPower: -12)) == hexBytes("020106 0303F6FC" + long + "020AF4"))
    #expect(try written(HeraldAdvertisement(txPower: 4)).count == 28)
  }

  @Test("HP-11 A pseudo device address fits beside one service, filling all 31 bytes with the long one")
  func pseudoAddress() throws {
    #expect(
      try written(HeraldAdvertisement(omitted: .short, pseudoAddress: address))
        == hexBytes("020106" + long + "09FF FAFF A0A1A2A3A4A5"))
    #expect(
      try written(HeraldAdvertisement(omitted: .long, txPower: 8, pseudoAddress: address))
        == hexBytes("020106 0303F6FC 020A08 09FF FAFF A0A1A2A3A4A5"))
  }

  @Test("HP-37 A provider's own service takes the place of the long one")
  func customService() throws {
    let own = UUID128(0x0001_0203_0405_0607, 0x0809_0A0B_0C0D_0E0F)
    #expect(
      try written(HeraldAdvertisement(omitted: .long, customService: own))
        == hexBytes("020106 0303F6FC 1107 0F0E0D0C0B0A09080706050403020100"))
    #expect(throws: HeraldAdvertisementError.tooLong) {
      try written(HeraldAdvertisement(customService: own))
    }
  }

  @Test("What does not fit is refused, not cut")
  func tooLong() {
    #expect(throws: HeraldAdvertisementError.tooLong) {
      try written(HeraldAdvertisement(pseudoAddress: address))
    }
    #expect(throws: HeraldAdvertisementError.tooLong) {
      try written(HeraldAdvertisement(pseudoAddress: address), room: 100)
    }
    #expect(throws: HeraldAdvertisementError.tooLong) { try written(HeraldAdvertisement(), room: 24) }
    #expect(throws: HeraldAdvertisementError.tooLong) { try written(HeraldAdvertisement(), room: 0) }
  }

  @Test("Every combination has the length it says and is recognised as what it is")
  func combinations() throws {
    let report = AdvertisingReport(address: .zero, rssi: RSSI(-50), kind: .legacy)
    for omitted in [HeraldServiceSet.none, .long, .short, .long.union(.short)] {
      for txPower in [nil, Int8(-20)] {
        for pseudoAddress in [nil, address] {
          let advertisement = HeraldAdvertisement(
            omitted: omitted, txPower: txPower, pseudoAddress: pseudoAddress)
          guard advertisement.length <= 31 else { continue }
          let bytes = try written(advertisement)
          #expect(bytes.count == advertisement.length)
          let found = Introspection().classify(report, bytes.span)
          #expect(found.services.rawValue == 3 & ~omitted.rawValue)
          #expect(found.txPower == txPower)
          #expect(found.pseudoAddress == pseudoAddress)
        }
      }
    }
  }
}
