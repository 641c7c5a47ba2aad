import HeraldDeviceLink
import HeraldHAL
import HeraldHostLink
import TestInputs
import Testing

@testable import HeraldFlash
@testable import HeraldImages

@Suite("Packets of the serial DFU of nRF5 SDK 11")
struct LegacyPacketTests {
  /// What adafruit-nrfutil 0.5.3.post16 sends for the twelve bytes of `application`, and what it is
  /// acknowledged with.
  static let application: [UInt8] = [0x00, 0x10, 0, 0x20, 0x01, 0x61, 0x02, 0x00, 0xC0, 0xDB, 0xDC, 0xDD]
  private static let start = hexBytes(
    "c0 d14e01e0 03000000 04000000 00000000 00000000 0c000000 59e0 c0")
  private static let initial = hexBytes(
    "c0 da8e0197 01000000 5200 3412 07000000 0300 a900 ae00 b600 8bdd 0000 914e c0")
  private static let data = hexBytes(
    "c0 e30e010e 04000000 00100020 01610200 dbdc dbdd dc dd ae11 c0")
  private static let stop = hexBytes("c0 ec4e00c6 05000000 acfd c0")
  private static let dat = hexBytes("5200 3412 07000000 0300 a900 ae00 b600 8bdd")

  @Test("The check of the digits, with the register set before and not")
  func checks() {
    let digits = Array("123456789".utf8)
    #expect(CRC16.initiallyOnes(digits) == 0x29B1)
    #expect(CRC16(digits.span).value == 0x31C3)
  }

  @Test("Every packet, byte for byte as another program sends it")
  func packets() throws {
    #expect(
      LegacyPacket.line(1, .start, [4, 0, 0, 0] + [UInt8](repeating: 0, count: 8) + [12, 0, 0, 0])
        == Self.start)
    #expect(LegacyPacket.line(2, .initial, Self.dat + [0, 0]) == Self.initial)
    #expect(LegacyPacket.line(3, .data, Self.application) == Self.data)
    #expect(LegacyPacket.line(4, .stop, []) == Self.stop)
    // The number behind 7 is 0; 516 bytes are 204 in the header.
    let long = LegacyPacket.line(7, .data, [UInt8](repeating: 0, count: 512))
    #expect(long.prefix(5) == [0xC0, 0xC7, 0x4E, 0x20, 0xCB])
  }

  @Test("Acknowledgements, and what is none")
  func acknowledgements() {
    #expect(LegacyPacket.acknowledged([0x10, 0, 0, 0xF0]) == 2)
    #expect(LegacyPacket.acknowledged([0x00, 0, 0, 0x00]) == 0)
    #expect(LegacyPacket.acknowledged([0x38, 0, 0, 0xC8]) == 7)
    for other in [
      [0x10, 0, 0, 0xF1], [0x11, 0, 0, 0xEF], [0x50, 0, 0, 0xB0], [0x10, 1, 0, 0xEF], [0x10, 0, 1, 0xEF],
    ]
      as [[UInt8]]
    {
      #expect(LegacyPacket.acknowledged(other) == nil)
    }
    #expect(LegacyPacket.acknowledged([]) == nil)
    #expect(LegacyPacket.acknowledged([0x10, 0, 0, 0xF0, 0]) == nil)
  }

  @Test("An init packet, as another program makes it; cut off, it is refused")
  func initPacket() throws {
    var packet = LegacyInitPacket(application: Self.application, softDevices: [0xA9, 0xAE, 0xB6])
    (packet.deviceRevision, packet.applicationVersion) = (0x1234, 7)
    #expect(packet.bytes == Self.dat)
    #expect(try LegacyInitPacket(Self.dat) == packet)
    #expect(packet.isPlain && packet.agrees(with: Self.application))
    #expect(!packet.agrees(with: [0] + Self.application))
    for count in 0..<Self.dat.count - 2 + 1 {
      #expect(throws: FirmwareError.self) { try LegacyInitPacket(Array(Self.dat.prefix(count))) }
    }
    // As many SoftDevices as a number can say, and none.
    #expect(throws: FirmwareError.self) { try LegacyInitPacket([UInt8](repeating: 0xFF, count: 64)) }
    #expect(try LegacyInitPacket([0x52, 0, 1, 0, 2, 0, 0, 0, 0, 0, 9, 9]).softDevices == [])
  }

  @Test("What goes over the line, and what comes back")
  func session() throws {
    // The number that is expected is 0; the second that asks is acknowledged, and so are start, init packet
    // and data.
    let line = ScriptedLine(
      ["c0 00000000 c0", "c0 080000f8 c0", "c0 100000f0 c0", "c0 180000e8 c0", "c0 200000e0 c0"].map(
        hexBytes))
    let link = LegacyLink(line, name: "x", timeout: .zero)
    try link.begin()
    try link.send(.start, [4, 0, 0, 0] + [UInt8](repeating: 0, count: 8) + [12, 0, 0, 0])
    try link.send(.initial, Self.dat + [0, 0])
    try link.send(.data, Self.application)
    let asks = [hexBytes("c0 c0 d14e00e1 00000000 313e c0"), hexBytes("c0 c0 c84e00ea 00000000 73b6 c0")]
    #expect(line.written == asks + [Self.start, Self.initial, Self.data])
    #expect(throws: HostLinkError.self) { try link.send(.stop, []) }
    // In vain: four times more, each with one end mark more.
    let again: [[UInt8]] = Array(repeating: [0xC0] + Self.stop, count: 4)
    #expect(Array(line.written.dropFirst(5)) == [Self.stop] + again)
  }

  @Test("Another number than that of the packet or the one behind it is somebody else's")
  func outOfStep() throws {
    let line = ScriptedLine(
      ["c0 080000f8 c0", "c0 100000f0 c0", "c0 100000f0 c0 200000e0 c0"].map(hexBytes))
    let link = LegacyLink(line, name: "x", timeout: .zero)
    try link.begin()
    let error = #expect(throws: HostLinkError.self) { try link.send(.stop, []) }
    #expect(error?.cause == .protocolViolation)
    #expect(error?.what == "x expects packet 4 and not 2: it began anew")
  }

  @Test(
    "A stale response to an earlier program does not mislead: requests are repeated until two responses agree"
  )
  func stale() throws {
    let late = ScriptedLine(
      ["c0 080000f8 c0 280000d8 c0", "c0 280000d8 c0", "c0 280000d8 c0", "c0 300000d0 c0", "c0 380000c8 c0"]
        .map(hexBytes))
    let link = LegacyLink(late, name: "x", timeout: .zero)
    try link.begin()
    try link.send(.stop, [])
    // One was said before; five is the truth, and the fifth asked. The last is the sixth.
    #expect(late.written.count == 5)
    #expect(late.written.last?.prefix(2) == [0xC0, 0xFE])
  }

  @Test("A boot loader is recognised by its response to Secure DFU's ping or to an empty packet")
  func dialects() throws {
    let request = hexBytes("c0 0901 c0 c0 d14e00e1 00000000 313e c0")
    let secure = ScriptedLine([hexBytes("41 c0 60d102 c0 60090101 c0")])
    #expect(try SerialDFUDialect.spoken(on: secure, name: "x", timeout: .zero) == .secure)
    #expect(secure.written == [request])
    let legacy = ScriptedLine([[], hexBytes("41 c0 280000d8 c0")])
    #expect(try SerialDFUDialect.spoken(on: legacy, name: "x", timeout: .zero) == .legacy)
    #expect(legacy.written == [request, request])
    let neither = ScriptedLine([hexBytes("c0 60090201 c0 280000d9 c0")])
    let error = #expect(throws: HostLinkError.self) {
      try SerialDFUDialect.spoken(on: neither, name: "x", timeout: .zero)
    }
    #expect(error?.cause == .noAnswer)
  }
}

/// A line that notes what is written and answers each time with the next of `answers`, then no more.
final class ScriptedLine: SerialLine {
  private(set) var written: [[UInt8]] = []
  private var answers: [[UInt8]]
  private var output: [UInt8] = []

  init(_ answers: [[UInt8]]) { self.answers = answers }

  func write(_ bytes: [UInt8], by deadline: Deadline) {
    written.append(bytes)
    if !answers.isEmpty { output += answers.removeFirst() }
  }

  func read(upTo limit: Int, by deadline: Deadline) -> [UInt8] {
    defer { output = [] }
    return output
  }

  func close() {}
}
