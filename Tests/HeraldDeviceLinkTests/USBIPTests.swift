import HeraldDeviceLink
import HeraldHAL
import Testing

@testable import HeraldLinux

/// A USB/IP client and the device it talks to, without a network between them.
final class USBIPCable {
  var usb: USBDevice<VirtualUSBController, 8320, 2>
  var smp = SMPServer()
  var device = TestDevice()
  var session = USBIPSession()

  init() {
    let serial = Array("0123456789AB".utf8)
    usb = USBDevice(
      controller: VirtualUSBController(), serialNumber: InlineBytes<32>(serial.span) ?? InlineBytes())
  }

  /// Sends bytes, and returns what the device answers.
  func exchange(_ bytes: [UInt8]) -> [UInt8] {
    session.receive(bytes, &usb.controller)
    usb.poll(at: .start, server: &smp, device: &device)
    if session.hasDevice { session.send(usb.controller.takeCompletions()) }
    defer { session.output.removeAll() }
    return session.output
  }

  /// The client is gone, and another comes.
  func reconnect() {
    if session.hasDevice { usb.controller.detach() }
    session = USBIPSession()
    usb.poll(at: .start, server: &smp, device: &device)
  }

  var isClosed: Bool { session.phase == .failed }

  func importDevice() { _ = exchange(hex("0111 8003 00000000") + Self.busIdentifier("1-1")) }

  static func busIdentifier(_ name: String) -> [UInt8] {
    Array(name.utf8) + [UInt8](repeating: 0, count: 32 - name.utf8.count)
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  /// A CMD_SUBMIT.
  static func submit(
    _ sequence: UInt8, in isIn: Bool, endpoint: UInt8, length: Int, flags: UInt32 = 0,
    setup: String = "0000000000000000", data: [UInt8] = []
  ) -> [UInt8] {
    var bytes =
      hex("00000001 000000") + [sequence] + hex("00010002 000000") + [isIn ? 1 : 0] + [0, 0, 0, endpoint]
    bytes += bigEndian(flags) + bigEndian(UInt32(length))
    return bytes + hex("00000000 FFFFFFFF 00000000") + hex(setup) + data
  }

  static func unlink(_ sequence: UInt8, _ other: UInt8) -> [UInt8] {
    hex("00000002 000000") + [sequence] + hex("00010002 00000000 00000000 000000") + [other]
      + [UInt8](repeating: 0, count: 24)
  }

  /// A RET_SUBMIT.
  static func reply(_ sequence: UInt8, status: Int32 = 0, count: Int, data: [UInt8] = []) -> [UInt8] {
    var bytes = hex("00000003 000000") + [sequence] + hex("00000000 00000000 00000000")
    bytes += bigEndian(UInt32(bitPattern: status)) + bigEndian(UInt32(count))
    return bytes + [UInt8](repeating: 0, count: 20) + data
  }

  /// Imports the device and selects its configuration.
  func attach() {
    importDevice()
    _ = exchange(Self.submit(0, in: false, endpoint: 0, length: 0, setup: "00 09 0100 0000 0000"))
  }
}

@Suite("USB/IP")
struct USBIPTests {
  private let echo = hex("0A000006 0000 0100 A1 61 64 62 68 69")
  private let echoed = hex("0B000006 0000 0100 A1 61 72 62 68 69")
  private var deviceRecord: [UInt8] {
    let path = Array("/sys/devices/platform/herald/usb1/1-1".utf8)
    return path + [UInt8](repeating: 0, count: 256 - path.count) + USBIPCable.busIdentifier("1-1")
      + hex("00000001 00000002 00000002 1209 0001 0200 EF 02 01 00 01 03")
  }

  @Test("lists its device with its interfaces")
  func list() {
    let cable = USBIPCable()
    let reply = cable.exchange(hex("0111 8005 00000000"))
    check(
      reply == hex("0111 0005 00000000 00000001") + deviceRecord + hex("FF 48 01 00 02 02 00 00 0A 00 00 00"))
  }

  @Test("lends its device to one client at a time, and none that it does not have")
  func imports() {
    let cable = USBIPCable()
    check(
      cable.exchange(hex("0111 8003 00000000") + USBIPCable.busIdentifier("2-1")) == hex("0111 0003 00000004")
    )
    check(
      cable.exchange(hex("0111 8003 00000000") + USBIPCable.busIdentifier("1-1"))
        == hex("0111 0003 00000000") + deviceRecord)
    let first = cable.session
    cable.session = USBIPSession()
    check(
      cable.exchange(hex("0111 8003 00000000") + USBIPCable.busIdentifier("1-1")) == hex("0111 0003 00000002")
    )
    cable.session = first
    cable.reconnect()
    check(
      cable.exchange(hex("0111 8003 00000000") + USBIPCable.busIdentifier("1-1"))
        == hex("0111 0003 00000000") + deviceRecord)
  }

  @Test("answers control requests with data, without, and with a stall")
  func control() {
    let cable = USBIPCable()
    cable.importDevice()
    let descriptor = hex("12 01 0102 EF 02 01 40 0912 0100 0002 01 02 03 01")
    check(
      cable.exchange(USBIPCable.submit(1, in: true, endpoint: 0, length: 64, setup: "80 06 0001 0000 4000"))
        == USBIPCable.reply(1, count: 18, data: descriptor))
    check(
      cable.exchange(USBIPCable.submit(2, in: false, endpoint: 0, length: 0, setup: "00 09 0100 0000 0000"))
        == USBIPCable.reply(2, count: 0))
    check(
      cable.exchange(USBIPCable.submit(3, in: true, endpoint: 0, length: 10, setup: "80 06 0006 0000 0A00"))
        == USBIPCable.reply(3, status: -32, count: 0))
    // Two at once are served one after the other.
    check(
      cable.exchange(
        USBIPCable.submit(4, in: true, endpoint: 0, length: 1, setup: "80 08 0000 0000 0100")
          + USBIPCable.submit(5, in: true, endpoint: 0, length: 8, setup: "80 06 0001 0000 0800"))
        == USBIPCable.reply(4, count: 1, data: [1])
        + USBIPCable.reply(5, count: 8, data: Array(descriptor[..<8])))
    // Data that go to the device.
    let coding = hex("80250000 00 00 08")
    check(
      cable.exchange(
        USBIPCable.submit(6, in: false, endpoint: 0, length: 7, setup: "21 20 0000 0100 0700", data: coding)
          + USBIPCable.submit(7, in: true, endpoint: 0, length: 7, setup: "A1 21 0000 0100 0700")
          + USBIPCable.submit(
            8, in: false, endpoint: 0, length: 8, setup: "21 20 0000 0100 0800", data: coding + [0]))
        == USBIPCable.reply(6, count: 7) + USBIPCable.reply(7, count: 7, data: coding)
        + USBIPCable.reply(8, status: -32, count: 0))
  }

  @Test("holds a read until there is data, and answers requests in order")
  func bulk() {
    let cable = USBIPCable()
    cable.attach()
    check(cable.exchange(USBIPCable.submit(1, in: true, endpoint: 1, length: 16384)).isEmpty)
    check(
      cable.exchange(USBIPCable.submit(2, in: false, endpoint: 1, length: echo.count, data: echo))
        == USBIPCable.reply(2, count: echo.count) + USBIPCable.reply(1, count: echoed.count, data: echoed))
    // A byte at a time on the wire makes no difference.
    var reply: [UInt8] = []
    for byte in USBIPCable.submit(3, in: true, endpoint: 1, length: 64) { reply += cable.exchange([byte]) }
    for byte in USBIPCable.submit(4, in: false, endpoint: 1, length: echo.count, data: echo) {
      reply += cable.exchange([byte])
    }
    check(
      reply == USBIPCable.reply(4, count: echo.count) + USBIPCable.reply(3, count: echoed.count, data: echoed)
    )
  }

  @Test("takes back a read that waits, and says when it is too late")
  func unlink() {
    let cable = USBIPCable()
    cable.attach()
    _ = cable.exchange(USBIPCable.submit(1, in: true, endpoint: 1, length: 64))
    check(
      cable.exchange(USBIPCable.unlink(2, 1))
        == hex("00000004 00000002 00000000 00000000 00000000 FFFFFF98") + [UInt8](repeating: 0, count: 24))
    check(
      cable.exchange(USBIPCable.unlink(3, 1))
        == hex("00000004 00000003 00000000 00000000 00000000 00000000") + [UInt8](repeating: 0, count: 24))
  }

  @Test("reports a read that is too short for a packet, and a halted or missing endpoint")
  func errors() {
    let cable = USBIPCable()
    cable.attach()
    let response = cable.exchange(
      USBIPCable.submit(1, in: true, endpoint: 1, length: 4)
        + USBIPCable.submit(2, in: false, endpoint: 1, length: echo.count, data: echo))
    check(
      response == USBIPCable.reply(2, count: echo.count)
        + USBIPCable.reply(1, status: -75, count: 4, data: Array(echoed[..<4])))
    check(
      cable.exchange(USBIPCable.submit(3, in: true, endpoint: 5, length: 64))
        == USBIPCable.reply(3, status: -32, count: 0))
    // A read that waits fails when its endpoint is halted.
    check(
      cable.exchange(
        USBIPCable.submit(4, in: true, endpoint: 1, length: 64)
          + USBIPCable.submit(5, in: false, endpoint: 0, length: 0, setup: "02 03 0000 8100 0000"))
        == USBIPCable.reply(4, status: -32, count: 0) + USBIPCable.reply(5, count: 0))
    check(
      cable.exchange(USBIPCable.submit(6, in: true, endpoint: 1, length: 64))
        == USBIPCable.reply(6, status: -32, count: 0))
    check(
      cable.exchange(USBIPCable.submit(7, in: false, endpoint: 0, length: 0, setup: "02 01 0000 8100 0000"))
        == USBIPCable.reply(7, count: 0))
    check(cable.exchange(USBIPCable.submit(8, in: true, endpoint: 1, length: 64)).isEmpty)
  }

  @Test("splits transfers of 64 KB into packets and joins them again")
  func large() {
    let cable = USBIPCable()
    cable.device.pages[4] = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    cable.attach()
    let request = hex("08000006 0048 0901 A1 63 736571 04")
    // Many requests in one transfer, answered into reads of 64 KB.
    let count = 200
    var bytes = USBIPCable.submit(
      1, in: false, endpoint: 1, length: count * request.count,
      data: (0..<count).flatMap { _ in request })
    for sequence in 2..<UInt8(2 + count) {
      bytes += USBIPCable.submit(sequence, in: true, endpoint: 1, length: 65536)
    }
    let reply = cable.exchange(bytes)
    let page = cable.device.pages[4] ?? []
    let answer =
      hex("0900101A 0048 0901 A4 63 736571 04 63 6F6666 00 63 6C656E 19 1000 64 64617461 59 1000") + page
    #expect(answer.count == 0x101A + 8)
    var expected: [UInt8] = []
    for sequence in 2..<UInt8(2 + count) {
      expected += USBIPCable.reply(sequence, count: answer.count, data: answer)
    }
    let outEnd = USBIPCable.reply(1, count: count * request.count)
    // The outgoing transfer ends somewhere between the responses: when its last packet was taken.
    check(reply.count == expected.count + outEnd.count)
    check(reply.suffix(answer.count) == expected.suffix(answer.count))
  }

  @Test("closes on what is no USB/IP, and on transfers beyond reason")
  func hostile() {
    for bytes in [
      hex("0110 8005 00000000"), hex("0111 9999 00000000"), [UInt8](repeating: 0xFF, count: 48),
    ] {
      let cable = USBIPCable()
      _ = cable.exchange(bytes)
      check(cable.isClosed)
    }
    for bytes in [
      hex("00000007") + [UInt8](repeating: 0, count: 44),
      USBIPCable.submit(1, in: true, endpoint: 1, length: (1 << 20) + 1),
      USBIPCable.submit(1, in: true, endpoint: 16, length: 1),
      USBIPCable.submit(1, in: false, endpoint: 0, length: 0, setup: "80 06 0001 0000 1200"),
      (0..<1100).flatMap { _ in USBIPCable.submit(1, in: true, endpoint: 1, length: 1) },
    ] {
      let cable = USBIPCable()
      cable.attach()
      _ = cable.exchange(bytes)
      check(cable.isClosed)
    }
  }

  @Test("is free again, and not configured, when its client goes in the middle of everything")
  func vanishes() {
    let cable = USBIPCable()
    cable.attach()
    check(cable.usb.isConfigured)
    _ = cable.exchange(USBIPCable.submit(1, in: true, endpoint: 1, length: 64) + Array(echo[..<5]))
    cable.reconnect()
    check(!cable.usb.isConfigured)
    cable.attach()
    check(
      cable.exchange(
        USBIPCable.submit(1, in: true, endpoint: 1, length: 64)
          + USBIPCable.submit(2, in: false, endpoint: 1, length: echo.count, data: echo)
      ).suffix(echoed.count) == echoed[...])
  }
}
