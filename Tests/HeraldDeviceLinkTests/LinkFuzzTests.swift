import HeraldHAL
import Testing

@testable import HeraldDeviceLink
@testable import HeraldLinux

/// A small generator (SplitMix64) that gives the same inputs on every machine.
private struct Seeded {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// Random bytes, or one of `corpus` with some of its bytes changed, cut out, doubled or cut off.
  mutating func input(_ corpus: [[UInt8]]) -> [UInt8] {
    if below(8) == 0 { return (0..<below(80)).map { _ in UInt8(truncatingIfNeeded: next()) } }
    var bytes = corpus[below(corpus.count)]
    for _ in 0...below(3) where !bytes.isEmpty {
      let index = below(bytes.count)
      switch below(6) {
      case 0: bytes[index] ^= 1 << UInt8(below(8))
      case 1: bytes[index] = [0x00, 0x7F, 0x80, 0xFF, 0x1B, 0x5F, 0x9F, 0xBF][below(8)]
      case 2: bytes.remove(at: index)
      case 3: bytes.insert(UInt8(truncatingIfNeeded: next()), at: index)
      case 4: bytes.removeSubrange(index...)
      default: bytes += bytes[index...]
      }
    }
    return bytes
  }
}

/// Reads an item and all that is in it by the methods that fit, the way a handler does; must come to an end.
func fuzzCBOR(_ bytes: Span<UInt8>) {
  var reader = CBORReader(bytes)
  while !reader.isAtEnd {
    let before = reader.offset
    if reader.integer() != nil || reader.boolean() != nil || reader.text() != nil
      || reader.byteString() != nil
    {
      check(reader.offset > before && reader.offset <= bytes.count)
      continue
    }
    var copy = reader
    if var entries = copy.map() {
      while copy.next(in: &entries) { guard copy.skip(), copy.skip() else { break } }
    }
    guard reader.skip() else {
      check(reader.offset == before)
      return
    }
    check(reader.offset > before && reader.offset <= bytes.count)
  }
}

/// Has a packet answered; a response, if there is one, is a packet with the sequence and command of the
/// request.
func fuzzSMP(_ bytes: [UInt8], _ device: inout TestDevice) {
  let response = answer(bytes, &device, room: 128)
  guard !response.isEmpty else { return }
  check(response.count >= 9 && response.count <= max(128, bytes.count))
  check(Int(response[2]) << 8 | Int(response[3]) == response.count - 8)
  check(response[4...7] == bytes[4...7])
  check(response[0] & 7 == bytes[0] & 7 | 1)
  var body = CBORReader(response.span.extracting(8...))
  check(body.skip() && body.isAtEnd)
}

@Suite("The link, fed with what no peer should send")
struct LinkFuzzTests {
  private static let packets = [
    hex("0A000006 0000 0100 A1 61 64 62 68 69"), hex("0A00000A 0000 0100 BF 61 64 65 6869686968 FF"),
    hex("08000001 0000 0506 A0"), hex("08000001 0048 0100 A0"),
    hex("08000011 0048 0901 A3 63 736571 04 63 6F6666 18 FF 63 6C656E 03"),
    hex("0800000C 0002 0100 A1 64 6E616D65 65 726164696F"),
    hex("0A00001D 0000 0104 A1 68 6461746574696D65 73 323032302D30392D32345430303A30303A3030"),
    hex("0800000A 0000 0107 A1 66 666F726D6174 61 61"), hex("0A000001 0000 0105 A0"),
    // The boot loader; a forced reset; stream, acknowledgement and live.
    hex("0800000C 0000 0108 A1 65 7175657279 64 6D6F6465"), hex("0A000008 0000 0105 A1 65 666F726365 01"),
    hex("08000011 0048 0908 A3 63 736571 04 63 6F6666 18 FF 63 6C656E 03"), hex("08000001 0048 0906 A0"),
    hex(
      "0A00003A 0048 0904 A3 65 65706F6368 1A CAFEF00D 63 736571 04 66 646967657374 5820 BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"
    ),
    hex("0A000001 0048 0100 A0"),
    // Download of the log, hash of a page, the hashes there are, closing.
    hex("08000014 0008 0000 A2 64 6E616D65 68 2F6C6F672F616C6C 63 6F6666 00"),
    hex(
      "08000036 0008 0002 A2 64 6E616D65 78 1D 2F6C6F672F63616665663030642D303030303030303030342E70616765 64 74797065 66 736861323536"
    ),
    hex("08000001 0008 0003 A0"), hex("0A000001 0008 0004 A0"),
    // Image: states, a first piece, the next one, test, erase.
    hex("08000001 0001 0000 A0"),
    hex(
      "0A000037 0001 0001 A3 63 6C656E 18 40 63 6F6666 00 64 64617461 58 24 3DB8F396 00000000 2000 0000 08000000 00000000 01020300 04000000 00000000 11223344"
    ),
    hex("0A000010 0001 0001 A2 63 6F6666 18 24 64 64617461 43 010203"),
    hex(
      "0A000030 0001 0000 A2 64 68617368 58 20 C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5C5 67 636F6E6669726D F4"
    ),
    hex("0A000007 0001 0005 A1 64 736C6F74 01"),
  ]

  @Test("CBOR: 150,000 inputs are read to an end")
  func cbor() {
    var random = Seeded(state: 1)
    let corpus = [
      "a26161016162820203", "bf61610161629f0203ffff", "d74401020304", "fb3ff199999999999a",
      "5f42010243030405ff",
      "8301820203820405", "826161bf61626163ff", "3bffffffffffffffff",
      "c074323031332d30332d32315432303a30343a30305a",
    ].map(hex)
    for _ in 0..<150_000 {
      let bytes = random.input(corpus)
      fuzzCBOR(bytes.span)
    }
  }

  @Test("SMP: 100,000 packets are answered with packets or not at all")
  func smp() {
    var random = Seeded(state: 2)
    var device = TestDevice()
    device.pages[4] = [UInt8](repeating: 0x5A, count: 300)
    for _ in 0..<100_000 { fuzzSMP(random.input(Self.packets), &device) }
  }

  @Test("Session: of 20,000 packets that nobody sealed none is answered sealed, and the session continues")
  func session() {
    var random = Seeded(state: 6)
    var device = TestDevice()
    device.accessKey = Array(0..<32)
    var server = SMPServer()
    func send(_ packet: [UInt8], _ device: inout TestDevice) -> [UInt8] {
      var buffer = packet + [UInt8](repeating: 0, count: max(0, 256 - packet.count))
      var span = buffer.mutableSpan
      let count = server.respond(to: &span, count: packet.count, at: .start + .seconds(10), device: &device)
      return Array(buffer[..<count])
    }
    let nonce = [UInt8](repeating: 1, count: 16)
    _ = send(hex("08000001 0048 0005 A0"), &device)
    check(
      send(TestHost.opening(key: device.accessKey, serial: device.serial, deviceNonce: nonce), &device).count
        == 49)
    var host = TestHost(key: device.accessKey, serial: device.serial, deviceNonce: nonce)
    let commit = hex("0A000001 0003 0002 A0")
    let corpus = Self.packets + [host.seal(commit), host.seal(hex("08000006 0048 0708 A1 63 736571 03"))]
    for _ in 0..<20_000 {
      var packet = random.input(corpus)
      // Whatever it was: a sealed one with a tag that is not its own.
      if packet.count > 1 { packet[1] |= 1 }
      if let last = packet.indices.last { packet[last] &+= 1 }
      let answer = send(packet, &device)
      check(answer.isEmpty || answer[1] == 0)
      check(host.open(packet, number: 99) == nil)
    }
    let answer = send(host.seal(commit), &device)
    check(host.open(answer) == [0xA0])
  }

  @Test("Serial line: after 100,000 broken lines the next good one is answered")
  func serial() {
    var random = Seeded(state: 3)
    var link = SMPSerialLink<128>()
    var server = SMPServer()
    var device = TestDevice()
    let good = Array("\u{06}\u{09}ABAKAAAGAAABAKFhZGJoaaWv\n".utf8)
    let corpus = [
      good, Array("\u{06}\u{09}ABAKAAAGAAAB\n\u{04}\u{14}AKFhZGJoaaWv\n".utf8),
      Array(
        "\u{06}\u{09}ACoAAQIDBAUGBwgJCgsM\n\u{04}\u{14}DQ4PEBESExQVFhcYGRob\n\u{04}\u{14}HB0eHyAhIiMkJSYnga8=\n"
          .utf8),
    ]
    var output = [UInt8](repeating: 0, count: 64)
    func feed(_ bytes: [UInt8], _ link: inout SMPSerialLink<128>) -> Int {
      var answered = 0
      var taken = 0
      while taken < bytes.count {
        taken += link.receive(bytes.span.extracting(taken...), at: .start, server: &server, device: &device)
        if link.isSending { answered += 1 }
        while link.isSending {
          var span = output.mutableSpan
          let count = link.send(into: &span)
          check(count > 0)
        }
      }
      return answered
    }
    for index in 0..<100_000 {
      _ = feed(random.input(corpus), &link)
      if index % 100 == 0 {
        let answered = feed([0x0A] + good, &link)
        // The line feed may have completed a good packet before it.
        check(answered == 1 || answered == 2)
      }
    }
  }

  @Test("USB: 100,000 control requests and bulk packets leave a device that answers")
  func usb() {
    var random = Seeded(state: 4)
    var host = ScriptedUSB()
    let setups = [
      "80 06 0001 0000 1200", "80 06 0303 0904 FF00", "00 09 0100 0000 0000", "C0 20 0000 0700 0010",
      "02 03 0000 8100 0000", "82 00 0000 8100 0200", "01 0B 0000 0000 0000", "00 05 2A00 0000 0000",
    ].map(hex)
    for index in 0..<100_000 {
      if index % 2 == 0 {
        let bytes = Array((random.input(setups) + [UInt8](repeating: 0, count: 8)).prefix(8))
        if let setup = USBSetup(bytes.span) { host.usb.controller.events.append(.setup(setup)) }
      } else {
        host.usb.controller.outgoing.append(Array(random.input(Self.packets).prefix(64)))
      }
      host.poll()
      for deed in host.usb.controller.takeDeeds() {
        if case .packet(_, let bytes) = deed { check(bytes.count <= 64) }
      }
      guard index % 1000 == 999 else { continue }
      // A host cannot send to an endpoint that is not open.
      host.usb.controller.outgoing = []
      host.configure()
      let echoed = host.bulk(hex("0A000006 0000 0100 A1 61 64 62 68 69"))
      check(echoed == [hex("0B000006 0000 0100 A1 61 72 62 68 69")])
    }
  }

  @Test("USB/IP: 20,000 conversations of up to five messages end well or with a closed connection")
  func usbip() {
    var random = Seeded(state: 5)
    let imported = hex("0111 8003 00000000") + USBIPCable.busIdentifier("1-1")
    let corpus = [
      hex("0111 8005 00000000"), imported,
      USBIPCable.submit(1, in: true, endpoint: 0, length: 64, setup: "80 06 0001 0000 4000"),
      USBIPCable.submit(2, in: false, endpoint: 0, length: 0, setup: "00 09 0100 0000 0000"),
      USBIPCable.submit(3, in: false, endpoint: 1, length: 14, data: Self.packets[0]),
      USBIPCable.submit(4, in: true, endpoint: 1, length: 64), USBIPCable.unlink(5, 4),
    ]
    let cable = USBIPCable()
    for _ in 0..<20_000 {
      if random.below(4) > 0 { _ = cable.exchange(imported) }
      for _ in 0..<5 { _ = cable.exchange(random.input(corpus)) }
      cable.reconnect()
      check(!cable.usb.isConfigured)
      check(cable.usb.controller.waitingCount == 0 && cable.usb.controller.waitingBytes == 0)
    }
  }
}
