import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

/// The events of the golden page, in two starts of the device.
func writeGoldenPage() throws -> [UInt8] {
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

/// What `writeGoldenPage` made when the format was fixed. Tests/Interop/log_format_test.py reads these lines
/// too.
private let goldenPage = """
  484c6f67030403004433221101000000010000000a0000000000000000000000
  00000000d4ba6890bb2fff6b84e398ef55bc229fe73aaff47db9dfb185ca4173
  642f34a23d7be08e2430d23dd51496a5e6ee8a1f54f1144ea567f7c2a4a7553f
  12928cbc242affff8b163baf4bd8a45e5fffbbbbdb3bffff007c000102030405
  060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425
  262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f404142434445
  464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f606162636465
  666768696a6b6c6d6e6f707172737475767778797a7bb15f00067c7d7e7f8081
  3205ffff9d735dcdae83c20ae8b28a1386b6e4f6e1eaeaf33be5f0dfc32f6540
  7d16866dffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  484c6f67030403004433221101000000020000001e0000000000000000000000
  000000000785d70d832fffefc007ffff0002deadd54bffff9c8630e5bc19f7d5
  be3fd5c42f0f32e7939cd670b6e4a4ed832772d2a97c6bff
  """

/// The events of a page with the kinds that came later.
func writeLaterPage() throws -> [UInt8] {
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

/// What `writeLaterPage` made when these kinds were fixed. Tests/Interop/log_format_test.py reads these lines
/// too.
private let laterPage = """
  484c6f6703040300887766550100000001000000e80300000000000000000000
  000000004ea0ccb200026869b6fdffff8c17d97d38f4b06ffbfd2086923740ff
  0009534d2d41343035464e1573ffffff83159af4f6c7ffff0010c0c1c2c3c4c5
  c6c7c8c9cacbcccdcecf85648316adb5f268ffff0008d0d1d2d3d4d5d6d70e2b
  851b1ab0f18ec39b0010e0e1e2e3e4e5e6e7e8e9eaebecedeeefe6978407c52a
  18c5afff0008f0f1f2f3f4f5f6f75d5f9709a8380d3167edfb3a6dedf3011c28
  60d33b8ff9c294c00609ffff
  """

/// The events of a page with more targets than are searched for: forty of them, heard in turn twice.
func writeCrowdedPage() throws -> [UInt8] {
  let image = FlashImage(pageSize: 1024, pageCount: 2, wordSize: 4)
  var log = FlashLog<MemoryFlash, 64>.mounted(on: image, freshEpoch: 0x99AA_BBCC)
  func peer(_ number: Int) -> TargetIdentity {
    TargetIdentity(kind: .randomAddress, high: 0xA0B1, low: 0xC2D3_E400 + UInt32(number))
  }
  for index in 0..<80 {
    try log.add(.measured(peer(index % 40), RSSI(Int8(-60 - index % 7))), at: 1000 + UInt64(index) * 30)
  }
  // One far down the list, two at its beginning, and one that is new again.
  for (index, number) in [3, 39, 38, 40].enumerated() {
    try log.add(.measured(peer(number), RSSI(-70)), at: 3500 + UInt64(index) * 30)
  }
  log.commit()
  return log.pageBytes(1) ?? []
}

/// What `writeCrowdedPage` made when the format was fixed. Tests/Interop/log_format_test.py reads these lines
/// too.
private let crowdedPage = """
  484c6f6703044000ccbbaa990100000001000000e80300000000000000000000
  00000000dae141327dfd97d38f4b06ffe47cc584f82b5e9b755216498245cf80
  db4eab350faa84950b7b7f2d97151aa96190b2e0aa76f6396ae0a45d2827b0d4
  08ab1c9657509672ed802c860e912bd22ff683283ababbe9b2289be06da3edf8
  dc9a47a6ebb5e6129b3f922567902dead8f2f256cd4e5fc48668ab4c3fff80c7
  7ccb363663a524077dd919b4313e80a2394198405c6735564d5ffb11249fc60b
  60c9fe24400329c54539a20f764518c04d444205ece280cdf1f60246e7cc33b9
  793e54ba041ab2ba98c762f4bdc6c0d0c1c02c263673ff17cbd406e2d225f382
  d418024e973a61f360b70a08b3e299da70a91faec087cc5b81d9f4ab4020fb7b
  fe56392c83b62fd3d0d8316967df75913f2afcdc34754fb372c60a7431394ad9
  cbbc2153628b0b827844e8aed7c0330186dfc44207796c605a0dbe262f0b6773
  bba33c41d08398987ae573a87265f7c381ed9c5a696dad40bd5d1aff
  """

/// The events of a page of a device that a fault had restarted.
func writeRestartPage() throws -> [UInt8] {
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

/// What `writeRestartPage` made when the report was fixed. Tests/Interop/log_format_test.py reads these lines
/// too.
private let restartPage = """
  484c6f6703040300ccbbaa990100000001000000000000000000000000000000
  00000000cea7f369832ffe6f39c7ffff002006010300050000004d0000007289
  00003f0300000300002110000000f8ffff1f8a42830e9c15983dffff
  """

/// The events of a page of a device with a motion sensor.
func writeMotionPage() throws -> [UInt8] {
  let image = FlashImage(pageSize: 1024, pageCount: 2, wordSize: 4)
  var log = FlashLog<MemoryFlash, 3>.mounted(on: image, freshEpoch: 0x55AA_55AA)
  try log.add(.started(reason: 0), at: 0)
  try log.add(.motion(.worn), at: 10)
  try log.add(.motion(.lying), at: 300_010)
  try log.add(.motion(.unknown), at: 301_510)
  try log.add(.motion(.worn), at: 302_000)
  log.commit()
  return log.pageBytes(1) ?? []
}

/// What `writeMotionPage` made when the states were fixed. Tests/Interop/log_format_test.py reads these lines
/// too.
private let motionPage = """
  484c6f6703040300aa55aa550100000001000000000000000000000000000000
  00000000ff1899088f2fffc3f69c43900b1534429819f54cbbd5ffff
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
    let page = lines(try writeGoldenPage())
    #expect(page == goldenPage)
  }

  @Test(
    "HP-46 HP-51 a page with messages, models, codes and visits has the bytes it had when they were fixed")
  func later() throws {
    let page = lines(try writeLaterPage())
    #expect(page == laterPage)
  }

  @Test("HP-46 a page with the report of a restart has the bytes it had when that was fixed")
  func restart() throws {
    let page = lines(try writeRestartPage())
    #expect(page == restartPage)
  }

  @Test("HP-46 a page with states of motion has the bytes it had when these were fixed")
  func motion() throws {
    let page = lines(try writeMotionPage())
    #expect(page == motionPage)
  }

  @Test("HP-46 a page with more targets than are searched for has the bytes it had when the format was fixed")
  func crowded() throws {
    let page = lines(try writeCrowdedPage())
    #expect(page == crowdedPage)
  }

  @Test("HP-46 the header is as the format page says")
  func header() throws {
    let page = try writeGoldenPage()
    // "HLog", version 3, word 4, dictionary 3, date unknown, epoch, sequence 1, boot 1, uptime 10 ms, no
    // date.
    let expected: [UInt8] = [
      0x48, 0x4C, 0x6F, 0x67, 0x03, 0x04, 0x03, 0x00, 0x44, 0x33, 0x22, 0x11, 0x01, 0x00, 0x00, 0x00, 0x01,
      0x00,
      0x00, 0x00, 0x0A, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
      0x00,
    ]
    #expect(Array(page[0..<36]) == expected)
  }
}
