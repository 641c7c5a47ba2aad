import HeraldHAL
import Testing

@testable import HeraldDeviceLink

@Suite("USB control requests")
struct USBControlTests {
  private typealias Operation = ScriptedUSBController.Operation
  private func sent(_ bytes: String) -> [Operation] { [.packet(0, hex(bytes))] }
  /// A string descriptor.
  private func string(_ text: String) -> [Operation] {
    [.packet(0, [UInt8(2 + 2 * text.utf8.count), 3] + text.utf8.flatMap { [$0, 0] as [UInt8] })]
  }

  @Test("tells its device descriptor, cut to what the host wants")
  func deviceDescriptor() {
    var host = ScriptedUSB()
    let device = "12 01 0102 EF 02 01 40 0912 0100 0002 01 02 03 01"
    check(host.control("80 06 0001 0000 1200") == sent(device))
    check(host.control("80 06 0001 0000 4000") == sent(device))
    check(host.control("80 06 0001 0000 0800") == sent("12 01 0102 EF 02 01 40"))
    check(host.control("80 06 0001 0000 0000") == [.acknowledged])
  }

  /// The configuration as the bus carries it.
  static let configuration =
    "09 02 6200 03 01 00 80 32  09 04 00 00 02 FF 48 01 04  07 05 01 02 4000 00  07 05 81 02 4000 00"
    + "08 0B 01 02 02 02 00 05  09 04 01 00 01 02 02 00 05  05 24 00 2001  05 24 01 00 02  04 24 02 02  05 24 06 01 02"
    + "07 05 83 03 1000 10  09 04 02 00 02 0A 00 00 00  07 05 02 02 4000 00  07 05 82 02 4000 00"

  @Test(
    "tells its configuration: the interface FF/48/01 with two bulk endpoints of 64 bytes, and a serial port")
  func configurationDescriptor() {
    var host = ScriptedUSB()
    let configuration = hex(Self.configuration)
    #expect(configuration.count == 98)
    check(host.control("80 06 0002 0000 0900") == sent("09 02 6200 03 01 00 80 32"))
    check(
      host.control("80 06 0002 0000 FF00")
        == [.packet(0, Array(configuration[..<64])), .packet(0, Array(configuration[64...]))])
    check(host.control("80 06 0102 0000 FF00") == [.refused])
  }

  @Test("tells its strings")
  func strings() {
    var host = ScriptedUSB()
    check(host.control("80 06 0003 0000 FF00") == sent("04 03 0904"))
    check(host.control("80 06 0103 0904 FF00") == string("Herald Embedded"))
    check(host.control("80 06 0203 0904 FF00") == string("Herald Wearable"))
    check(host.control("80 06 0303 0904 FF00") == string("0123456789AB"))
    check(host.control("80 06 0403 0904 FF00") == string("Herald management (SMP)"))
    // 31 characters make 64 bytes: an empty packet says that this was all.
    check(
      host.control("80 06 0503 0904 FF00") == string("Herald management (SMP, serial)") + [.packet(0, [])])
    check(host.control("80 06 0603 0904 FF00") == [.refused])
    check(host.control("80 06 EE03 0000 FF00") == [.refused])
  }

  @Test("tells its BOS: WebUSB and Microsoft's descriptors")
  func bos() {
    var host = ScriptedUSB()
    let bos =
      "05 0F 3900 02  18 10 05 00 38B60834A909A0478BFDA0768815B665 0001 21 00"
      + "1C 10 05 00 DF60DDD88945C74C9CD2659D9E648A9F 00000306 B200 20 00"
    check(host.control("80 06 000F 0000 0500") == sent("05 0F 3900 02"))
    check(host.control("80 06 000F 0000 3900") == sent(bos))
  }

  @Test("tells Windows that WinUSB is its driver, in packets of 64 bytes")
  func microsoft() {
    var host = ScriptedUSB()
    func utf16(_ text: String) -> [UInt8] { text.utf8.flatMap { [$0, 0] as [UInt8] } + [0, 0] }
    let set =
      hex(
        "0A00 0000 00000306 B200  0800 0100 00 00 A800  0800 0200 00 00 A000  1400 0300 57494E555342 0000"
          + "0000000000000000  8400 0400 0700 2A00")
      + utf16("DeviceInterfaceGUIDs") + hex("5000") + utf16("{12B5411F-163C-43C4-A1E9-592AA4754B28}") + [
        0, 0,
      ]
    #expect(set.count == 178)
    check(
      host.control("C0 20 0000 0700 0010")
        == [.packet(0, Array(set[..<64])), .packet(0, Array(set[64..<128])), .packet(0, Array(set[128...]))])
    // Of 128 bytes wanted, two full packets are all; of 129 the third has one byte.
    check(host.control("C0 20 0000 0700 8000").count == 2)
    check(host.control("C0 20 0000 0700 8100").count == 3)
    check(host.control("C0 20 0000 0800 0010") == [.refused])
    check(host.control("C0 21 0100 0200 FF00") == [.refused])
  }

  @Test("ends a response with an empty packet when its length is a multiple of 64 and the host wants more")
  func emptyPacket() {
    // A serial number of 31 characters makes a descriptor of 64 bytes.
    let serial = [UInt8](repeating: 0x41, count: 31)
    var host = ScriptedUSB()
    host.usb = USBDevice(
      controller: ScriptedUSBController(), serialNumber: InlineBytes<32>(serial.span) ?? InlineBytes())
    let descriptor: [UInt8] = [64, 3] + serial.flatMap { [$0, 0] as [UInt8] }
    check(host.control("80 06 0303 0904 FF00") == [.packet(0, descriptor), .packet(0, [])])
    check(host.control("80 06 0303 0904 4000") == [.packet(0, descriptor)])
  }

  @Test("sends the rest of a response when there is room, and drops it at the next request")
  func backPressure() {
    var host = ScriptedUSB()
    host.usb.controller.room = 1
    check(host.control("C0 20 0000 0700 0010").count == 1)
    host.usb.controller.room = 1
    host.poll()
    check(host.usb.controller.takeDeeds().count == 1)
    host.usb.controller.room = 9
    check(host.control("80 08 0000 0000 0100") == sent("00"))
    host.poll()
    check(host.usb.controller.takeDeeds().isEmpty)
  }

  @Test("takes an address, and a configuration, and tells which")
  func states() {
    var host = ScriptedUSB()
    check(host.control("00 05 2A00 0000 0000") == [.acknowledged, .address(42)])
    check(host.control("00 05 8000 0000 0000") == [.refused])
    check(host.control("80 08 0000 0000 0100") == sent("00"))
    check(host.control("81 0A 0000 0000 0100") == [.refused])
    check(host.control("01 0B 0000 0000 0000") == [.refused])
    check(
      host.control("00 09 0100 0000 0000")
        == [
          .closed(0x01), .opened(0x01), .closed(0x81), .opened(0x81), .closed(0x83), .opened(0x83),
          .closed(0x02), .opened(0x02), .closed(0x82), .opened(0x82), .acknowledged,
        ])
    check(host.usb.isConfigured)
    check(host.control("80 08 0000 0000 0100") == sent("01"))
    check(host.control("81 0A 0000 0000 0100") == sent("00"))
    check(host.control("81 0A 0000 0100 0100") == sent("00"))
    check(host.control("81 0A 0000 0200 0100") == sent("00"))
    check(host.control("81 0A 0000 0300 0100") == [.refused])
    check(
      host.control("01 0B 0000 0000 0000")
        == [.closed(0x01), .opened(0x01), .closed(0x81), .opened(0x81), .acknowledged])
    check(host.control("01 0B 0000 0100 0000") == [.closed(0x83), .opened(0x83), .acknowledged])
    check(
      host.control("01 0B 0000 0200 0000")
        == [.closed(0x02), .opened(0x02), .closed(0x82), .opened(0x82), .acknowledged])
    check(host.control("01 0B 0000 0300 0000") == [.refused])
    check(host.control("01 0B 0100 0000 0000") == [.refused])
    check(host.control("00 09 0200 0000 0000") == [.refused])
    check(host.control("80 08 0000 0000 0100") == sent("01"))
    check(
      host.control("00 09 0000 0000 0000") == [
        .closed(0x01), .closed(0x81), .closed(0x83), .closed(0x02), .closed(0x82), .acknowledged,
      ])
    check(!host.usb.isConfigured)
    host.configure()
    host.usb.controller.events = [.reset]
    host.poll()
    check(!host.usb.isConfigured)
  }

  @Test("tells the status of itself, its interface and its endpoints, and halts these")
  func status() {
    var host = ScriptedUSB()
    check(host.control("80 00 0000 0000 0200") == sent("0000"))
    check(host.control("82 00 0000 0000 0200") == sent("0000"))
    check(host.control("82 00 0000 8100 0200") == [.refused])
    host.configure()
    check(host.control("81 00 0000 0000 0200") == sent("0000"))
    check(host.control("81 00 0000 0200 0200") == sent("0000"))
    check(host.control("81 00 0000 0300 0200") == [.refused])
    check(host.control("82 00 0000 8100 0200") == sent("0000"))
    check(host.control("02 03 0000 8100 0000") == [.halted(0x81, true), .acknowledged])
    check(host.control("82 00 0000 8100 0200") == sent("0100"))
    check(host.control("82 00 0000 0100 0200") == sent("0000"))
    check(host.control("02 01 0000 8100 0000") == [.halted(0x81, false), .acknowledged])
    check(host.control("82 00 0000 8100 0200") == sent("0000"))
    check(host.control("02 03 0000 0100 0000") == [.halted(0x01, true), .acknowledged])
    check(host.control("82 00 0000 0100 0200") == sent("0100"))
    check(host.control("01 0B 0000 0000 0000").last == .acknowledged)
    check(host.control("82 00 0000 0100 0200") == sent("0000"))
    check(host.control("02 01 0000 0000 0000") == [.acknowledged])
    for address in ["02", "82", "83"] {
      guard let number = UInt8(address, radix: 16) else { continue }
      check(host.control("02 03 0000 \(address)00 0000") == [.halted(number, true), .acknowledged])
      check(host.control("82 00 0000 \(address)00 0200") == sent("0100"))
      check(host.control("02 01 0000 \(address)00 0000") == [.halted(number, false), .acknowledged])
      check(host.control("82 00 0000 \(address)00 0200") == sent("0000"))
    }
    // Each interface has its own endpoints: selecting one ends no halt of another.
    for address in ["0100", "8100", "0200", "8200", "8300"] { _ = host.control("02 03 0000 \(address) 0000") }
    _ = host.control("01 0B 0000 0200 0000")
    check(host.control("82 00 0000 0200 0200") == sent("0000"))
    check(host.control("82 00 0000 8200 0200") == sent("0000"))
    check(host.control("82 00 0000 8300 0200") == sent("0100"))
    _ = host.control("01 0B 0000 0100 0000")
    check(host.control("82 00 0000 8300 0200") == sent("0000"))
    check(host.control("82 00 0000 0100 0200") == sent("0100"))
    check(host.control("82 00 0000 8100 0200") == sent("0100"))
    check(host.control("02 03 0000 0300 0000") == [.refused])
    check(host.control("02 03 0000 8400 0000") == [.refused])
    // Set Configuration ends them all (USB 2.0, 9.4.5).
    _ = host.control("00 09 0100 0000 0000")
    check(host.control("82 00 0000 0100 0200") == sent("0000"))
    check(host.control("82 00 0000 8100 0200") == sent("0000"))
  }

  @Test("refuses what it does not know: remote wake-up, test modes, other descriptors, classes and vendors")
  func refuses() {
    var host = ScriptedUSB()
    host.configure()
    for setup in [
      "00 03 0100 0000 0000", "00 03 0200 0001 0000", "00 01 0100 0000 0000", "80 06 0006 0000 0A00",
      "80 06 0007 0000 0900", "80 06 0021 0000 0900", "00 07 0001 0000 1200", "82 0C 0000 8100 0200",
      "21 20 0000 0000 0700", "A1 21 0000 0000 0700", "40 20 0000 0700 0000", "C1 20 0000 0700 0010",
      "FF FF FFFF FFFF FFFF", "00 09 0100 0000 0100", "83 00 0000 0000 0200", "00 05 0500 0000 0000",
    ] { check(host.control(setup) == [.refused], "\(setup)") }
  }

  @Test("follows the bus into suspension and out of it")
  func suspend() {
    var host = ScriptedUSB()
    host.usb.controller.events = [.suspended]
    host.poll()
    check(host.usb.isSuspended)
    host.usb.controller.events = [.resumed]
    host.poll()
    check(!host.usb.isSuspended)
  }
}

@Suite("SMP over USB")
struct SMPBulkTests {
  private let echo = hex("0A000006 0000 0100 A1 61 64 62 68 69")
  private let echoed = hex("0B000006 0000 0100 A1 61 72 62 68 69")
  /// An echo that is `count` bytes long as a packet, and its response.
  private func echo(of count: Int, sequence: UInt8 = 1) -> (request: [UInt8], response: [UInt8]) {
    let text = [UInt8](repeating: 0x78, count: count - 13)
    let body = [UInt8(text.count)] + text
    let length = [UInt8((count - 8) >> 8), UInt8((count - 8) & 255)]
    return (
      hex("0A00") + length + [0, 0, sequence, 0] + hex("A1 61 64 78") + body,
      hex("0B00") + length + [0, 0, sequence, 0] + hex("A1 61 72 78") + body
    )
  }
  private func packets(_ bytes: [UInt8]) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: 64).map { Array(bytes[$0..<min($0 + 64, bytes.count)]) }
  }

  @Test("answers a packet of one USB packet")
  func short() {
    var host = ScriptedUSB()
    check(host.bulk(echo).isEmpty)
    host.usb.controller.outgoing = []
    host.configure()
    check(host.bulk(echo) == [echoed])
  }

  @Test("answers packets of several USB packets, with an empty one behind a multiple of 64")
  func long() {
    for count in [63, 64, 65, 127, 128, 129, 192, 250, 256] {
      var host = ScriptedUSB()
      host.configure()
      let (request, response) = echo(of: count)
      let ending = count % 64 == 0 ? [[UInt8]()] : []
      host.usb.controller.outgoing = packets(request) + ending
      check(host.bulk() == packets(response) + ending, "\(count) bytes")
      // A host that leaves the empty packet out is understood as well.
      host.usb.controller.outgoing = packets(request)
      check(host.bulk() == packets(response) + ending, "\(count) bytes")
    }
  }

  @Test("answers several packets that come in one transfer")
  func joined() {
    var host = ScriptedUSB()
    host.configure()
    let all = (1...7).map { echo(of: 50, sequence: $0) }
    host.usb.controller.outgoing = packets(all.flatMap(\.request))
    check(host.bulk() == all.map(\.response))
  }

  @Test("holds the host off while two responses wait, and continues when they are taken")
  func queue() {
    var host = ScriptedUSB()
    host.configure()
    host.usb.controller.room = 0
    let all = (1...5).map { echo(of: 50, sequence: $0) }
    host.usb.controller.outgoing = all.map(\.request)
    check(host.bulk().isEmpty)
    check(host.usb.controller.outgoing.count == 3)
    host.usb.controller.room = 1
    check(host.bulk() == [all[0].response])
    check(host.usb.controller.outgoing.count == 2)
    host.usb.controller.room = 10
    check(host.bulk() == all[1...].map(\.response))
  }

  @Test("drops what a transfer's end cuts off, and what is no packet, up to the end of the transfer")
  func resynchronises() {
    for garbage in [
      [0x0A], hex("0A000006 0000 0100 A1 61 64"), [UInt8](repeating: 0xFF, count: 64) + [1, 2, 3],
      hex("0A00FFFF 0000 0100 A0"), hex("0C000001 0000 0100 A0"), hex("2A000001 0000 0100 A0"),
      [UInt8](repeating: 0, count: 64) + [0],
      // Longer than there is memory for, and so it really comes.
      hex("0A000258 0000 0100") + [UInt8](repeating: 0x78, count: 600),
    ] as [[UInt8]] {
      var host = ScriptedUSB()
      host.configure()
      host.usb.controller.outgoing = packets(garbage)
      host.poll()
      _ = host.usb.controller.takeDeeds()
      check(host.bulk(echo) == [echoed], "\(garbage)")
      check(host.usb.dropped > 0 || garbage.first == 0, "\(garbage)")
    }
  }

  @Test("drops a packet that stays incomplete for more than a second")
  func timeout() {
    var host = ScriptedUSB()
    host.configure()
    let (request, _) = echo(of: 200)
    check(host.bulk(Array(request[..<64])).isEmpty)
    host.now = Instant(milliseconds: 1001)
    check(host.bulk(echo) == [echoed])
    // Garbage in full packets whose end never comes.
    check(host.bulk([UInt8](repeating: 0xFF, count: 64)).isEmpty)
    host.now = Instant(milliseconds: 2003)
    check(host.bulk(echo) == [echoed])
  }

  @Test("begins anew when the host clears a halt, selects the interface or configures")
  func restart() {
    let (request, response) = echo(of: 200)
    for setup in ["02 01 0000 0100 0000", "01 0B 0000 0000 0000", "00 09 0100 0000 0000"] {
      var host = ScriptedUSB()
      host.configure()
      check(host.bulk(Array(request[..<64])).isEmpty)
      _ = host.control(setup)
      check(host.bulk(echo) == [echoed], "\(setup)")
    }
    // Half a response is out; the host says that it wants no more of it.
    var host = ScriptedUSB()
    host.configure()
    host.usb.controller.room = 2
    host.usb.controller.outgoing = packets(request)
    check(host.bulk() == Array(packets(response)[..<2]))
    host.usb.controller.room = 100
    check(host.control("02 01 0000 8100 0000").prefix(2) == [.halted(0x81, false), .acknowledged])
    check(host.bulk(echo) == [echoed])
  }
}
