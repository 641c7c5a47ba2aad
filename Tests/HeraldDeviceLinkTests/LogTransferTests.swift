import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import Testing

@testable import HeraldDeviceLink

@Suite("The log on its way to a host")
struct LogTransferTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
  private func failure(_ code: UInt8) -> [UInt8] {
    hex("A1 63") + bytes("err") + hex("A2 65") + bytes("group") + hex("1848 62 7263") + [code]
  }

  @Test("a stream continues across the ends of pages, from any byte, as much as is wanted, there, and fits")
  func stream() {
    var device = TestDevice()
    device.pages[3] = Array(0..<40)
    device.pages[4] = Array(100..<140)
    device.pages[5] = [200, 201]
    // {"seq": 3, "off": 38, "len": 4} → {"data": the last two bytes of page 3, and the first two of page 4}
    check(
      answer(hex("08000011 0048 0908 A3 63 736571 03 63 6F6666 18 26 63 6C656E 04"), &device)
        == hex("0900000B 0048 0908 A1 64 64617461 44 2627 6465"))
    // Across two ends, to the end of the newest: 82 bytes.
    let all = answer(hex("08000006 0048 0908 A1 63 736571 03"), &device)
    check(all.prefix(16) == hex("0900005A 0048 0908 A1 64 64617461 58 52")[...])
    let pages: [UInt8] = Array(0..<40) + Array(100..<140) + [200, 201]
    check(all.dropFirst(16) == pages[...])
    // As much as fits into 32 bytes: 17, with a head of a byte.
    check(
      answer(hex("08000006 0048 0908 A1 63 736571 03"), &device, room: 32)
        == hex("09000018 0048 0908 A1 64 64617461 51") + Array(0..<17))
    // At the end there is nothing, beyond it and where no page is there is an error.
    check(
      answer(hex("0800000B 0048 0908 A2 63 736571 05 63 6F6666 02"), &device)
        == hex("09000007 0048 0908 A1 64 64617461 40"))
    check(
      answer(hex("0800000B 0048 0908 A2 63 736571 05 63 6F6666 03"), &device)
        == hex("09000012 0048 0908") + failure(3))
    check(
      answer(hex("08000006 0048 0908 A1 63 736571 06"), &device) == hex("09000012 0048 0908") + failure(2))
    check(answer(hex("08000001 0048 0908 A0"), &device) == hex("09000005 0048 0908 A1 62 7263 03"))
    // A page that is missing ends it.
    device.pages[4] = nil
    check(answer(hex("08000006 0048 0908 A1 63 736571 03"), &device).count == 8 + 1 + 5 + 2 + 40)
    device.isFlashBroken = true
    check(
      answer(hex("08000006 0048 0908 A1 63 736571 03"), &device) == hex("09000012 0048 0908") + failure(1))
  }

  @Test("of a packet of 1,024 bytes 1,007 are the log's; of the smallest, some")
  func efficiency() {
    var device = TestDevice()
    device.pages[4] = [UInt8](repeating: 0x55, count: 4096)
    let request = hex("08000006 0048 0908 A1 63 736571 04")
    check(answer(request, &device, room: 1024).count == 1024)
    for room in 32..<300 {
      let response = answer(request, &device, room: room)
      check(response.count <= room && response.count >= room - 2, "\(room): \(response.count)")
      var reader = CBORReader(response.span.extracting(8...))
      check(reader.skip() && reader.isAtEnd)
    }
    check(answer(request, &device, room: 4160).count == 8 + 1 + 5 + 3 + 4096)
  }

  /// SHA-256 of "abc" (FIPS 180-4, example 1).
  private let abc = "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"

  @Test("an acknowledgement names log and page, and has the digest of the page; twice is fine")
  func acknowledgement() {
    var device = TestDevice()
    device.pages[4] = bytes("abc")
    let epoch = hex("65") + bytes("epoch") + hex("1A CAFEF00D")
    let other = hex("65") + bytes("epoch") + hex("1A CAFEF00E")
    let page = hex("63 736571 04")
    let digest = hex("66") + bytes("digest") + hex("58 20 \(abc)")
    let head = hex("0A00003A 0048 0904 A3")
    for _ in 0..<2 {
      // {"first": 3, "to": 4}
      check(
        answer(head + epoch + page + digest, &device)
          == hex("0B00000C 0048 0904 A2 65") + bytes("first") + hex("03 62 746F 04"))
    }
    check(device.acknowledged == [4, 4])
    // Another page than the device has: the last bit of the digest.
    let forged = digest.dropLast() + [0xAC]
    check(answer(head + epoch + page + forged, &device) == hex("0B000012 0048 0904") + failure(13))
    check(
      answer(hex("0200003A 0048 0904 A3") + epoch + page + forged, &device)
        == hex("03000005 0048 0904 A1 62 7263 03"))
    // The page that is being written; another log; version 1.
    check(
      answer(head + epoch + hex("63 736571 05") + digest, &device) == hex("0B000012 0048 0904") + failure(3))
    check(answer(head + other + page + digest, &device) == hex("0B000012 0048 0904") + failure(4))
    check(
      answer(hex("0200003A 0048 0904 A3") + other + page + digest, &device)
        == hex("03000005 0048 0904 A1 62 7263 03"))
    device.isFlashBroken = true
    check(answer(head + epoch + page + digest, &device) == hex("0B000012 0048 0904") + failure(1))
    check(device.acknowledged == [4, 4])
  }

  @Test("an acknowledgement without a digest, or with one of another size, is malformed")
  func acknowledgementWithoutDigest() {
    var device = TestDevice()
    device.pages[4] = bytes("abc")
    let epoch = hex("65") + bytes("epoch") + hex("1A CAFEF00D")
    let page = hex("63 736571 04")
    let key = hex("66") + bytes("digest")
    // As hosts of before sent it; without a page, without an epoch; 31 bytes, 33 bytes, none, text.
    for body in [
      hex("A2") + epoch + page, hex("A2") + epoch + key + hex("5820 \(abc)"),
      hex("A2") + page + key + hex("5820 \(abc)"),
      hex("A3") + epoch + page + key + hex("581F \(abc.dropLast(2))"),
      hex("A3") + epoch + page + key + hex("5821 \(abc)00"), hex("A3") + epoch + page + key + hex("40"),
      hex("A3") + epoch + page + key + hex("7820 \(abc)"),
    ] {
      check(
        answer(hex("0A0000") + [UInt8(body.count)] + hex("0048 0904") + body, &device)
          == hex("0B000005 0048 0904 A1 62 7263 03"), "\(body)")
    }
    let whole = hex("A3") + epoch + page + key + hex("5820 \(abc)")
    check(answer(hex("0800003A 0048 0904") + whole, &device).dropFirst(8) == hex("A1 62 7263 08")[...])
    check(device.acknowledged.isEmpty)
  }

  @Test("each event is reported once, to the host that polls, with the number of dropped events")
  func live() {
    var device = TestDevice()
    let peer = TargetIdentity(kind: .randomAddress, high: 0xC102, low: 0x0304_0506)
    let request = hex("08000001 0048 0906 A0")
    let nothing = hex("0900000F 0048 0906 A2 64") + bytes("lost") + hex("00 66") + bytes("events") + hex("80")
    // Events before the first request are not reported.
    device.tap.didDetect(peer, at: .start)
    check(answer(request, &device, at: Instant(milliseconds: 1000)) == nothing)
    device.tap.didMeasure(peer, RSSI(-70), at: Instant(milliseconds: 1058))
    device.tap.didRead(peer, [1, 2, 3].span, known: false, at: Instant(milliseconds: 1060))
    check(
      answer(request, &device, at: Instant(milliseconds: 1100))
        == hex("0900002C 0048 0906 A2 64") + bytes("lost") + hex("00 66") + bytes("events")
        + hex("82 85 18 2A 02 47 01C10203040506 38 45 00 85 18 28 03 47 01C10203040506 00 03"))
    check(answer(request, &device, at: Instant(milliseconds: 1200)) == nothing)
    // There is room for fourteen; a packet takes some, the next the rest.
    for number in 0..<20 {
      device.tap.didMeasure(peer, RSSI(Int8(-90 + number)), at: Instant(milliseconds: 1300))
    }
    let some = answer(request, &device, room: 128, at: Instant(milliseconds: 1300))
    check(
      some[8...].starts(
        with: hex("A2 64") + bytes("lost") + hex("06 66") + bytes("events") + hex("84 85 00 02")))
    check(
      answer(request, &device, room: 4096, at: Instant(milliseconds: 1300))[8...]
        .starts(with: hex("A2 64") + bytes("lost") + hex("00 66") + bytes("events") + hex("8A 85 00 02")))
    // Nobody asks for ten seconds: nothing is kept.
    device.tap.didMeasure(peer, RSSI(-70), at: Instant(milliseconds: 11_400))
    check(answer(request, &device, at: Instant(milliseconds: 11_500)) == nothing)
    device.tap.didMeasure(peer, RSSI(-70), at: Instant(milliseconds: 11_600))
    check(answer(request, &device, at: Instant(milliseconds: 30_000)) == nothing)
  }

  @Test("every event has its kind, and each part of a pair of delegates can be the one that keeps them")
  func kinds() {
    let peer = TargetIdentity(kind: .publicAddress, high: 1, low: 2)
    var pair = SensorDelegates(SensorDelegates(NoDelegate(), LiveTap()), NoDelegate())
    check(type(of: pair.first).hasLive && !NoDelegate.hasLive)
    _ = pair.watch(at: .start)
    pair.didDetect(peer, at: .start)
    pair.didMeasure(peer, RSSI(-1), at: .start)
    pair.didRead(peer, [1].span, known: true, at: .start)
    pair.didShare(peer, [1, 2].span, at: .start)
    pair.didLose(peer, at: .start)
    pair.didChangeTxPower(peer, -12, at: .start)
    pair.didReceive(peer, Span(), at: .start)
    pair.didReadModel(peer, [1, 2, 3].span, at: .start)
    pair.didObserve(peer, ServiceNumber(rawValue: 1), [1, 2, 3, 4].span, at: .start)
    pair.didVisit(
      Visit(
        venue: peer, payloadDigest: 0, begin: Instant(milliseconds: 1000), end: Instant(milliseconds: 91_000)),
      at: .start)
    pair.didUpdateState(.on, at: .start)
    check(pair.watch(at: .start) == 11)
    var told: [String] = []
    while let event = pair.nextLive() {
      told.append("\(event.kind.map { "\($0)" } ?? "none") \(event.target.low) \(event.level) \(event.count)")
    }
    check(
      told == [
        "detected 2 0 0", "measured 2 -1 0", "read 2 0 1", "shared 2 0 2", "lost 2 0 0", "txPower 2 -12 0",
        "received 2 0 0", "model 2 0 3", "observed 2 1 4", "visited 2 0 90", "state 0 1 0",
      ], "\(told)")
    check((0...255).compactMap(LiveKind.init(rawValue:)).map(\.rawValue) == Array(1...11))
  }
}
