import HeraldBluetooth
import Testing

@testable import HeraldHCI

/// The bytes of a command packet with these fields.
func packet(
  _ purpose: CommandPurpose, isExtended: Bool = false, _ fill: (inout CommandFields) -> Void = { _ in }
) -> String {
  var packet = CommandPacket()
  var fields = CommandFields()
  fill(&fields)
  packet.fill(purpose.form(isExtended: isExtended), &fields)
  return hex((0..<packet.count).map { packet.span[$0] })
}

/// Literal bytes written from the parameter tables of Vol 4, Part E.
@Suite("Commands")
struct CommandTests {
  private typealias Word = CommandFields.Word

  @Test("Advertising")
  func advertising() {
    let parameters = packet(.advertisingParameters) {
      $0[Word.interval] = Slots(.milliseconds(250)).rawValue
      $0[Word.type] = UInt16(AdvertisingType.connectable.rawValue)
      $0[Word.ownKind] = 1
    }
    #expect(parameters == "0106200f 9001 9001 00 01 00 000000000000 07 00".filter { $0 != " " })
    #expect(packet(.advertisingOn) == "010a200101")
    #expect(packet(.advertisingOff) == "010a200100")
    let address = packet(.randomAddress) { $0.set(random("c6:05:04:03:02:01")) }
    #expect(address == "010520060102030405c6")
  }

  @Test("Extended advertising with legacy packets")
  func extendedAdvertising() {
    let parameters = packet(.advertisingParameters, isExtended: true) {
      $0[Word.interval] = Slots(.milliseconds(250)).rawValue
      $0[Word.properties] = AdvertisingType.scannable.eventProperties
    }
    #expect(
      parameters
        == "01362019 00 1200 900100 900100 07 00 00 000000000000 00 7f 01 00 01 00 00".filter { $0 != " " })
    #expect(
      packet(.advertisingOn, isExtended: true) == "01392006 01 01 00 0000 00".filter { $0 != " " })
    #expect(
      packet(.advertisingOff, isExtended: true) == "01392006 00 01 00 0000 00".filter { $0 != " " })
    let address = packet(.advertisingAddress, isExtended: true) { $0.set(random("c6:05:04:03:02:01")) }
    #expect(address == "0135200700" + "0102030405c6")
  }

  @Test("Advertising data, in 31 bytes or as long as they are")
  func data() {
    for (isExtended, expected) in [
      (false, "01082020 03 020106" + String(repeating: "00", count: 28)),
      (true, "01372007 00 03 01 03 020106"),
    ] {
      var packet = CommandPacket()
      var fields = CommandFields()
      fields[Word.detail] = 3
      packet.fill(CommandPurpose.advertisingData.form(isExtended: isExtended), &fields)
      packet.append([2, 1, 6].span, isExtended: isExtended)
      #expect(hex((0..<packet.count).map { packet.span[$0] }) == expected.filter { $0 != " " })
    }
  }

  @Test("Scanning")
  func scanning() {
    func scan(_ fields: inout CommandFields) {
      fields[Word.type] = 1
      fields[Word.interval] = Slots(.milliseconds(100)).rawValue
      fields[Word.window] = Slots(.milliseconds(50)).rawValue
      fields[Word.ownKind] = 1
    }
    #expect(packet(.scanParameters, scan) == "010b2007 01 a000 5000 01 00".filter { $0 != " " })
    #expect(packet(.scanOn) == "010c20020100")
    #expect(packet(.scanOff) == "010c20020000")
    #expect(
      packet(.scanParameters, isExtended: true, scan)
        == "01412008 01 00 01 01 a000 5000".filter { $0 != " " })
    #expect(packet(.scanOff, isExtended: true) == "01422006 00 00 0000 0000".filter { $0 != " " })
    #expect(packet(.scanOn, isExtended: true) == "01422006 01 00 0000 0000".filter { $0 != " " })
  }

  @Test("Connections")
  func connections() {
    func create(_ fields: inout CommandFields) {
      fields.set(random("c6:05:04:03:02:01"))
      fields.set(ConnectionTiming(intervalMin: 24, intervalMax: 40, latency: 1, timeout: 400))
    }
    #expect(
      packet(.createConnection, create)
        == "010d2019 6000 3000 00 01 0102030405c6 00 1800 2800 0100 9001 0000 0000".filter { $0 != " " })
    #expect(
      packet(.createConnection, isExtended: true, create)
        == "0143201a 00 00 01 0102030405c6 01 6000 3000 1800 2800 0100 9001 0000 0000".filter { $0 != " " })
    #expect(packet(.cancelConnection) == "010e2000")
    func link(_ fields: inout CommandFields) {
      fields[Word.handle] = 0x0E01
      fields[Word.detail] = UInt16(HCIErrorCode.remoteUserTerminated.rawValue)
      fields.set(ConnectionTiming(intervalMin: 24, intervalMax: 40, latency: 1, timeout: 400))
    }
    #expect(packet(.updateConnection, link) == "0113200e010e" + "18002800010090010000" + "0000")
    #expect(packet(.disconnect, link) == "01060403010e13")
    #expect(packet(.readRSSI, link) == "01051402010e")
    #expect(packet(.dataLength, link) == "01222006010efb004808")
    #expect(packet(.refuseKey, link) == "011b2002010e")
  }

  @Test("The longest packet is never exceeded")
  func tooLong() {
    var packet = CommandPacket()
    for byte: UInt8 in [0x01, 0xFF, 0xFF, 0x2C] { packet.u8(byte) }
    for _ in 0..<20 { packet.u32(0x0403_0201) }
    packet.zeros(100)
    #expect(
      hex((0..<packet.count).map { packet.span[$0] }) == "01ffff2c" + String(repeating: "01020304", count: 11)
    )
  }

  @Test("Slots round down and saturate")
  func slots() {
    #expect(Slots(.milliseconds(10_240)).rawValue == 16_384)
    #expect(Slots(.milliseconds(3)).rawValue == 4)
    #expect(Slots(.milliseconds(40_958)).rawValue == 65_532)
    #expect(Slots(.seconds(1_000_000)).rawValue == 65_535)
  }

  @Test(
    "Connection timing is valid only within its ranges",
    arguments: [
      (6, 6, 0, 10, true), (5, 6, 0, 10, false), (7, 6, 0, 10, false), (6, 3201, 0, 3200, false),
      (3200, 3200, 0, 800, false), (3200, 3200, 0, 801, true), (24, 40, 499, 3200, false),
      (6, 6, 500, 3200, false),
      (6, 6, 499, 750, false), (6, 6, 499, 751, true), (6, 6, 0, 9, false), (6, 6, 0, 3201, false),
    ])
  func timing(_ low: UInt16, _ high: UInt16, _ latency: UInt16, _ timeout: UInt16, _ isValid: Bool) {
    #expect(
      ConnectionTiming(intervalMin: low, intervalMax: high, latency: latency, timeout: timeout).isValid
        == isValid)
  }
}
