import HeraldHAL
import Testing

@testable import HeraldDeviceLink

@Suite("The serial port on USB")
struct USBSerialPortTests {
  // {"d": "hi"} with sequence number 1 and its response, framed: 06 09, base64 of length, packet and CRC16,
  // line feed. Made with binascii.
  private let echo = Array("\u{06}\u{09}ABAKAAAGAAABAKFhZGJoaaWv\n".utf8)
  private let echoed = Array("\u{06}\u{09}ABALAAAGAAABAKFhcmJoaeLw\n".utf8)
  private let bulkEcho = hex("0A000006 0000 0100 A1 61 64 62 68 69")
  private let bulkEchoed = hex("0B000006 0000 0100 A1 61 72 62 68 69")
  private let open = "21 22 0300 0100 0000"
  private let close = "21 22 0000 0100 0000"

  private func configured() -> ScriptedUSB {
    var host = ScriptedUSB()
    host.configure()
    return host
  }

  @Test("keeps and tells the line coding, which is 115200 8N1 at first")
  func lineCoding() {
    var host = configured()
    check(host.control("A1 21 0000 0100 0700") == [.packet(0, hex("00C20100 00 00 08"))])
    check(host.control("A1 21 0000 0100 0400") == [.packet(0, hex("00C20100"))])
    check(host.control("A1 21 0000 0100 0000") == [.acknowledged])
    check(host.control("21 20 0000 0100 0700", data: "80250000 00 02 07") == [.acknowledged])
    check(host.control("A1 21 0000 0100 4000") == [.packet(0, hex("80250000 00 02 07"))])
    // 131,072 baud has zeros in its low half.
    check(host.control("21 20 0000 0100 0700", data: "00000200 00 00 08") == [.acknowledged])
    check(host.control("A1 21 0000 0100 0700") == [.packet(0, hex("00000200 00 00 08"))])
    check(host.control("21 20 0000 0100 0700", data: "80250000 00 02 07") == [.acknowledged])
    // Too few bytes: a stall, and nothing is changed. The data may come later than the request.
    check(host.control("21 20 0000 0100 0700", data: "00E10000 00") == [.refused])
    check(host.control("A1 21 0000 0100 0700") == [.packet(0, hex("80250000 00 02 07"))])
    check(host.control("21 20 0000 0100 0700").isEmpty)
    host.usb.controller.requestData = [hex("00E10000 00 00 08")]
    host.poll()
    check(host.usb.controller.takeDeeds() == [.acknowledged])
    check(host.control("A1 21 0000 0100 0700") == [.packet(0, hex("00E10000 00 00 08"))])
    // A request that takes the place of one whose data have not come.
    check(host.control("21 20 0000 0100 0700").isEmpty)
    check(host.control("80 08 0000 0000 0100") == [.packet(0, [1])])
    // The configuration begins anew.
    host.configure()
    check(host.control("A1 21 0000 0100 0700") == [.packet(0, hex("00C20100 00 00 08"))])
  }

  @Test("says that there is a carrier while there is a terminal")
  func carrier() {
    var host = configured()
    host.poll()
    check(host.usb.controller.takeDeeds().isEmpty)
    check(
      host.control(open) == [.acknowledged, .packet(0x83, hex("A1 20 0000 0100 0200 0300"))])
    check(host.control(open) == [.acknowledged])
    host.usb.controller.serialRoom = 0
    check(host.control(close) == [.acknowledged])
    host.usb.controller.serialRoom = 9
    host.poll()
    check(host.usb.controller.takeDeeds() == [.packet(0x83, hex("A1 20 0000 0100 0200 0000"))])
    // Request To Send alone is no terminal.
    check(host.control("21 22 0200 0100 0000") == [.acknowledged])
  }

  @Test("answers a request, with or without a terminal, in whatever pieces it comes")
  func exchange() {
    var host = configured()
    check(host.serial(echo) == [echoed])
    _ = host.control(open)
    check(host.serial(echo) == [echoed])
    for byte in echo.dropLast() { check(host.serial([byte]).isEmpty) }
    check(host.serial([], [0x0A]) == [echoed])
    // Two in one packet, the second cut by its end.
    let both = echo + echo
    check(host.serial(Array(both[..<40]), Array(both[40...])) == [echoed, echoed])
    // What a modem would be asked.
    check(host.serial(Array("AT+GCAP\r\r\nATI\r".utf8)).isEmpty)
    check(host.serial(Array("AT\r".utf8) + echo) == [echoed])
  }

  @Test("ends a response of full packets with an empty one")
  func emptyPacket() {
    var isSeen = (full: false, short: false)
    // A line has a multiple of 4 and 3 characters: only four of them can make full packets.
    for count in [0, 60] + Array(300..<348) {
      var host = configured()
      let text = [UInt8](repeating: 0x78, count: count)
      let head: [UInt8] = [0x79, UInt8(count >> 8), UInt8(count & 255)]
      let body = [0xA1, 0x61, 0x64] + head + text
      let length = [UInt8(body.count >> 8), UInt8(body.count & 255)]
      let packet = hex("0A00") + length + hex("0000 0100") + body
      let sent = host.serial(serialFrame(packet))
      let bytes = sent.flatMap { $0 }
      // The response has the shortest head for its length.
      let short: [UInt8] = count == 0 ? [0x60] : count < 256 ? [0x78, UInt8(count)] : head
      let answerLength = body.count - head.count + short.count
      check(
        bytes
          == serialFrame(
            hex("0B00") + [UInt8(answerLength >> 8), UInt8(answerLength & 255)] + hex("0000 0100 A161 72")
              + short + text))
      let isFull = bytes.count % 64 == 0
      check(sent.last?.isEmpty == isFull)
      check(sent.dropLast().allSatisfy { $0.count == 64 })
      if isFull { isSeen.full = true } else { isSeen.short = true }
    }
    #expect(isSeen.full && isSeen.short)
  }

  @Test("holds the host off while a response is not taken, and continues where it was")
  func backPressure() {
    var host = configured()
    let packet = hex("0A00 0060 0000 0100 A161 64 78 5B") + [UInt8](repeating: 0x79, count: 91)
    let answer = serialFrame(hex("0B00 0060 0000 0100 A161 72 78 5B") + [UInt8](repeating: 0x79, count: 91))
    host.usb.controller.serialRoom = 0
    check(host.serial(serialFrame(packet), echo, echo).isEmpty)
    check(host.usb.controller.toSerial.count == 2)
    var received: [UInt8] = []
    for _ in 0..<20 {
      host.usb.controller.serialRoom = 1
      received += host.serial().flatMap { $0 }
      host.poll()
      check(host.usb.controller.takeDeeds().isEmpty)
    }
    check(received == answer + echoed + echoed)
  }

  @Test("a terminal that goes takes along what was begun")
  func closed() {
    var host = configured()
    _ = host.control(open)
    check(host.serial(Array(echo[..<9])).isEmpty)
    _ = host.control(close)
    check(host.serial(Array(echo[9...])).isEmpty)
    check(host.serial(echo) == [echoed])
    _ = host.control(open)
    host.usb.controller.serialRoom = 0
    check(host.serial(echo).isEmpty)
    _ = host.control(close)
    host.usb.controller.serialRoom = 99
    _ = host.control(open)
    check(host.serial().isEmpty)
    check(host.serial(echo) == [echoed])
    // So does the end of a halt.
    for setup in ["02 01 0000 0200 0000", "02 01 0000 8200 0000", "01 0B 0000 0200 0000"] {
      check(host.serial(Array(echo[..<9])).isEmpty)
      _ = host.control(setup)
      check(host.serial(echo) == [echoed], "\(setup)")
    }
  }

  // MARK: Beside the link

  @Test("the link waits while a request is at the serial port, and the other way round")
  func turns() {
    var host = configured()
    check(host.serial(Array(echo[..<9])).isEmpty)
    check(host.bulk(bulkEcho).isEmpty)
    host.usb.controller.toSerial = [Array(echo[9...])]
    host.poll()
    check(host.usb.controller.takeDeeds() == [.packet(0x82, echoed), .packet(0x81, bulkEchoed)])
    // The link has half a packet.
    let long = hex("0A00 0060 0000 0100 A161 64 78 5B") + [UInt8](repeating: 0x79, count: 91)
    check(host.bulk(Array(long[..<64])).isEmpty)
    check(host.serial(echo).isEmpty)
    host.usb.controller.outgoing = [Array(long[64...])]
    host.poll()
    check(
      host.usb.controller.takeDeeds().map { deed -> UInt8? in
        guard case .packet(let endpoint, _) = deed else { return nil }
        return endpoint
      } == [0x81, 0x81, 0x82])
    // Its response is not taken.
    host.usb.controller.room = 0
    check(host.bulk(bulkEcho).isEmpty)
    check(host.serial(echo).isEmpty)
    host.usb.controller.room = 9
    host.poll()
    check(host.usb.controller.takeDeeds() == [.packet(0x81, bulkEchoed), .packet(0x82, echoed)])
  }

  @Test("who stops in the middle loses the memory to the other after a second")
  func timeout() {
    var host = configured()
    check(host.serial(Array(echo[..<9])).isEmpty)
    host.now = Instant(milliseconds: 700)
    host.usb.controller.outgoing = [bulkEcho]
    check(host.poll() == Instant(milliseconds: 1700))
    check(host.usb.controller.takeDeeds().isEmpty)
    host.now = Instant(milliseconds: 1001)
    check(host.bulk() == [bulkEchoed])
    check(host.poll() == .never)
    // The rest of the request comes after all: it is none.
    check(host.serial(Array(echo[9...])).isEmpty)
    check(host.serial(echo) == [echoed])
    // A host that asks on the link and takes no response.
    host.usb.controller.room = 0
    check(host.bulk(bulkEcho).isEmpty)
    host.now = Instant(milliseconds: 2000)
    host.usb.controller.toSerial = [echo]
    check(host.poll() == Instant(milliseconds: 3000))
    host.now = Instant(milliseconds: 2002)
    check(host.serial() == [echoed])
    host.usb.controller.room = 9
    check(host.bulk().isEmpty)
    check(host.usb.dropped == 1)
    check(host.bulk(bulkEcho) == [bulkEchoed])
    // One that asks at the serial port and takes none.
    host.usb.controller.serialRoom = 0
    check(host.serial(echo).isEmpty)
    check(host.bulk(bulkEcho).isEmpty)
    host.now = Instant(milliseconds: 3100)
    check(host.bulk() == [bulkEchoed])
    host.usb.controller.serialRoom = 9
    check(host.serial().isEmpty)
  }

  @Test("the serial port's packet may be as long as all of the memory, the link's as long as its part")
  func lengths() {
    var host = configured()
    // Read, group 0, command 6: MCUmgr parameters. 512 bytes of memory in two parts.
    let request = hex("08000001 0000 0106 A0")
    let tail = hex("69 6275665F636F756E74")
    check(
      host.bulk(request)
        == [hex("09000018 0000 0106 A2 68 6275665F73697A65 190100") + tail + [2]])
    check(
      host.serial(serialFrame(request)).flatMap { $0 }
        == serialFrame(hex("09000018 0000 0106 A2 68 6275665F73697A65 190200") + tail + [1]))
  }
}
