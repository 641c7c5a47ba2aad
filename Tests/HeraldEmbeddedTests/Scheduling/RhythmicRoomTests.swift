import HeraldBluetooth
import HeraldHAL
import Testing

@testable import HeraldEmbedded

@Suite("Rooms of peers whose events repeat")
struct RhythmicRoomTests {
  @Test(
    "16 peers whose events repeat are such a room, 64 a large one; it is calm if less than a fourth are new")
  func sizes() {
    let none = RhythmicRoom()
    #expect(!none.isPresent && !none.isDense && !none.isCalm)
    #expect(!RhythmicRoom(peers: 15, newcomers: 0).isPresent)
    #expect(!RhythmicRoom(peers: 15, newcomers: 0).isCalm)
    let small = RhythmicRoom(peers: 16, newcomers: 3)
    #expect(small.isPresent && small.isCalm && !small.isDense)
    #expect(!RhythmicRoom(peers: 16, newcomers: 4).isCalm)
    #expect(!RhythmicRoom(peers: 63, newcomers: 0).isDense)
    #expect(RhythmicRoom(peers: 64, newcomers: 0).isDense)
    #expect(RhythmicRoom(peers: 1000, newcomers: 63).isCalm)
    #expect(!RhythmicRoom(peers: 1000, newcomers: 1000).isCalm)
  }

  @Test("Attempts are spread over 150 ms for each peer, and at most 38 s, and a time for this device")
  func pause() {
    #expect(RhythmicRoom().pause(500, chance: 499) == .milliseconds(499))
    #expect(RhythmicRoom().pause(500, chance: 500) == .zero)
    let room = RhythmicRoom(peers: 50, newcomers: 0)
    #expect(room.pause(125, chance: 7624) == .milliseconds(7624))
    #expect(room.pause(125, chance: 7625) == .zero)
    let invented = RhythmicRoom(peers: 100_000, newcomers: 0)
    #expect(invented.pause(125, chance: 38_374) == .milliseconds(38_374))
    #expect(invented.pause(125, chance: 38_375) == .zero)
  }

  /// A table with peers that were received at 0 and are missing in the round that began at 26,500 ms, and
  /// with strangers that were received for the first time in its window.
  private func table(missing: Int, strangers: Int = 0, isRhythmic: Bool) -> TargetTable<256> {
    var table = TargetTable<256>()
    for number in 0..<(missing + strangers) {
      let address = DeviceAddress(high: 0x4000, low: UInt32(number + 1), kind: .random)
      let isStranger = number >= missing
      let now = Instant(milliseconds: isStranger ? 26_600 : 0)
      guard let place = table.insert(TargetIdentity(address), address: address, at: now) else { break }
      table[place].showedService = true
      table[place].state = isStranger ? .advertised : .read
      if isStranger {
        table[place].signalledAt = now.seconds8
        table[place].readings = 1
        continue
      }
      table[place].beginRegularity(isDense: false)
      guard isRhythmic else { continue }
      table[place].isAwaited = true
      table[place].endAwaiting()
    }
    return table
  }

  /// A survey at a time in ms. `awaited`: those whose events repeat may still be awaited.
  private func survey(
    _ table: inout TargetTable<256>, isRhythmic: Bool, awaited: Bool = true, at moment: UInt64 = 26_763
  ) -> PeerSurvey {
    table.survey(
      since: Instant(milliseconds: 26_500), latency: .seconds(30), isFirst: moment == 26_763,
      expects: .init(frequent: false, rare: true, awaited: awaited, changing: false), isRhythmic: isRhythmic,
      at: Instant(milliseconds: moment))
  }

  @Test("The room is that of the peers that have not moved, and of the strangers received for the first time")
  func counted() {
    var table = table(missing: 20, strangers: 5, isRhythmic: true)
    table[0].hasMoved = true
    table[1].trust = 0
    var room = survey(&table, isRhythmic: false).room
    #expect(room.pause(0, chance: 18 * 150 - 1) == .milliseconds(18 * 150 - 1))
    #expect(room.pause(0, chance: 18 * 150) == .zero)
    // Five of 18 are more than a fourth.
    #expect(room.isPresent && !room.isCalm)
    table[24].signalledAt = 20
    room = survey(&table, isRhythmic: false).room
    #expect(room.isCalm)
  }

  @Test("16 peers that were received in windows make a room; in a room those count that were just read")
  func become() {
    var read = table(missing: 20, isRhythmic: false)
    #expect(!survey(&read, isRhythmic: false).room.isPresent)
    #expect(survey(&read, isRhythmic: true).room.isPresent)
    read = table(missing: 16, isRhythmic: true)
    #expect(survey(&read, isRhythmic: false).room.isPresent)
  }

  @Test("In a calm room peers are awaited even if as many strangers came, which may be others")
  func awaited() {
    // 20 missing peers and 4 strangers.
    var table = table(missing: 20, strangers: 4, isRhythmic: true)
    let all = survey(&table, isRhythmic: true)
    #expect(all.awaits && all.room.isCalm)
    for place in 3..<20 { table[place].hasMoved = true }
    var changed = survey(&table, isRhythmic: true)
    // Three peers are no room.
    #expect(!changed.awaits && !changed.room.isCalm)
    for place in 3..<20 {
      table[place].hasMoved = false
      table.touch(place, at: Instant(milliseconds: 26_610))
    }
    changed = survey(&table, isRhythmic: true)
    #expect(changed.awaits && changed.missing == .none)
  }

  @Test("Among peers whose events repeat, one that was awaited in vain is looked for in one more window")
  func awaitedInVain() {
    var room = table(missing: 20, isRhythmic: true)
    #expect(survey(&room, isRhythmic: true, awaited: false).missing == .frequent)
    #expect(survey(&room, isRhythmic: false, awaited: false).missing == .none)
    // Its trust is used up, and it was missing in two rounds: it is still no phone.
    room = table(missing: 1, isRhythmic: true)
    room[0].trust = 0
    room[0].regularity = 0
    #expect(survey(&room, isRhythmic: true).missing == .frequent)
    #expect(survey(&room, isRhythmic: false).missing == .rare)
    room = table(missing: 1, isRhythmic: false)
    room[0].trust = 0
    room[0].regularity = 0
    #expect(survey(&room, isRhythmic: true).missing == .rare)
  }

  @Test("A peer that was received in the last round is missing until this one ends")
  func late() {
    var room = table(missing: 1, isRhythmic: true)
    #expect(survey(&room, isRhythmic: true, awaited: false, at: 34_500).missing == .frequent)
    room = table(missing: 1, isRhythmic: true)
    room[0].trust = 0
    room[0].regularity = 1
    #expect(survey(&room, isRhythmic: false, at: 34_500).missing == .none)
    // One that was not received in the last round is missing no longer.
    let long = room.survey(
      since: Instant(milliseconds: 53_000), latency: .seconds(30), isFirst: false,
      expects: .init(frequent: false, rare: true, awaited: false, changing: false), isRhythmic: true,
      at: Instant(milliseconds: 53_263))
    #expect(long.missing == .none)
  }

  @Test("In a room of 16 to 63 such peers they are awaited for 3.75 s, otherwise for 7.5 s")
  func waiting() {
    var rounds = ScanRounds()
    _ = rounds.next(
      at: .start, latency: .seconds(30), window: .milliseconds(263), survey: PeerSurvey(), chance: 0)
    let begin = Instant.start + .seconds(60)
    _ = rounds.next(
      at: begin, latency: .seconds(30), window: .milliseconds(263), survey: PeerSurvey(), chance: 0)
    func isAwaited(_ peers: Int, at milliseconds: UInt32) -> Bool {
      rounds.expectations(
        at: begin + .milliseconds(milliseconds), window: .milliseconds(263), latency: .seconds(30),
        room: RhythmicRoom(peers: peers, newcomers: 0)
      ).awaited
    }
    for peers in [16, 63] { #expect(isAwaited(peers, at: 3749) && !isAwaited(peers, at: 3750)) }
    for peers in [15, 64] { #expect(isAwaited(peers, at: 7499) && !isAwaited(peers, at: 7500)) }
  }

  @Test("A stranger is new for the time since it was first received, and a second")
  func new() {
    var target = Target(
      identity: TargetIdentity(DeviceAddress(high: 0x4000, low: 1, kind: .random)), address: .zero, at: .start
    )
    // The seconds are counted modulo 256.
    target.signalledAt = 250
    let now = Instant(milliseconds: 258_400)
    #expect(target.isNew(within: .milliseconds(7000), at: now))
    #expect(!target.isNew(within: .milliseconds(6999), at: now))
  }
}
