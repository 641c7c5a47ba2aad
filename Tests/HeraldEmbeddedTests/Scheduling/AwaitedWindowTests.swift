import HeraldBluetooth
import HeraldHAL
import Testing

@testable import HeraldEmbedded

@Suite("Peers whose advertising events repeat")
struct AwaitedWindowTests {
  private func window(_ silence: UInt32, _ period: UInt32) -> [UInt32] {
    let window = AwaitedWindow(silence: silence, period: period)
    return [window.wait, window.left]
  }

  @Test("The window is 4 ms to either side, and 1 ms more for each 8.2 s since the last reception")
  func window() {
    #expect(window(0, 1_022_180) == [1018, 1027])
    #expect(window(4, 1_022_180) == [1014, 1023])
    #expect(window(1017, 1_022_180) == [1, 10])
    #expect(window(1018, 1_022_180) == [0, 9])
    #expect(window(1022, 1_022_180) == [0, 5])
    #expect(window(1026, 1_022_180) == [0, 2])
    // The times are rounded to 1 ms, so that the window ends up to 1 ms later.
    #expect(window(1027, 1_022_180) == [0, 1])
    #expect(window(1028, 1_022_180) == [1013, 1022])
    // The 27th is at 27,598.86 ms; 3 ms of drift.
    #expect(window(27_591, 1_022_180) == [1, 16])
    #expect(window(27_592, 1_022_180) == [0, 15])
    #expect(window(27_606, 1_022_180) == [0, 1])
    #expect(window(.max, 1_022_180)[0] < 1023)
  }

  /// A table with one peer, with address 0x4000_00000001 and a period of 1,009,148 µs, whose payload is known
  /// and which was received at 0 and is missing since: in a round that began at 26,500 ms.
  private struct Room: ~Copyable {
    var table = TargetTable<4>()
    var place = 0
    /// The times in ms at which windows began.
    var windows: [UInt64] = []
    var survey = PeerSurvey()

    init(trust: UInt8? = nil) {
      let address = DeviceAddress(high: 0x4000, low: 1, kind: .random)
      place = table.insert(TargetIdentity(address), address: address, at: .start) ?? 0
      table[place].state = .read
      table[place].system = .compliant
      table[place].showedService = true
      table[place].beginRegularity(isDense: false)
      if let trust { table[place].trust = trust }
    }

    /// Looks for the peer from the end of the window of the round on, for 6.9 s, as it advertises at `events`
    /// (ms), of which each is received that is in a window.
    mutating func runRound(_ events: [UInt64], at round: UInt64 = 26_500, for length: UInt64 = 6_900) {
      var wasOpen = false
      for moment in (round + 263)..<(round + 263 + length) {
        let now = Instant(milliseconds: moment)
        survey = table.survey(
          since: Instant(milliseconds: round), latency: .seconds(30), isFirst: false,
          expects: .init(frequent: false, rare: false, awaited: true, changing: false), at: now)
        if survey.awaits {
          table.awaitMissing(
            &survey, since: Instant(milliseconds: round), latency: .seconds(30), every: 250, at: now)
        }
        let isOpen = survey.wait == 0
        if isOpen, !wasOpen { windows.append(moment) }
        wasOpen = isOpen
        if isOpen, events.contains(moment) { table.touch(place, at: now) }
      }
    }

    var trust: UInt8 { mutating get { table[place].trust } }
    var missing: MissingPeers { survey.missing }
  }

  /// Multiples of a period of the peer's clock that is `ppm` slow.
  private func events(_ ppm: Double = 0, from first: Int = 27, by step: Int = 1) -> [UInt64] {
    stride(from: first, to: first + 12, by: step).map { UInt64(Double($0) * 1009.148 * (1 + ppm / 1e6)) }
  }

  @Test("A peer is awaited at a multiple of its period, and then trusted for six windows")
  func kept() {
    var room = Room()
    room.runRound(events())
    // 27 · 1009.148 = 27,246.996; 7 ms before it, as 3 ms of drift are possible.
    #expect(room.windows == [27_240])
    let trust = room.trust
    #expect(trust == 6)
    #expect(room.missing == .none)
  }

  @Test("Up to 120 ppm of drift it is received", arguments: [-120.0, -40, 80, 120])
  func drift(ppm: Double) {
    var room = Room()
    room.runRound(events(ppm))
    let trust = room.trust
    #expect(trust == 6)
  }

  @Test(
    "After two windows in vain it is not awaited any more: a clock that is 500 ppm wrong, random delays, another interval",
    arguments: [-500.0, 500, 30_000])
  func unpredictable(ppm: Double) {
    var room = Room()
    room.runRound(events(ppm))
    #expect(room.windows == [27_240, 28_249])
    let trust = room.trust
    #expect(trust == 0)
    // It is looked for as one that is usually received at any time.
    #expect(room.missing == .frequent)
    room.runRound(events(), at: 29_000, for: 2000)
    #expect(room.windows.count == 2)
  }

  @Test("A peer that leaves out an event is received at the next")
  func skipping() {
    var room = Room()
    room.runRound(events(from: 28))
    #expect(room.windows == [27_240, 28_249])
    let trust = room.trust
    #expect(trust == 6)
  }

  @Test("A trusted peer that changes its rhythm is given up after six windows")
  func changed() {
    var room = Room(trust: 6)
    room.runRound([])
    #expect(room.windows.count == 6)
    let trust = room.trust
    #expect(trust == 0)
    #expect(room.missing == .frequent)
  }

  @Test("As many as were received for the first time are not awaited, and lose no trust")
  func addressesChanged() {
    var room = Room(trust: 6)
    let other = DeviceAddress(high: 0x4000, low: 2, kind: .random)
    let new = room.table.insert(TargetIdentity(other), address: other, at: Instant(milliseconds: 26_600)) ?? 0
    room.table[new].showedService = true
    room.runRound(events())
    #expect(room.windows == [])
    let trust = room.trust
    #expect(trust == 6)
  }

  @Test("Trust and regularity share a byte, and no peer has more of one or the other")
  func bits() {
    var target = Target(
      identity: TargetIdentity(DeviceAddress(high: 0x4000, low: 1, kind: .random)), address: .zero, at: .start
    )
    target.beginRegularity(isDense: false)
    #expect(target.writtenAt == 0b0_010_11)
    target.isAwaited = true
    target.regularity = 1
    #expect(target.writtenAt == 0b1_010_01)
    target.regularity &+= 200
    #expect(target.regularity == 3 && target.trust == 2)
    target.endAwaiting()
    // The highest bit: it was received in a window once.
    #expect(target.writtenAt == 0b1_0_0_110_11 && target.isRhythmic)
    target.trust = 0
    #expect(target.isRhythmic)
    target.beginRegularity(isDense: false)
    #expect(!target.isRhythmic)
    target.endAwaiting()
    #expect(target.trust == 2 && !target.isAwaited && !target.isRhythmic)
  }

  @Test("A connection is attempted when the peer is expected: 4 ms before four intervals, and in its windows")
  func connecting() {
    let address = DeviceAddress(high: 0x4000, low: 1, kind: .random)
    let target = Target(identity: TargetIdentity(address), address: address, at: .start)
    let waits = [0, 995, 996, 1005, 1037, 1038, 2013, 2014, 2022, 2023].map {
      target.windowToConnect(every: 250, at: Instant(milliseconds: $0)).wait
    }
    #expect(waits == [996, 1, 0, 0, 0, 977, 2, 1, 0, 0])
  }

  /// The survey of a round that began at 26,500 ms, in whose window a peer was not received that has address
  /// 1 and a payload with the digest 7. It was received at 0.
  private func surveyed(_ change: (inout TargetTable<4>, Int) -> Void) -> PeerSurvey {
    var table = TargetTable<4>()
    let address = DeviceAddress(high: 0x4000, low: 1, kind: .random)
    guard let place = table.insert(TargetIdentity(address), address: address, at: .start) else {
      return PeerSurvey()
    }
    table[place].state = .read
    table[place].showedService = true
    table[place].payloadDigest = 7
    table[place].beginRegularity(isDense: false)
    change(&table, place)
    return table.survey(
      since: Instant(milliseconds: 26_500), latency: .seconds(30), isFirst: true,
      expects: .init(frequent: true, rare: true, awaited: true, changing: false),
      at: Instant(milliseconds: 26_763))
  }

  /// Adds a peer that was received in the window, `readings` times.
  private func add(_ low: UInt32, _ state: Target.State, readings: UInt8, to table: inout TargetTable<4>)
    -> Int
  {
    let address = DeviceAddress(high: 0x4000, low: low, kind: .random)
    let now = Instant(milliseconds: 26_600)
    guard let place = table.insert(TargetIdentity(address), address: address, at: now) else { return 0 }
    table[place].state = state
    table[place].showedService = true
    table[place].readings = readings
    return place
  }

  @Test("A peer whose payload was read at another address has moved, and is not awaited until it is received")
  func moved() {
    let still = surveyed { _, _ in }
    #expect(still.awaits)
    let moved = surveyed { table, place in
      let other = add(2, .read, readings: 1, to: &table)
      let known = [table.noteMove(of: 7, to: other), table.noteMove(of: 8, to: other)]
      #expect(known == [true, false])
      let former = table[place]
      #expect(former.hasMoved && former.trust == 2 && former.regularity == 3)
    }
    #expect(!moved.awaits && moved.missing == .none)
    var table = TargetTable<4>()
    let place = add(2, .read, readings: 2, to: &table)
    table[place].hasMoved = true
    _ = table.survey(
      since: Instant(milliseconds: 26_500), latency: .seconds(30), isFirst: true,
      expects: .init(frequent: true, rare: true, awaited: true, changing: false),
      at: Instant(milliseconds: 26_763))
    let received = table[place]
    #expect(!received.hasMoved)
  }

  @Test("A stranger received for the first time stands for a missing peer; one that was read does not")
  func strangers() {
    let first = surveyed { table, _ in _ = add(2, .advertised, readings: 1, to: &table) }
    let repeated = surveyed { table, _ in _ = add(2, .advertised, readings: 2, to: &table) }
    let read = surveyed { table, _ in _ = add(2, .read, readings: 1, to: &table) }
    #expect([first.awaits, repeated.awaits, read.awaits] == [false, true, true])
  }
}
