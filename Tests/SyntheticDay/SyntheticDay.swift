import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation

/// Somebody who is met: when (minutes since the morning), and how strongly they are heard at most.
struct Person {
  let payload: [UInt8]
  let visits: [(Range<Int>, strongest: Int)]

  init(_ name: String, _ visits: [(Range<Int>, strongest: Int)]) {
    payload = [0x10, 0x3A, 0x03, 0, 0] + name.utf8
    self.visits = visits
  }

  init(venue name: String, _ visits: [(Range<Int>, strongest: Int)]) {
    payload =
      [0x30, 0x3A, 0x03, 0x04, 0x00, 0xF3, 0xE0, 0x01, 0x00, 0x10, UInt8(name.utf8.count)] + name.utf8
    self.visits = visits
  }
}

/// Numbers that look like chance and are the same every time.
struct Chance {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func number(below limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(truncatingIfNeeded: state >> 33) % limit
  }
}

/// A working day of somebody whose wearable is switched off over lunch, as the wearable logs it.
struct SyntheticDay: ~Copyable {
  static let epoch: UInt32 = 0xDA1
  /// 2026-09-14 08:30 UTC, when it is switched on.
  private static let morning: UInt64 = 1_789_374_600_000
  /// Minutes after that at which it is switched off, and on again.
  private static let lunch: Range<Int> = 242..<283
  /// Minutes of the whole day.
  private static let dayLength = 510
  /// Somebody is measured every so many seconds.
  private static let period = 20

  /// Those who are met.
  private static let people = [
    Person("Ada's phone", [(3..<118, -52), (133..<236, -50), (290..<420, -54), (428..<500, -51)]),
    Person("Ben's phone", [(20..<75, -61), (150..<212, -58), (300..<318, -70), (350..<470, -60)]),
    Person("Cleo's badge", [(64..<96, -48), (288..<352, -46)]),
    Person("Dan's badge", [(64..<98, -57), (330..<344, -77), (452..<490, -63)]),
    Person("Eve's phone", [(121..<131, -72), (236..<242, -66), (283..<287, -68), (425..<429, -80)]),
    Person("Finn's badge", [(66..<95, -66), (180..<186, -84)]),
    Person(venue: "Café Seeblick", [(119..<131, -59), (232..<242, -55)]),
  ]

  private var log = BadgeLog(epoch: Self.epoch, pageCount: 128)
  private var chance = Chance()
  /// Days after the first.
  private var day = 0
  private var addresses: [Int: TargetIdentity] = [:]

  /// The pages of its log after so many days, each as the first one.
  mutating func pages(days: Int) throws -> [MemoryLogPage] {
    for day in 0..<days {
      self.day = day
      try live()
    }
    return try log.pages()
  }

  private mutating func live() throws {
    try switchOn(0)
    for second in stride(from: 0, to: Self.dayLength * 60, by: Self.period) {
      let minute = second / 60
      if second == Self.lunch.upperBound * 60 { try switchOn(minute) }
      guard !Self.lunch.contains(minute) else { continue }
      if second % 900 == 0 {
        try log.append(
          .battery(level: UInt8(98 - minute / 16), external: false), at: UInt64(second) * 1000)
      }
      for (number, person) in Self.people.enumerated() { try meet(person, number, second) }
    }
  }

  private mutating func switchOn(_ minute: Int) throws {
    let time = UInt64(minute) * 60_000
    try log.start(at: time, date: Self.morning + UInt64(day) * 86_400_000 + time)
  }

  private mutating func meet(_ person: Person, _ number: Int, _ second: Int) throws {
    let minute = second / 60
    guard let visit = person.visits.first(where: { $0.0.contains(minute) }) else { return }
    // An address lasts a quarter of an hour.
    let address = TargetIdentity(
      kind: .randomAddress, high: 0x4A00 + UInt16(number), low: UInt32(minute / 15 + day * 96))
    let moment = UInt64(second) * 1000 + UInt64(chance.number(below: 9000))
    if addresses[number] != address {
      addresses[number] = address
      try log.append(.detected(address), at: moment)
      try log.append(.read(address), person.payload, at: moment + 900)
    }
    // Weaker on the way in and out, and whenever somebody stands between.
    let edge = min(minute - visit.0.lowerBound, visit.0.upperBound - minute)
    let rssi = visit.strongest - (edge < 3 ? 18 - 6 * edge : 0) - chance.number(below: 12)
    try log.append(.measured(address, RSSI(Int8(max(rssi, -100)))), at: moment + 1000)
  }
}
