import HeraldEmbedded
import Testing

@testable import HeraldHCI

/// The bytes of a command packet.
func packet<Command: HCICommand>(_ command: Command) -> String {
  var packet = CommandPacket()
  command.packet(into: &packet)
  return hex((0..<packet.count).map { packet.span[$0] })
}

/// Literal bytes written from the parameter tables of Vol 4, Part E.
@Suite("Commands")
struct CommandTests {
  @Test("Advertising")
  func advertising() {
    #expect(
      packet(
        LESetAdvertisingParameters(
          interval: Slots(.milliseconds(250)), type: .connectable, ownAddress: .random))
        == "0106200f 9001 9001 00 01 00 000000000000 07 00".filter { $0 != " " })
    #expect(packet(LESetAdvertisingEnable(true)) == "010a200101")
    #expect(packet(LESetRandomAddress(random("c6:05:04:03:02:01"))) == "010520060102030405c6")
  }

  @Test("Extended advertising with legacy packets")
  func extendedAdvertising() {
    #expect(
      packet(
        LESetExtendedAdvertisingParameters(
          interval: Slots(.milliseconds(250)), type: .scannable, ownAddress: .public))
        == "01362019 00 1200 900100 900100 07 00 00 000000000000 00 7f 01 00 01 00 00".filter { $0 != " " })
    #expect(packet(LESetExtendedAdvertisingEnable(true)) == "01392006 01 01 00 0000 00".filter { $0 != " " })
    #expect(
      packet(LESetAdvertisingSetRandomAddress(random("c6:05:04:03:02:01"))) == "0135200700" + "0102030405c6")
  }

  @Test("Scanning")
  func scanning() {
    let scan = LESetScanParameters(
      active: true, interval: Slots(.milliseconds(100)), window: Slots(.milliseconds(50)), ownAddress: .random
    )
    #expect(packet(scan) == "010b2007 01 a000 5000 01 00".filter { $0 != " " })
    #expect(packet(LESetScanEnable(true)) == "010c20020100")
    #expect(
      packet(LESetExtendedScanParameters(scan)) == "01412008 01 00 01 01 a000 5000".filter { $0 != " " })
    #expect(packet(LESetExtendedScanEnable(false)) == "01422006 00 00 0000 0000".filter { $0 != " " })
  }

  @Test("Connections")
  func connections() {
    let timing = ConnectionTiming(intervalMin: 24, intervalMax: 40, latency: 1, timeout: 400)
    let create = LECreateConnection(peer: random("c6:05:04:03:02:01"), ownAddress: .public, timing: timing)
    #expect(
      packet(create)
        == "010d2019 6000 3000 00 01 0102030405c6 00 1800 2800 0100 9001 0000 0000".filter { $0 != " " })
    #expect(
      packet(LEExtendedCreateConnection(create))
        == "0143201a 00 00 01 0102030405c6 01 6000 3000 1800 2800 0100 9001 0000 0000".filter { $0 != " " })
    let handle = ConnectionHandle(rawValue: 0x0E01)
    #expect(
      packet(LEConnectionUpdate(handle, timing: timing)) == "0113200e010e" + "18002800010090010000" + "0000")
    #expect(packet(Disconnect(handle)) == "01060403010e13")
    #expect(packet(ReadRSSI(handle)) == "01051402010e")
    #expect(packet(LESetDataLength(handle)) == "01222006010efb004808")
    #expect(packet(LELongTermKeyRequestNegativeReply(handle)) == "011b2002010e")
  }

  @Test("The longest packet is never exceeded")
  func tooLong() {
    struct Endless: HCICommand {
      static var opcode: Opcode { Opcode(0xFFFF) }
      func write(into packet: inout CommandPacket) {
        for _ in 0..<20 { packet.u32(0x0403_0201) }
        packet.zeros(100)
      }
    }
    #expect(packet(Endless()) == "01ffff2c" + String(repeating: "01020304", count: 11))
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
