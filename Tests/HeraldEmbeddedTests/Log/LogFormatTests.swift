import HeraldEmbedded
import HeraldSimulation
import Testing

/// The events of the golden page, in two starts of the device.
private func writeGoldenPage() throws -> [UInt8] {
  let image = FlashImage(pageSize: 1024, pageCount: 2, wordSize: 4)
  var clock = WallClock()
  var log = FlashLog<MemoryFlash, 3>.mounted(on: image, freshEpoch: 0x1122_3344)
  func peer(_ last: UInt32, _ kind: TargetIdentity.Kind) -> TargetIdentity {
    TargetIdentity(kind: kind, high: 0xA0B1, low: 0xC2D3_E400 + last)
  }
  let phone = peer(1, .randomAddress)
  let pseudo = peer(2, .pseudoAddress)
  try log.add(.started(reason: 2), at: 15)
  try log.add(.detected(phone), at: 1234)
  try log.add(.measured(phone, RSSI(-70)), at: 1234)
  for index in 0..<40 {
    try log.add(.measured(phone, RSSI(Int8(-70 + index % 4))), at: 1420 + UInt64(index) * 182)
    if index % 3 == 0 {
      try log.add(.measured(pseudo, RSSI(Int8(-91 + index))), at: 1430 + UInt64(index) * 182)
    }
  }
  log.commit()
  clock.set(unixMilliseconds: 1_700_000_000_000, at: Instant(milliseconds: 9000), source: .host)
  try log.add(.clockSet(unixMilliseconds: 1_700_000_000_000, source: .host), at: 9000, clock: clock)
  try log.add(.read(phone), (0..<130).map { UInt8($0) }, at: 9500, clock: clock)
  try log.add(.measured(peer(3, .publicAddress), .notAvailable), at: 9830, clock: clock)
  try log.add(.measured(peer(4, .shared), RSSI(20)), at: 10_400, clock: clock)
  try log.add(.lost(phone), at: 700_000, clock: clock)
  try log.add(.battery(level: 81, external: true), at: 700_000, clock: clock)
  log.commit()
  try log.add(.lost(pseudo), at: 700_001, clock: clock)  // never committed

  log.mount(freshEpoch: 0)
  try log.add(.started(reason: 0), at: 30)
  try log.add(.shared(peer(5, .shared)), [0xDE, 0xAD], at: 500)
  try log.add(.ownPayload, [], at: 500)
  try log.add(.txPower(phone, -8), at: 4_000_000)
  try log.add(.heraldDetected(phone), at: 4_000_000)
  try log.add(.dropped(count: 77), at: 4_000_010)
  log.commit()
  return log.pageBytes(1) ?? []
}

/// What `writeGoldenPage` made when the format was fixed. Tests/Interop/log_format_test.py reads these lines too.
private let goldenPage = """
  484c6f67010403004433221101000000010000000a0000000000000000000000
  00000000c1b7ada8b82fff6b84e3e3bd56f08a7f99d57f5fcecfc17ef451329a
  ae4f9095728476f0fdafc853a54b8783fe96da3522556b3e7bfaa8adf28976d5
  64e8e9ff8b163baf4bd8a45e5fffbbbb1377ffff007c00010203040506070809
  0a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20212223242526272829
  2a2b2c2d2e2f303132333435363738393a3b3c3d3e3f40414243444546474849
  4a4b4c4d4e4f505152535455565758595a5b5c5d5e5f60616263646566676869
  6a6b6c6d6e6f707172737475767778797a7b462500067c7d7e7f80819e12ffff
  9d735dc255f17e55f7b38985b4216d7eaa295bb6fec7570dc53c18b67e082d78
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  484c6f67010403004433221101000000020000001e0000000000000000000000
  0000000012881235832fffefd596ffff0002dead6d53ffff9c8630c4f067df56
  f8ff5710bc53c1bce099cd03cf6e12d64bcea4a35be6a7ff
  """

/// The events of a page with the kinds that came later.
private func writeLaterPage() throws -> [UInt8] {
  let image = FlashImage(pageSize: 1024, pageCount: 2, wordSize: 4)
  var log = FlashLog<MemoryFlash, 3>.mounted(on: image, freshEpoch: 0x5566_7788)
  let phone = TargetIdentity(kind: .randomAddress, high: 0xA0B1, low: 0xC2D3_E401)
  let venue = TargetIdentity(kind: .publicAddress, high: 0xA0B1, low: 0xC2D3_E402)
  try log.add(.received(phone), [0x68, 0x69], at: 1000)
  try log.add(.received(phone), [], at: 1010)
  try log.add(.model(phone), Array("SM-A405FN".utf8), at: 1500)
  try log.add(.neighbour(phone, .covidWatch), (0..<16).map { 0xC0 + $0 }, at: 2000)
  try log.add(.neighbour(phone, .c19x), (0..<8).map { 0xD0 + $0 }, at: 2500)
  try log.add(.measured(phone, RSSI(-60)), at: 2600)
  try log.add(.ownNeighbour(.covidWatch), (0..<16).map { 0xE0 + $0 }, at: 3000)
  try log.add(.ownNeighbour(.c19x), (0..<8).map { 0xF0 + $0 }, at: 3500)
  try log.add(.visited(venue, firstHeard: 7_654, lastHeard: 300), at: 7_700_000)
  try log.add(.measured(phone, RSSI(-61)), at: 7_700_180)
  log.commit()
  return log.pageBytes(1) ?? []
}

/// What `writeLaterPage` made when these kinds were fixed. Tests/Interop/log_format_test.py reads these lines too.
private let laterPage = """
  484c6f6701040300887766550100000001000000e80300000000000000000000
  000000005bad098a00026869a36cffff8b17e5f4e3d2c1bfeff46edee397ffff
  0009534d2d41343035464e676dffffff84159869939defff0010c0c1c2c3c4c5
  c6c7c8c9cacbcccdcecf059283169e28aee9ffff0008d0d1d2d3d4d5d6d74819
  851acaad679838200010e0e1e2e3e4e5e6e7e8e9eaebecedeeeffd9a8407c52a
  18078bff0008f0f1f2f3f4f5f6f769ed9809a8380d316825f088fb6a6457c5de
  b775d39ff31ee5d11293fbff
  """

/// The events of a page of a device that a fault had restarted.
private func writeRestartPage() throws -> [UInt8] {
  let image = FlashImage(pageSize: 1024, pageCount: 2, wordSize: 4)
  var log = FlashLog<MemoryFlash, 3>.mounted(on: image, freshEpoch: 0x99AA_BBCC)
  var report = RestartReport(cause: .stackOverflow, mode: .safe)
  report.streak = 3
  report.faults = 5
  report.lasted = 77
  report.programCounter = 0x0000_8972
  report.linkRegister = 0x0000_033F
  report.programStatus = 0x2100_0003
  report.faultStatus = 0x0000_0010
  report.faultAddress = 0x1FFF_FFF8
  var bytes: [32 of UInt8] = .init(repeating: 0)
  var room = bytes.mutableSpan
  let fits = report.write(to: &room)
  #expect(fits)
  try log.add(.started(reason: 6), at: 0)
  try log.add(.restarted, (0..<32).map { bytes[$0] }, at: 0)
  log.commit()
  return log.pageBytes(1) ?? []
}

/// What `writeRestartPage` made when the report was fixed. Tests/Interop/log_format_test.py reads these lines too.
private let restartPage = """
  484c6f6701040300ccbbaa990100000001000000000000000000000000000000
  00000000dbaa3651832ffe6f2c56ffff002006010300050000004d0000007289
  00003f0300000300002110000000f8ffff1f7af0830e9c1573c2ffff
  """

private func lines(_ page: [UInt8]) -> String {
  let hex = page.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
  return stride(from: 0, to: hex.count, by: 32).map { hex[$0..<min($0 + 32, hex.count)].joined() }
    .joined(separator: "\n")
}

@Suite("Log page format")
struct LogFormatTests {
  @Test("HP-46 a page has the bytes it had when the format was fixed")
  func golden() throws {
    #expect(lines(try writeGoldenPage()) == goldenPage)
  }

  @Test(
    "HP-46 HP-51 a page with messages, models, codes and visits has the bytes it had when they were fixed")
  func later() throws {
    #expect(lines(try writeLaterPage()) == laterPage)
  }

  @Test("HP-46 a page with the report of a restart has the bytes it had when that was fixed")
  func restart() throws {
    #expect(lines(try writeRestartPage()) == restartPage)
  }

  @Test("HP-46 the header is as the format page says")
  func header() throws {
    let page = try writeGoldenPage()
    // "HLog", version 1, word 4, dictionary 3, date unknown, epoch, sequence 1, boot 1, uptime 10 ms, no date.
    let expected: [UInt8] = [
      0x48, 0x4C, 0x6F, 0x67, 0x01, 0x04, 0x03, 0x00, 0x44, 0x33, 0x22, 0x11, 0x01, 0x00, 0x00, 0x00, 0x01,
      0x00,
      0x00, 0x00, 0x0A, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
      0x00,
    ]
    #expect(Array(page[0..<36]) == expected)
  }
}
