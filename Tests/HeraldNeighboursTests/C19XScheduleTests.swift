import HeraldEmbedded
import HeraldNeighbours
import Testing

/// The big-endian integers in a derived window.
private func dayCodes(secret: [UInt8], _ days: ClosedRange<Int>, of all: Int) throws -> [Int64] {
  var bytes = [UInt8](repeating: 0, count: days.count * 8)
  var span = bytes.mutableSpan
  try C19XSchedule.deriveDayCodes(
    from: secret.span, first: days.lowerBound, last: days.upperBound, days: all, into: &span)
  return (0..<days.count).map { day in
    Int64(bitPattern: bytes[day * 8..<day * 8 + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}

private func seed(_ dayCode: Int64) -> Int64 {
  Int64(bitPattern: C19XSchedule.seed(dayCode: UInt64(bitPattern: dayCode)))
}

private func beaconCodes(seed: Int64, _ count: Int) -> [Int64?] {
  (0..<count).map {
    C19XSchedule.beaconCode($0, seed: UInt64(bitPattern: seed), codes: count).map(Int64.init(bitPattern:))
  }
}

/// The vectors are those of the C19X project's own tests, and one computed by a program that is not ours.
@Suite("C19X: the code schedule")
struct C19XScheduleTests {
  @Test("HP-55 The published vectors: a secret of one zero byte, two days, two codes a day")
  func published() throws {
    let days = try dayCodes(secret: [0], 0...1, of: 2)
    #expect(days == [1_443_087_401_359_677_750, 7_940_984_811_893_783_192])
    #expect(seed(days[0]) == 7_525_003_092_670_007_258)
    #expect(seed(days[1]) == 3_537_033_893_445_398_299)
    #expect(
      beaconCodes(seed: 7_525_003_092_670_007_258, 2)
        == [-8_129_047_106_903_552_267, 8_443_977_219_705_625_829])
    #expect(
      beaconCodes(seed: 3_537_033_893_445_398_299, 2)
        == [-850_124_991_640_589_653, -5_720_254_713_763_274_613])
  }

  @Test("HP-55 Day 168 of 1825, and the first and last of its 240 codes")
  func wholeSchedule() throws {
    let day = try dayCodes(secret: [0], 168...168, of: 1825)
    #expect(day == [-793_731_787_548_595_335])
    #expect(seed(day[0]) == -7_113_390_999_511_547_335)
    let first = C19XSchedule.beaconCode(0, seed: UInt64(bitPattern: -7_113_390_999_511_547_335))
    #expect(first == 0xB21D_44AB_F7CC_A5B3)
    let last = C19XSchedule.beaconCode(239, seed: UInt64(bitPattern: -7_113_390_999_511_547_335))
    #expect(last.map(Int64.init(bitPattern:)) == -2_609_663_429_030_668_908)
  }

  @Test("A day code opens its own day only: a window derived alone is the same as within the whole")
  func windows() throws {
    let whole = try dayCodes(secret: [1, 2, 3], 0...1824, of: 1825)
    let window = try dayCodes(secret: [1, 2, 3], 300...389, of: 1825)
    #expect(window == Array(whole[300...389]))
    #expect(Set(whole).count == 1825)
  }

  @Test("What is outside the schedule is refused")
  func outside() {
    #expect(throws: KeyScheduleError.secretLength) { try dayCodes(secret: [], 0...0, of: 1825) }
    #expect(throws: KeyScheduleError.pastEnd) { try dayCodes(secret: [0], 1825...1825, of: 1825) }
    #expect(throws: KeyScheduleError.emptyWindow) { try dayCodes(secret: [0], -1...0, of: 1825) }
    #expect(C19XSchedule.beaconCode(-1, seed: 1) == nil)
    #expect(C19XSchedule.beaconCode(240, seed: 1) == nil)
  }

  @Test("A date outside the 1825 days from the epoch is no day of the schedule; another epoch begins anew")
  func epochs() {
    var c19x = C19X()
    #expect(c19x.day(at: nil) == nil)
    #expect(c19x.day(at: 1_577_836_799) == nil)
    #expect(c19x.day(at: 1_577_836_800) == 0)  // 2020-01-01
    #expect(c19x.day(at: 1_592_352_000) == 168)  // 2020-06-17
    #expect(c19x.day(at: 1_735_516_799) == 1824)  // the last second of 2024-12-29
    #expect(c19x.day(at: 1_735_516_800) == nil)
    #expect(c19x.day(at: .max) == nil)
    c19x.epochDay = 20_454  // 2026-01-01
    #expect(c19x.day(at: 1_767_225_600) == 0)
    c19x.epochDay = .min
    #expect(c19x.day(at: 1_767_225_600) == nil)
  }

  @Test("A window that is no window is refused, and the one before stays")
  func badWindows() {
    var c19x = C19X()
    let bytes = [UInt8](repeating: 1, count: 8 * 91)
    #expect(throws: KeyScheduleError.keyLength) {
      try c19x.provide(firstDay: 0, dayCodes: bytes.span.extracting(0..<9))
    }
    #expect(throws: KeyScheduleError.emptyWindow) {
      try c19x.provide(firstDay: 0, dayCodes: bytes.span.extracting(0..<0))
    }
    #expect(throws: KeyScheduleError.emptyWindow) {
      try c19x.provide(firstDay: -1, dayCodes: bytes.span.extracting(0..<8))
    }
    #expect(throws: KeyScheduleError.bufferTooSmall) {
      try c19x.provide(firstDay: 0, dayCodes: bytes.span)
    }
    #expect(throws: KeyScheduleError.pastEnd) {
      try c19x.provide(firstDay: 1824, dayCodes: bytes.span.extracting(0..<16))
    }
    #expect(throws: KeyScheduleError.pastEnd) {
      try c19x.provide(firstDay: .max, dayCodes: bytes.span.extracting(0..<16))
    }
    #expect(throws: Never.self) { try c19x.provide(firstDay: 1823, dayCodes: bytes.span.extracting(0..<16)) }
  }
}
