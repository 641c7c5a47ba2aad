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
  00000000d4ba6890be2fff6b83aa18ef55bc229fe786bfee583eeb070dec4031
  60b5e70b11c4af2ac0fe516714205bad32af91e90e2014d38bb6d99c9d8912d5
  84589338a88fc78e1affffff8b162bc15456d0f777ffb33384cbffff007c0001
  02030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021
  22232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f4041
  42434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f6061
  62636465666768696a6b6c6d6e6f707172737475767778797a7ba13700067c7d
  7e7f80812ba1ffff9f7355bf0d22d50623e9c376e70a0706b4ef196f0301cdf3
  3faa8fb234a76c41a8f7ffffffffffffffffffffffffffffffffffffffffffff
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
  484c6f67030403004433221101000000020000001e0000000000000000000000
  000000000785d70da42fffe8854d1deab78453f0dd8fdd7bc49c68dfc266d275
  c776dce5dc14c4120be9dcfec72b01ff
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
  try log.add(.observed(phone, ServiceNumber(rawValue: 0)), (0..<16).map { 0xC0 + $0 }, at: 2000)
  try log.add(.observed(phone, ServiceNumber(rawValue: 1)), (0..<8).map { 0xD0 + $0 }, at: 2500)
  try log.add(.measured(phone, RSSI(-60)), at: 2600)
  try log.add(.ownCode(ServiceNumber(rawValue: 0)), (0..<16).map { 0xE0 + $0 }, at: 3000)
  try log.add(.ownCode(ServiceNumber(rawValue: 1)), (0..<8).map { 0xF0 + $0 }, at: 3500)
  try log.add(.visited(venue, firstReceived: 7_654, lastReceived: 300), at: 7_700_000)
  try log.add(.measured(phone, RSSI(-61)), at: 7_700_180)
  log.commit()
  return log.pageBytes(1) ?? []
}

/// What `writeLaterPage` made when these kinds were fixed. Tests/Interop/log_format_test.py reads these lines
/// too.
private let laterPage = """
  484c6f6703040300887766550100000001000000e80300000000000000000000
  000000004ea0ccb2f017d97d38f4b06ffbffd97964955698ae1447d2afa5469f
  dee825858cec05dfb7ec9945f29f4bf8a551feab5804b274c4f99077f4f8fd01
  6bbd15e96cb7ca76ff9077bf6d1ac87623d17f2cda8835e89bfbca2ea3c5e80a
  2c4d9de38f8f0fb9c7ae6aa8ae0d2a95488bae47e4bbcdb269ae9fff
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
  00000000dae141327dfd97d38f4b06ffe47cc22a285b8ef301ed4b4befb7e0ce
  92c6844bc74828c0b3e3df7a27b8450e0a094b97b4f2aae881fbb54532ddd588
  4f97867a5a90cc4fb0d31ae25eb72574ec512a942396b73300e2fbe8d9974b4a
  11b4ad3b25f969eccb76aa844a37e904bacf71ee5ae77201288b670e1c8287ca
  9ae1a6ce505522467dbf7ec291f08d17c0f8397f046de4ab77ecb4507dfd2bd9
  73ecc311778dd33b64e8018d34b490288daaeeb8070582bc9e396f057e4b87e2
  ff504a52f96644dbfdf1e4d0345102f4da6e9d82987738c1650b1399102e5735
  c6a1e30cdcd3091ad82e77a664d9d315f2bf8749af7f1715347816df4b90e7d4
  50da96eb8d112b91be8e1622c883e8add0a6fd8fef58a7783b9f1d22e88fba67
  4d79088cd6d3ab7277cc412eba2ebf8c4f3b25349ea5fa4d0ddac31d8c46d030
  a9e196cf310d7a0954ffffff
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
  00003f0300000300002110000000f8ffff1f8a42830e9baf9ea2ffff
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
  00000000ff189908922fffc3f6c6a3a5165fc373dacbdc4dd162b4c7bfffffff
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
