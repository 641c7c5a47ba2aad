import HeraldEmbedded
import Testing

@testable import HeraldDeviceLink

@Suite("The log as files")
struct FileManagementTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
  private func text(_ text: String) -> [UInt8] {
    (text.utf8.count < 24 ? [0x60 + UInt8(text.utf8.count)] : [0x78, UInt8(text.utf8.count)]) + bytes(text)
  }
  private func request(_ command: UInt8, _ body: [UInt8], operation: UInt8 = 0x08) -> [UInt8] {
    [operation, 0, UInt8(body.count >> 8), UInt8(body.count & 0xFF), 0, 8, 7, command] + body
  }
  private func file(_ name: String, off: [UInt8] = [0]) -> [UInt8] {
    hex("A2") + text("name") + text(name) + text("off") + off
  }
  private func failure(_ code: UInt8) -> [UInt8] {
    hex("A1") + text("err") + hex("A2") + text("group") + hex("08") + text("rc") + [code]
  }

  /// Pages 3 and 4 of 16 bytes, and 10 bytes of page 5.
  private func device() -> TestDevice {
    var device = TestDevice()
    device.status.pageSize = 16
    device.pages = [3: Array(0..<16), 4: Array(16..<32), 5: Array(32..<42)]
    return device
  }

  @Test("a download tells the length with the first bytes, and continues where it is asked to")
  func download() {
    var device = device()
    var server = SMPServer()
    func ask(_ packet: [UInt8], room: Int = 48) -> [UInt8] {
      var buffer = packet + [UInt8](repeating: 0, count: max(0, room - packet.count))
      var span = buffer.mutableSpan
      var part = span._mutatingExtracting(0..<max(room, packet.count))
      let count = server.respond(to: &part, count: packet.count, at: .start, device: &device)
      return Array(buffer[..<count])
    }
    // {"off": 0, "len": 42, "data": …}: 48 − 8 − 17 − 1 bytes.
    check(
      ask(request(0, file("/log/all")))
        == hex("09000028 0008 0700 A3") + text("off") + [0] + text("len") + hex("182A") + text("data") + [
          0x56
        ]
        + Array(0..<22))
    // What comes after that belongs to what there was: the log may grow.
    device.pages[5] = Array(32..<48)
    device.status.openBytes = 16
    check(
      ask(request(0, file("/log/all", off: [21])), room: 64)
        == hex("09000021 0008 0700 A2") + text("off") + [21] + text("data") + [0x55] + Array(21..<42))
    check(
      ask(request(0, file("/log/all", off: hex("182A")))) == hex("0900000D 0008 0700 A2") + text("off")
        + hex("182A") + text("data") + hex("40"))
    check(ask(request(0, file("/log/all", off: hex("182B")))).dropFirst(8) == failure(12)[...])
    // Its first page goes: there is no going on.
    device.pages[3] = nil
    check(ask(request(0, file("/log/all", off: [21]))).dropFirst(8) == failure(11)[...])
    // Another file in between is another download.
    device.pages[3] = Array(0..<16)
    _ = ask(request(0, file("/log/all")))
    _ = ask(request(0, file("/log/cafef00d-0000000004.page")))
    check(ask(request(0, file("/log/all", off: [21])), room: 64).suffix(3) == [45, 46, 47])
    // A page of another log is not the file that is open.
    check(ask(request(0, file("/log/cafef00d-0000000004.page"))).count == 41)
    check(ask(request(0, file("/log/cafef00d-0000000004.page", off: [8]))).suffix(8) == Array(24..<32)[...])
    check(ask(request(0, file("/log/cafef00e-0000000004.page", off: [8]))).dropFirst(8) == failure(3)[...])
    // Closed: the next request sees the file as it is.
    check(ask(request(4, [0xA0], operation: 0x0A)) == hex("0B000001 0008 0704 A0"))
  }

  @Test("a page is a file, too, under the name that the host gives it")
  func page() {
    var device = device()
    check(
      answer(request(0, file("/log/cafef00d-0000000004.page")), &device)
        == hex("09000021 0008 0700 A3") + text("off") + [0] + text("len") + [16] + text("data") + [0x50]
        + Array(16..<32))
    check(
      answer(request(1, hex("A1") + text("name") + text("/log/cafef00d-0000000005.page")), &device)
        == hex("09000006 0008 0701 A1") + text("len") + [10])
    check(
      answer(request(1, hex("A1") + text("name") + text("/log/all")), &device)
        == hex("09000007 0008 0701 A1") + text("len") + hex("182A"))
    for name in [
      "/log/cafef00e-0000000004.page", "/log/cafef00d-0000000006.page", "/log/CAFEF00D-0000000004.page",
      "/log/cafef00d-000000004.page", "/log/cafef00d-9999999999.page", "/log/cafef00d-0000000004.pagE",
      "/log",
      "/log/../log/all", "all", "/log/cafef00d-00000000a4.page", "/",
    ] {
      check(
        answer(request(1, hex("A1") + text("name") + text(name)), &device).dropFirst(8) == failure(3)[...],
        "\(name)")
      check(answer(request(0, file(name)), &device).dropFirst(8) == failure(3)[...], "\(name)")
    }
    // Version 1: no such entry.
    check(
      answer(request(1, hex("A1") + text("name") + text("/x"), operation: 0), &device)
        == hex("01000005 0008 0701 A1 62 7263 05"))
    device.isFlashBroken = true
    check(answer(request(0, file("/log/all")), &device).dropFirst(8) == failure(7)[...])
  }

  @Test("hash and checksum are those that other programs find")
  func hashes() {
    var device = TestDevice()
    device.status = LogStatus(epoch: 1, oldest: 1, newest: 1, openBytes: 9, pageSize: 16, boot: 1)
    device.pages = [1: bytes("123456789")]
    let name = text("name") + text("/log/all")
    // CRC-32 of the digits is CBF43926.
    check(
      answer(request(2, hex("A1") + name), &device)
        == hex("0900001D 0008 0702 A3") + text("type") + text("crc32") + text("len") + [9] + text("output")
        + hex("1A CBF43926"))
    // SHA-256 of "2345", as sha256sum has it.
    check(
      answer(
        request(2, hex("A4") + name + text("type") + text("sha256") + text("off") + [1] + text("len") + [4]),
        &device)
        == hex("09000040 0008 0702 A4") + text("type") + text("sha256") + text("off") + [1] + text("len") + [
          4
        ]
        + text("output") + hex("5820 38083C7EE9121E17401883566A148AA5C2E2D55DC53BC4A94A026517DBFF3C6B"))
    check(
      answer(request(2, hex("A2") + name + text("type") + text("md5")), &device).dropFirst(8)
        == failure(13)[...])
    check(
      answer(request(2, hex("A2") + name + text("off") + [10]), &device).dropFirst(8) == failure(12)[...])
    check(
      answer(request(3, [0xA0]), &device)
        == hex("09000034 0008 0703 A1") + text("types") + hex("A2") + text("crc32") + hex("A2")
        + text("format")
        + [0] + text("size") + [4] + text("sha256") + hex("A2") + text("format") + [1] + text("size")
        + hex("1820"))
    device.status.newest = 0
    check(answer(request(2, hex("A1") + name), &device).dropFirst(8) == failure(16)[...])
  }

  @Test("what is not understood is refused")
  func refusals() {
    var device = device()
    let invalid = hex("A1 62 7263 03")
    for body in [
      [0xA0], hex("80"), hex("A1") + text("name") + [4], hex("A1") + text("name") + text("/log/all"),
    ] {
      check(answer(request(0, body), &device).dropFirst(8) == invalid[...])
    }
    check(answer(request(0, file("/log/all", off: hex("20"))), &device).dropFirst(8) == invalid[...])
    check(answer(request(1, [0xA0]), &device).dropFirst(8) == invalid[...])
    for (command, operation) in [(1, 0x0A), (2, 0x0A), (3, 0x0A), (4, 0x08), (5, 0x08)] as [(UInt8, UInt8)] {
      check(
        answer(request(command, file("/log/all"), operation: operation), &device).dropFirst(8)
          == hex("A1 62 7263 08")[...])
    }
  }
}
