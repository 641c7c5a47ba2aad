import HeraldBluetooth
import HeraldHAL
import HeraldLinkLayer
import HeraldSimulation
import TestInputs
import Testing

/// Commands and the byte stream, without a second device.
@Suite("HCI commands")
struct HCICommandTests {
  let medium = RadioMedium(seed: 10)
  let device: ControllerDevice

  init() {
    device = ControllerDevice(medium, 0)
    device.enableEvents()
    device.forget()
  }

  /// All supported commands with the length of their parameters.
  static let lengths: [UInt16: Int] = [
    0x0406: 3, 0x041D: 2, 0x0C01: 8, 0x0C03: 0, 0x0C2D: 3, 0x0C31: 1, 0x0C33: 7, 0x0C63: 8, 0x1001: 0,
    0x1002: 0, 0x1003: 0, 0x1005: 0, 0x1009: 0, 0x1405: 2, 0x2001: 8, 0x2002: 0, 0x2003: 0, 0x2005: 6,
    0x2006: 15, 0x2007: 0, 0x2008: 32, 0x2009: 32, 0x200A: 1, 0x200B: 7, 0x200C: 2, 0x200D: 25, 0x200E: 0,
    0x200F: 0, 0x2010: 0, 0x2011: 7, 0x2012: 7, 0x2013: 14, 0x2014: 5, 0x2015: 2, 0x2016: 2, 0x2017: 32,
    0x2018: 0, 0x201C: 0,
  ]

  @Test(
    "Information",
    arguments: [
      (0x1001, "00 06 0000 06 ffff 0100"), (0x1003, "00 0000000060000000"), (0x1005, "00 1b00 00 0300 0000"),
      (0x1009, "00 000403020100"), (0x2002, "00 1b00 03"), (0x2003, "00 0000000000000000"), (0x2007, "00 00"),
      (0x200F, "00 08"), (0x201C, "00 ffffffffff030000"),
    ] as [(UInt16, String)])
  func information(opcode: UInt16, expected: String) {
    #expect(device.result(opcode) == hexBytes(expected))
  }

  @Test("Supported_Commands contains the supported commands")
  func supportedCommands() {
    let bits = device.result(0x1002)
    #expect(bits.count == 65 && bits[0] == 0)
    // Octet and bit of each command (Vol 4, Part E, 6.27).
    let positions: [UInt16: (Int, Int)] = [
      0x0406: (0, 5), 0x041D: (2, 7), 0x0C01: (5, 6), 0x0C03: (5, 7), 0x0C2D: (10, 2), 0x0C31: (10, 5),
      0x0C33: (10, 6), 0x0C35: (10, 7), 0x0C63: (22, 2), 0x1001: (14, 3), 0x1003: (14, 5), 0x1005: (14, 7),
      0x1009: (15, 1), 0x1405: (15, 5), 0x2001: (25, 0), 0x2002: (25, 1), 0x2003: (25, 2), 0x2005: (25, 4),
      0x2006: (25, 5), 0x2007: (25, 6), 0x2008: (25, 7), 0x2009: (26, 0), 0x200A: (26, 1), 0x200B: (26, 2),
      0x200C: (26, 3), 0x200D: (26, 4), 0x200E: (26, 5), 0x200F: (26, 6), 0x2010: (26, 7), 0x2011: (27, 0),
      0x2012: (27, 1), 0x2013: (27, 2), 0x2014: (27, 3), 0x2015: (27, 4), 0x2016: (27, 5), 0x2017: (27, 6),
      0x2018: (27, 7), 0x201C: (28, 3),
    ]
    var expected = [UInt8](repeating: 0, count: 64)
    for (octet, bit) in positions.values { expected[octet] |= 1 << UInt8(bit) }
    #expect(Array(bits[1...]) == expected)
  }

  @Test("LE Encrypt computes the sample data of the specification (Vol 6, Part C, 1)")
  func encrypt() {
    #expect(
      device.result(0x2017, "bf01fb9d4ef3bc36d874f5394138684c 1302f1e0dfcebdac7968574635241302")
        == hexBytes("00 66c6c2278e3b8e053e7ea326521bad99"))
  }

  @Test("LE Rand returns different numbers")
  func random() {
    let numbers = (0..<50).map { _ in device.result(0x2018) }
    #expect(Set(numbers).count == 50 && numbers.allSatisfy { $0.count == 9 && $0[0] == 0 })
  }

  @Test("Every command with every invalid length is refused")
  func invalidLengths() {
    for (opcode, valid) in Self.lengths {
      for length in 0...255 where length != valid {
        device.forget()
        device.command(opcode, [UInt8](repeating: 1, count: length))
        let code = [0x0406, 0x041D, 0x200D, 0x2013, 0x2016].contains(opcode) ? 0x0F : 0x0E
        let opcodeBytes = [UInt8(opcode & 0xFF), UInt8(opcode >> 8)]
        let expected =
          code == 0x0F ? [4, 0x0F, 4, 0x12, 1] + opcodeBytes : [4, 0x0E, 4, 1] + opcodeBytes + [0x12]
        #expect(device.packets == [expected])
      }
    }
  }

  @Test("Unknown commands are answered with Command Status")
  func unknown() {
    for opcode in [
      0x0000, 0x0401, 0x0C13, 0x0C6D, 0x1004, 0x2004, 0x2019, 0x201A, 0x201B, 0x2022, 0xFC01, 0xFFFF,
    ]
      as [UInt16]
    {
      device.forget()
      device.command(opcode, [UInt8](repeating: 0, count: Int(opcode & 0xFF)))
      #expect(device.packets == [[4, 0x0F, 4, 0x01, 1, UInt8(opcode & 0xFF), UInt8(opcode >> 8)]])
    }
  }

  @Test(
    "Every command with random parameters is answered once", arguments: 0..<20)
  func randomParameters(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for (opcode, length) in Self.lengths.sorted(by: { $0.key < $1.key }) {
      for _ in 0..<20 {
        let bytes = (0..<length).map { _ in UInt8(random.below(4) == 0 ? random.below(256) : random.below(3))
        }
        device.forget()
        device.command(opcode, bytes)
        medium.run(until: medium.time + milliseconds(40))
        device.drain()
        let answers = device.packets.filter {
          $0[1] == 0x0E && $0[4] == UInt8(opcode & 0xFF) && $0[5] == UInt8(opcode >> 8)
            || $0[1] == 0x0F && $0[5] == UInt8(opcode & 0xFF) && $0[6] == UInt8(opcode >> 8)
        }
        // Events that the random masks suppress do not matter: these two cannot be masked.
        #expect(answers.count == 1)
      }
    }
  }

  @Test(
    "Parameters outside their range are refused",
    arguments: [
      // Advertising: intervals, type, address types, channel map, filter policy.
      (0x2006, "1f00 2000 00 00 00 000000000000 07 00"), (0x2006, "2100 2000 00 00 00 000000000000 07 00"),
      (0x2006, "2000 0140 00 00 00 000000000000 07 00"), (0x2006, "2000 2000 05 00 00 000000000000 07 00"),
      (0x2006, "2000 2000 00 02 00 000000000000 07 00"), (0x2006, "2000 2000 00 00 02 000000000000 07 00"),
      (0x2006, "2000 2000 00 00 00 000000000000 00 00"), (0x2006, "2000 2000 00 00 00 000000000000 08 00"),
      (0x2006, "2000 2000 00 00 00 000000000000 07 04"), (0x200A, "02"),
      // Scanning: type, interval, window, address type, policy.
      (0x200B, "02 1000 1000 00 00"), (0x200B, "00 0140 1000 00 00"), (0x200B, "00 1000 0300 00 00"),
      (0x200B, "00 1000 1100 00 00"), (0x200B, "00 1000 1000 02 00"), (0x200B, "00 1000 1000 00 02"),
      (0x200C, "02 00"), (0x200C, "01 02"),
      // Initiating.
      (0x200D, "1000 1100 00 00 000000000001 00 1800 1800 0000 6400 0000 0000"),
      (0x200D, "1000 1000 02 00 000000000001 00 1800 1800 0000 6400 0000 0000"),
      (0x200D, "1000 1000 00 02 000000000001 00 1800 1800 0000 6400 0000 0000"),
      (0x200D, "1000 1000 00 00 000000000001 02 1800 1800 0000 6400 0000 0000"),
      (0x200D, "1000 1000 00 00 000000000001 01 1800 1800 0000 6400 0000 0000"),
      (0x200D, "1000 1000 00 00 000000000001 00 0500 1800 0000 6400 0000 0000"),
      (0x200D, "1000 1000 00 00 000000000001 00 1900 1800 0000 6400 0000 0000"),
      (0x200D, "1000 1000 00 00 000000000001 00 1800 810c 0000 800c 0000 0000"),
      (0x200D, "1000 1000 00 00 000000000001 00 1800 1800 f401 800c 0000 0000"),
      (0x200D, "1000 1000 00 00 000000000001 00 1800 1800 0000 0900 0000 0000"),
      (0x200D, "1000 1000 00 00 000000000001 00 1800 1800 0000 810c 0000 0000"),
      (0x200D, "1000 1000 00 00 000000000001 00 5000 5000 0000 1400 0000 0000"),
      (0x200D, "1000 1000 00 00 000000000001 00 1800 1800 0000 6400 0200 0100"),
      // Data of 32 bytes, address types, channel maps, host buffers.
      (0x2008, "20 00000000000000000000000000000000000000000000000000000000000000"),
      (0x2009, "ff 00000000000000000000000000000000000000000000000000000000000000"),
      (0x2011, "02 000000000000"), (0x2011, "ff 000000000000"), (0x2012, "02 000000000000"),
      (0x2014, "0000000000"), (0x2014, "0000000010"), (0x2014, "00000000e0"), (0x0C31, "04"),
      (0x0C33, "1a00 00 0100 0000"), (0x0C33, "1b00 00 0000 0000"), (0x0C35, "01"), (0x0C35, "01 0100 0100"),
    ] as [(UInt16, String)])
  func invalidParameters(opcode: UInt16, parameters: String) {
    #expect(device.result(opcode, parameters) == [0x12])
  }

  @Test("A random own address must have been set")
  func ownAddress() {
    #expect(device.result(0x2006, "2000 2000 00 01 00 000000000000 07 00") == [0])
    #expect(device.result(0x200A, "01") == [0x12])
    #expect(device.result(0x200B, "00 1000 1000 01 00") == [0])
    #expect(device.result(0x200C, "01 00") == [0x12])
    #expect(device.result(0x2005, "0102030405c6") == [0])
    #expect(device.result(0x200A, "01") == [0])
    #expect(device.result(0x200C, "01 00") == [0])
    #expect(device.result(0x2005, "0102030405c7") == [0x0C])
  }

  @Test("Commands that are not permitted now")
  func disallowed() {
    #expect(device.result(0x200E) == [0x0C])
    #expect(device.result(0x200A, "01") == [0])
    #expect(device.result(0x2006, "2000 2000 00 00 00 000000000000 07 00") == [0x0C])
    #expect(device.result(0x200A, "01") == [0])
    #expect(device.result(0x200A, "00") == [0])
    #expect(device.result(0x200A, "00") == [0])
    #expect(device.result(0x200C, "01 00") == [0])
    #expect(device.result(0x200B, "00 1000 1000 00 00") == [0x0C])
    #expect(device.result(0x200C, "00 00") == [0])
    let connect = "1000 1000 00 00 000000000001 00 1800 1800 0000 6400 0000 0000"
    #expect(device.result(0x200D, connect) == [0])
    #expect(device.result(0x200D, connect) == [0x0C])
    #expect(device.result(0x2005, "0102030405c6") == [0x0C])
    device.forget()
    #expect(device.result(0x200E) == [0])
    medium.run(until: milliseconds(50))
    device.drain()
    #expect(device.events(0x3E, 1) == [[4, 0x3E, 19, 1, 2] + [UInt8](repeating: 0, count: 17)])
  }

  @Test(
    "Commands for a connection that does not exist",
    arguments: [
      (0x0406, "0100 13", "02"), (0x041D, "0000", "02"), (0x0C2D, "0500 00", "02 0500 00"),
      (0x1405, "0100", "02 0100 7f"), (0x2013, "0100 1800 1800 0000 6400 0000 0000", "02"),
      (0x2015, "ffff", "02 ffff 0000000000"), (0x2016, "0200", "02"),
    ] as [(UInt16, String, String)])
  func noConnection(opcode: UInt16, parameters: String, expected: String) {
    #expect(device.result(opcode, parameters) == hexBytes(expected))
  }

  @Test("The filter accept list has room for eight devices and is not changed while it is used")
  func acceptList() {
    for number in 0..<8 { #expect(device.result(0x2011, "00 0\(number)0203040506") == [0]) }
    #expect(device.result(0x2011, "00 090203040506") == [7])
    #expect(device.result(0x2011, "00 030203040506") == [0])
    #expect(device.result(0x2012, "01 030203040506") == [0])
    #expect(device.result(0x2011, "01 030203040506") == [7])
    #expect(device.result(0x2012, "00 030203040506") == [0])
    #expect(device.result(0x2011, "01 030203040506") == [0])
    #expect(device.result(0x200B, "00 1000 1000 00 01") == [0])
    #expect(device.result(0x200C, "01 00") == [0])
    for (opcode, parameters) in [(0x2010, ""), (0x2011, "00 070203040506"), (0x2012, "00 070203040506")]
      as [(UInt16, String)]
    {
      #expect(device.result(opcode, parameters) == [0x0C])
    }
    #expect(device.result(0x200C, "00 00") == [0])
    #expect(device.result(0x2010) == [0])
    #expect(device.result(0x2011, "00 090203040506") == [0])
  }

  @Test("Commands arrive in pieces and in succession, and wait until the host takes the response")
  func stream() {
    device.isStalled = true
    let two = hexBytes("01031000 01091000")
    #expect(device.controller.receive(two.span) == 4)
    #expect(device.controller.receive(two.span) == 0)
    device.isStalled = false
    device.drain()
    #expect(device.packets.count == 1)
    device.forget()
    for byte in two { device.send([byte]) }
    #expect(device.packets.map { $0[4] } == [0x03, 0x09])
    device.forget()
    device.send(two + two + two)
    #expect(device.packets.map { $0[4] } == [0x03, 0x09, 0x03, 0x09, 0x03, 0x09])
  }

  @Test("Packets of other types, and data without a connection, are skipped")
  func skipped() {
    let length = 1000
    device.send(
      [3, 1, 0, 5] + [UInt8](repeating: 1, count: 5)
        + [5, 1, 0, UInt8(length & 0xFF), UInt8(length >> 8) | 0x40] + [UInt8](repeating: 1, count: length)
        + [2, 1, 0, 0xFF, 0xFF] + [UInt8](repeating: 1, count: 0xFFFF) + hexBytes("01091000"))
    #expect(device.packets.count == 1)
  }

  @Test("Loss of synchronisation is reported and ends with HCI_Reset", arguments: [0x00, 0x04, 0x06, 0xFF])
  func synchronisation(byte: UInt8) {
    device.send([byte])
    #expect(device.packets == [[4, 0x10, 1, 0]])
    device.forget()
    device.send(hexBytes("01091000 0101030c 01 0103 0c01 01030c"))
    #expect(device.packets.isEmpty)
    device.send([0])
    #expect(device.packets == [hexBytes("040e0401030c00")])
  }

  @Test("HCI_Reset sets the initial state")
  func reset() throws {
    device.command(0x2005, hexBytes("0102030405c6"))
    device.command(0x2008, hexBytes("03020106" + String(repeating: "00", count: 28)))
    device.command(0x200A, [1])
    device.command(0x200C, [1, 0])
    device.command(0x200D, hexBytes("1000 1000 00 00 000000000001 00 1800 1800 0000 6400 0000 0000"))
    medium.run(until: milliseconds(500))
    device.command(0x0C03)
    medium.run(until: milliseconds(600))
    device.drain()
    #expect(device.events(0x0E).last == hexBytes("040e0401030c00"))
    #expect(device.events(0x3E).isEmpty)
    let before = medium.time
    medium.run(until: milliseconds(5000))
    #expect(Transcript(medium).sent.allSatisfy { $0.start < before })
    // The random address has to be set again, and advertising has no data.
    #expect(device.result(0x2006, "2000 2000 00 01 00 000000000000 07 00") == [0])
    #expect(device.result(0x200A, "01") == [0x12])
    #expect(device.result(0x2006, "2000 2000 00 00 00 000000000000 07 00") == [0])
    #expect(device.result(0x200A, "01") == [0])
    medium.run(until: milliseconds(5100))
    #expect(try #require(Transcript(medium).sent.last).pdu.count == 8)
  }
}
