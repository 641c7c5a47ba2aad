import HeraldHAL
import Testing

@testable import HeraldDeviceLink

@Suite("SMP server")
struct SMPServerTests {
  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// The request is what smpmgr 0.19.1 sent for `os echo hi`.
  @Test("echoes the text smpmgr sends, with the same sequence")
  func echo() {
    var device = TestDevice()
    #expect(
      answer(hex("0A000006 0000 0100 A1 61 64 62 68 69"), &device)
        == hex("0B000006 0000 0100 A1 61 72 62 68 69"))
  }

  @Test("echoes in the version and with the operation of the request")
  func echoVersions() {
    var device = TestDevice()
    #expect(
      answer(hex("02000006 0000 FF00 A1 61 64 62 68 69"), &device)
        == hex("03000006 0000 FF00 A1 61 72 62 68 69"))
    #expect(
      answer(hex("08000006 0000 0100 A1 61 64 62 68 69"), &device)
        == hex("09000006 0000 0100 A1 61 72 62 68 69"))
  }

  @Test("echoes out of maps of indefinite length, past keys it does not know, in the shortest form")
  func echoLiberal() {
    var device = TestDevice()
    let request = hex("0A000012 0000 0100 BF 63 657874 82 01 A1 01 02 61 64 79 0002 68 69 FF")
    #expect(answer(request, &device) == hex("0B000006 0000 0100 A1 61 72 62 68 69"))
  }

  @Test("echoes a text that fills the buffer")
  func echoLong() {
    var device = TestDevice()
    let long = [UInt8](repeating: 0x78, count: 243)
    let request = hex("0A0000F8 0000 0100 A1 61 64 78 F3") + long
    #expect(answer(request, &device) == hex("0B0000F8 0000 0100 A1 61 72 78 F3") + long)
  }

  @Test("tells MCUmgr's parameters: its buffer, header included, and how many there are")
  func parameters() {
    var device = TestDevice()
    #expect(
      answer(hex("08000001 0000 0506 A0"), &device)
        == hex("09000018 0000 0506 A2 68") + bytes("buf_size") + hex("190100 69") + bytes("buf_count") + [2])
  }

  @Test("tells a date only when it has one, in MCUmgr's format")
  func readClock() {
    var device = TestDevice()
    // {"err": {"group": 0, "rc": 4}} in version 2, {"rc": 5} (not found) in version 1
    #expect(
      answer(hex("08000001 0000 0104 A0"), &device)
        == hex("09000011 0000 0104 A1 63") + bytes("err") + hex("A2 65") + bytes("group")
        + hex("00 62 7263 04"))
    #expect(answer(hex("00000001 0000 0104 A0"), &device) == hex("01000005 0000 0104 A1 62 7263 05"))
    device.clock.set(unixMilliseconds: 1_600_905_600_000, at: .start, source: .host)
    #expect(
      answer(hex("08000000 0000 0104"), &device, at: Instant(milliseconds: 1234))
        == hex("09000022 0000 0104 A1 68") + bytes("datetime") + hex("77") + bytes("2020-09-24T00:00:01.234"))
  }

  @Test("sets its clock from a date, with or without a fraction")
  func setClock() {
    for (date, milliseconds) in [
      ("2020-09-24T00:00:00", 1_600_905_600_000), ("2020-09-24T00:00:00.5", 1_600_905_600_500),
      ("2020-09-24T00:00:00.123456", 1_600_905_600_123), ("2020-09-24T02:00:00+02:00", 1_600_905_600_000),
    ] as [(String, UInt64)] {
      var device = TestDevice()
      let body = hex("A1 68") + bytes("datetime") + hex("78") + [UInt8(date.utf8.count)] + bytes(date)
      let response = answer(hex("0A0000") + [UInt8(body.count)] + hex("0000 0104") + body, &device)
      #expect(response == hex("0B000001 0000 0104 A0"))
      #expect(device.clock.unixMilliseconds(at: .start) == milliseconds)
      #expect(device.clock.source == .host)
    }
  }

  @Test("refuses what is no date, and a date before its own start")
  func refusesDates() {
    var device = TestDevice()
    for date in ["2021-02-29T00:00:00", "yesterday", "", "2020-09-24T00:00:00."] {
      let body = hex("A1 68") + bytes("datetime") + [0x60 + UInt8(date.utf8.count)] + bytes(date)
      let response = answer(hex("0A0000") + [UInt8(body.count)] + hex("0000 0104") + body, &device)
      #expect(response == hex("0B000005 0000 0104 A1 62 7263 03"))
    }
    let body = hex("A1 68") + bytes("datetime") + [0x73] + bytes("1970-01-01T00:00:00")
    let response = answer(
      hex("0A0000") + [UInt8(body.count)] + hex("0000 0104") + body, &device, at: Instant(milliseconds: 1))
    #expect(
      response == hex("0B000011 0000 0104 A1 63") + bytes("err") + hex("A2 65") + bytes("group")
        + hex("00 62 7263 05"))
  }

  @Test("tells the fields of a format in their own order, and the kernel name without one")
  func information() {
    var device = TestDevice()
    func output(_ format: String) -> [UInt8] {
      let body = hex("A1 66") + bytes("format") + [0x60 + UInt8(format.utf8.count)] + bytes(format)
      return answer(hex("080000") + [UInt8(body.count)] + hex("0000 0107") + body, &device)
    }
    #expect(
      answer(hex("08000001 0000 0107 A0"), &device) == hex("0900000F 0000 0107 A1 66 6F7574707574 66")
        + bytes("Herald"))
    #expect(output("ns") == hex("0900001C 0000 0107 A1 66 6F7574707574 73") + bytes("Herald 0123456789AB"))
    // Fields with nothing to tell leave no gap.
    #expect(
      output("a") == hex("0900002D 0000 0107 A1 66 6F7574707574 78 23")
        + bytes("Herald 0123456789AB 0.1.0 test none"))
    #expect(
      output("sx") == hex("09000011 0000 0107 A1 63") + bytes("err") + hex("A2 65") + bytes("group")
        + hex("00 62 7263 02"))
  }

  @Test("restarts on request, after the response")
  func reset() {
    var device = TestDevice()
    #expect(answer(hex("0A000001 0000 0105 A0"), &device) == hex("0B000001 0000 0105 A0"))
    #expect(device.restarts == 1)
    #expect(answer(hex("08000001 0000 0105 A0"), &device) == hex("09000005 0000 0105 A1 62 7263 08"))
    #expect(device.restarts == 1)
  }

  @Test("lists groups of counters, and reads one")
  func statistics() {
    var device = TestDevice()
    #expect(
      answer(hex("08000001 0002 0101 A0"), &device)
        == hex("09000016 0002 0101 A1 69") + bytes("stat_list") + hex("82 65") + bytes("radio") + hex("63")
        + bytes("log"))
    let request = hex("0800000C 0002 0100 A1 64") + bytes("name") + hex("65") + bytes("radio")
    #expect(
      answer(request, &device) == hex("09000028 0002 0100 A2 64") + bytes("name") + hex("65") + bytes("radio")
        + hex("66") + bytes("fields") + hex("A2 67") + bytes("adverts") + hex("1A 000F4240 65")
        + bytes("reads")
        + hex("01"))
    let unknown = hex("0800000A 0002 0100 A1 64") + bytes("name") + hex("63") + bytes("xyz")
    #expect(
      answer(unknown, &device)
        == hex("09000011 0002 0100 A1 63") + bytes("err") + hex("A2 65") + bytes("group")
        + hex("02 62 7263 02"))
    #expect(answer(hex("08000001 0002 0100 A0"), &device) == hex("09000005 0002 0100 A1 62 7263 03"))
  }

  @Test("says that a response does not fit rather than cutting it")
  func tooLong() {
    var device = TestDevice()
    let request = hex("0800000A 0002 0100 A1 64") + bytes("name") + hex("63") + bytes("log")
    #expect(answer(request, &device, room: 64) == hex("09000005 0002 0100 A1 62 7263 07"))
    #expect(answer(request, &device, room: 256).count > 100)
  }

  @Test("tells where the log stands")
  func logStatus() {
    var device = TestDevice()
    let status =
      hex("65") + bytes("epoch") + hex("1A CAFEF00D 65") + bytes("first") + hex("03 64") + bytes("last")
      + hex("05 64")
      + bytes("open") + hex("0A 64") + bytes("page") + hex("19 1000 64") + bytes("boot") + hex("07 64")
      + bytes("keep") + hex("0E 63")
      + bytes("now")
    #expect(
      answer(hex("08000001 0048 0100 A0"), &device, at: Instant(milliseconds: 1000))
        == hex("09000046 0048 0100 A9") + status + hex("19 03E8 62 6964 48 0000000000000000"))
    #expect(device.commits.isEmpty)
    // To write commits the log first.
    #expect(
      answer(hex("0A000001 0048 0100 A0"), &device, at: Instant(milliseconds: 1000))
        == hex("0B000046 0048 0100 A9") + status + hex("19 03E8 62 6964 48 0000000000000000"))
    #expect(device.commits == [Instant(milliseconds: 1000)])
    // Python: hashlib.sha256(b"herald device 1" + bytes(range(1, 17))).digest()[:8]
    for index in 0..<16 { device.addressKey.bytes[index] = UInt8(index + 1) }
    let identified = status + hex("19 03E8 62 6964 48 230C01CFC95E0B2B")
    #expect(
      answer(hex("08000001 0048 0100 A0"), &device, at: Instant(milliseconds: 1000))
        == hex("09000046 0048 0100 A9") + identified)
    // Whether a debugger reads its memory, if it knows.
    for (port, value) in [(DebugPortState.open, "F5"), (.closed, "F4")] {
      device.port = port
      #expect(
        answer(hex("08000001 0048 0100 A0"), &device, at: Instant(milliseconds: 1000))
          == hex("0900004C 0048 0100 AA") + identified + hex("64") + bytes("port") + hex(value))
    }
    device.clock.set(unixMilliseconds: 1_600_905_600_000, at: .start, source: .host)
    let date = hex("64") + bytes("unix") + hex("1B 00000174 BD68DFE8")
    #expect(
      answer(hex("08000001 0048 0100 A0"), &device, at: Instant(milliseconds: 1000))
        == hex("0900005A 0048 0100 AB") + identified + hex("64") + bytes("port") + hex("F4") + date)
    device.port = .notKnown
    #expect(
      answer(hex("08000001 0048 0100 A0"), &device, at: Instant(milliseconds: 1000))
        == hex("09000054 0048 0100 AA") + identified + date)
  }

  @Test("reads a page of the log, from any offset, as much as is wanted, there, and fits")
  func logRead() {
    var device = TestDevice()
    device.pages[4] = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    let head = hex("A4 63") + bytes("seq") + hex("04 63") + bytes("off")
    #expect(
      answer(hex("08000011 0048 0901 A3 63 736571 04 63 6F6666 18 FF 63 6C656E 03"), &device)
        == hex("0900001C 0048 0901") + head + hex("18FF 63") + bytes("len") + hex("19012C 64") + bytes("data")
        + hex("43 FF0001"))
    // Without an offset from the start, without a length to the end of the packet: 64 − 8 − 25 bytes.
    #expect(
      answer(hex("08000006 0048 0901 A1 63 736571 04"), &device, room: 64)
        == hex("09000038 0048 0901") + head + hex("00 63") + bytes("len") + hex("19012C 64") + bytes("data")
        + hex("58 1F")
        + Array(0..<31))
    // At the end there is nothing, beyond it there is an error.
    #expect(
      answer(hex("0800000D 0048 0901 A2 63 736571 04 63 6F6666 19 012C"), &device)
        == hex("0900001A 0048 0901") + head + hex("19012C 63") + bytes("len") + hex("19012C 64")
        + bytes("data") + hex("40"))
    let error = hex("A1 63") + bytes("err") + hex("A2 65") + bytes("group") + hex("1848 62 7263")
    #expect(
      answer(hex("0800000D 0048 0901 A2 63 736571 04 63 6F6666 19 012D"), &device)
        == hex("09000012 0048 0901") + error + [3])
    #expect(
      answer(hex("08000006 0048 0901 A1 63 736571 05"), &device) == hex("09000012 0048 0901") + error + [2])
    #expect(
      answer(hex("00000006 0048 0901 A1 63 736571 05"), &device) == hex("01000005 0048 0901 A1 62 7263 05"))
    device.isFlashBroken = true
    #expect(
      answer(hex("08000006 0048 0901 A1 63 736571 04"), &device) == hex("09000012 0048 0901") + error + [1])
  }

  @Test("refuses a log read without a page, or with numbers that are none")
  func logReadBad() {
    var device = TestDevice()
    for body in [
      "A0", "A1 63 6F6666 00", "A1 63 736571 20", "A1 63 736571 61 34", "A1 63 736571", "A1 04 63 736571",
      "80", "04",
    ] {
      let request = hex("080000") + [UInt8(hex(body).count)] + hex("0048 0901") + hex(body)
      #expect(answer(request, &device) == hex("09000005 0048 0901 A1 62 7263 03"))
    }
  }

  @Test(
    "answers unknown groups and commands with return code 8 in both versions, repeating sequence and command")
  func unknown() {
    var device = TestDevice()
    #expect(answer(hex("00000001 0063 2A11 A0"), &device) == hex("01000005 0063 2A11 A1 62 7263 08"))
    #expect(answer(hex("0A000001 0063 2A11 A0"), &device) == hex("0B000005 0063 2A11 A1 62 7263 08"))
    #expect(answer(hex("0A000001 0000 2A63 A0"), &device) == hex("0B000005 0000 2A63 A1 62 7263 08"))
    #expect(answer(hex("0A000001 0048 2A01 A0"), &device) == hex("0B000005 0048 2A01 A1 62 7263 08"))
    #expect(answer(hex("0A000001 0002 2A00 A0"), &device) == hex("0B000005 0002 2A00 A1 62 7263 08"))
  }

  @Test("answers a length that lies with return code 9, and a version from the future with 13")
  func headers() {
    var device = TestDevice()
    #expect(
      answer(hex("0A000007 0000 0100 A1 61 64 62 68 69"), &device) == hex("0B000005 0000 0100 A1 62 7263 09"))
    #expect(
      answer(hex("0A000005 0000 0100 A1 61 64 62 68 69"), &device) == hex("0B000005 0000 0100 A1 62 7263 09"))
    #expect(answer(hex("0AFEFFFF 0000 0100"), &device) == hex("0B000005 0000 0100 A1 62 7263 09"))
    #expect(answer(hex("12000001 0000 0100 A0"), &device) == hex("0B000005 0000 0100 A1 62 7263 0D"))
  }

  @Test("ignores responses, operations that do not exist, reserved bits and packets without a whole header")
  func ignored() {
    var device = TestDevice()
    for first: UInt8 in [0x09, 0x0B, 0x0C, 0x0F, 0x2A, 0x8A] {
      #expect(answer([first] + hex("000006 0000 0100 A1 61 64 62 68 69"), &device).isEmpty)
    }
    #expect(answer(hex("0A000000 0000 01"), &device).isEmpty)
    #expect(answer([], &device).isEmpty)
  }

  @Test("counts what it is asked")
  func counters() {
    var device = TestDevice()
    var server = SMPServer()
    var buffer = hex("0A000001 0063 2A11 A0") + [UInt8](repeating: 0, count: 32)
    var span = buffer.mutableSpan
    _ = server.respond(to: &span, count: 9, at: .start, device: &device)
    _ = server.respond(to: &span, count: 3, at: .start, device: &device)
    #expect((0..<4).map { server.statistic($0) } == [1, 1, 1, 0])
    #expect(
      text((0..<3).map { "\(SMPServer.statisticName($0))" }.joined(separator: " ").utf8.map { $0 })
        == "requests failures ignored")
  }
}

@Suite("Dates")
struct DateTimeTests {
  @Test(
    "a date up to 2099 is taken; one beyond is refused with 0/5, in version 1 with rc 1, and changes nothing")
  func last() {
    var device = TestDevice()
    func request(_ first: String, _ date: String) -> [UInt8] {
      hex("\(first)000022 0000 0104 A1 68") + Array("datetime".utf8) + hex("77") + Array(date.utf8)
    }
    let refused = hex("0B000011 0000 0104 A1 63 657272 A2 65 67726F7570 00 62 7263 05")
    #expect(answer(request("0A", "2099-12-31T23:59:59.999"), &device) == hex("0B000001 0000 0104 A0"))
    #expect(device.clock.unixMilliseconds(at: .start) == 4_102_444_799_999)
    for date in ["2100-01-01T00:00:00.000", "2106-02-07T06:28:16.000", "9999-12-31T23:59:59.999"] {
      #expect(answer(request("0A", date), &device) == refused, "\(date)")
    }
    #expect(
      answer(request("02", "9999-12-31T23:59:59.999"), &device) == hex("03000005 0000 0104 A1 62 7263 01"))
    #expect(device.clock.unixMilliseconds(at: .start) == 4_102_444_799_999)
  }

  /// Pairs from GNU date.
  @Test(
    "converts to Unix time and back",
    arguments: [
      ("1970-01-01T00:00:00.000", 0), ("1999-12-31T23:59:59.999", 946_684_799_999),
      ("2000-02-29T12:34:56.789", 951_827_696_789),
      ("2000-03-01T00:00:00.000", 951_868_800_000), ("2026-11-20T19:03:12.001", 1_795_201_392_001),
      ("2100-02-28T23:59:59.000", 4_107_542_399_000), ("2100-03-01T00:00:00.000", 4_107_542_400_000),
      ("9999-12-31T23:59:59.999", 253_402_300_799_999),
    ] as [(String, UInt64)])
  func both(text: String, milliseconds: UInt64) {
    let bytes = Array(text.utf8)
    #expect(DateTime.parse(bytes.span) == milliseconds)
    var buffer = [UInt8](repeating: 0, count: 23)
    var span = buffer.mutableSpan
    let isWritten = DateTime.write(milliseconds, to: &span)
    #expect(isWritten)
    #expect(buffer == bytes)
  }

  @Test(
    "takes a zone, and fractions of a second of any length up to nine digits",
    arguments: [
      ("2000-01-01T00:00:00Z", 946_684_800_000), ("2000-01-01T01:30:00+01:30", 946_684_800_000),
      ("1999-12-31T22:30:00-01:30", 946_684_800_000), ("2000-01-01T00:00:00.5", 946_684_800_500),
      ("2000-01-01T00:00:00.123456789-00:00", 946_684_800_123), ("2000-01-01T01:30:00+0130", 946_684_800_000),
      ("1999-12-31T22:30:00.25-0130", 946_684_800_250), ("2000-01-01T23:59:00+2359", 946_684_800_000),
    ] as [(String, UInt64)])
  func zones(text: String, milliseconds: UInt64) {
    let bytes = Array(text.utf8)
    #expect(DateTime.parse(bytes.span) == milliseconds)
  }

  @Test("writes nothing past the year 9999 or into too little room")
  func limits() {
    var buffer = [UInt8](repeating: 0, count: 23)
    var span = buffer.mutableSpan
    let isWritten = DateTime.write(253_402_300_800_000, to: &span) || DateTime.write(.max, to: &span)
    #expect(!isWritten)
    var short = span._mutatingExtracting(0..<22)
    let isCut = DateTime.write(0, to: &short)
    #expect(!isCut)
  }

  @Test(
    "refuses what is no date",
    arguments: [
      "2021-02-29T00:00:00", "2021-13-01T00:00:00", "2021-00-01T00:00:00", "2021-01-00T00:00:00",
      "2021-04-31T00:00:00",
      "1969-12-31T23:59:59", "2021-01-01T24:00:00", "2021-01-01T00:60:00", "2021-01-01T00:00:60",
      "2021-01-01 00:00:00",
      "2021-01-01T00:00", "2021-01-01T00:00:00.", "2021-01-01T00:00:00.1234567890", "2021-01-01T00:00:00z",
      "2021-01-01T00:00:00+020", "2021-01-01T00:00:00+02-00", "2021-01-01T00:00:00+2400",
      "2021-01-01T00:00:00+0260",
      "2021-01-01T00:00:00+02:0", "2021-01-01T00:00:00 0200", "1970-01-01T00:00:00+00:01",
      "2021-1-01T00:00:000", "+021-01-01T00:00:00",
    ])
  func bad(text: String) {
    let bytes = Array(text.utf8)
    #expect(DateTime.parse(bytes.span) == nil)
  }
}
