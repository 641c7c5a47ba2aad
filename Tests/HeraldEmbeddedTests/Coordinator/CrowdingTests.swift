import HeraldBluetooth
import HeraldHAL
import Testing

@testable import HeraldEmbedded

@Suite("Crowds in which payloads are read")
struct CrowdingTests {
  /// Counts strangers, and returns whether there is a crowd then.
  private func isCrowd(_ strangers: Int, _ crowding: inout Crowding, at second: UInt32) -> Bool {
    for _ in 0..<strangers { crowding.count() }
    crowding.beginCount(at: .start + .seconds(second))
    return crowding.isCrowded
  }

  @Test("64 strangers and three payloads begin a crowd; strangers alone do not")
  func begin() {
    var crowding = Crowding()
    var isCrowded = isCrowd(1000, &crowding, at: 100)
    #expect(!isCrowded)
    for _ in 0..<3 { crowding.noteRead() }
    isCrowded = isCrowd(63, &crowding, at: 100)
    #expect(!isCrowded)
    isCrowded = isCrowd(64, &crowding, at: 100)
    #expect(isCrowded)
  }

  @Test("There is no crowd in the first 30 s")
  func early() {
    var crowding = Crowding()
    for _ in 0..<8 { crowding.noteRead() }
    var isCrowded = isCrowd(100, &crowding, at: 14)
    #expect(!isCrowded)
    for _ in 0..<8 { crowding.noteRead() }
    isCrowded = isCrowd(100, &crowding, at: 29)
    #expect(!isCrowded)
    for _ in 0..<8 { crowding.noteRead() }
    isCrowded = isCrowd(100, &crowding, at: 30)
    #expect(isCrowded)
  }

  @Test("Payloads that are read 10 s apart are no crowd")
  func slow() {
    var crowding = Crowding()
    for second in stride(from: 100, to: 200, by: 10) as StrideTo<UInt32> {
      crowding.noteRead()
      let isCrowded = isCrowd(100, &crowding, at: second)
      #expect(!isCrowded)
    }
  }

  @Test("The crowd ends 16 s after the last of many payloads, and not before, without strangers too")
  func end() {
    var crowding = Crowding()
    crowding.end(at: .start + .seconds(100))
    for _ in 0..<100 { crowding.noteRead() }
    var isCrowded = isCrowd(64, &crowding, at: 100)
    #expect(isCrowded)
    isCrowded = isCrowd(0, &crowding, at: 114)
    #expect(isCrowded)
    crowding.end(at: .start + .seconds(117))
    #expect(!crowding.isCrowded)
  }

  @Test("Attempts pause for up to 255 ms")
  func pause() {
    var crowding = Crowding()
    let now = Instant.start + .seconds(100)
    crowding.pause(chance: 0xFFFF_FF00, at: now)
    #expect(crowding.pauseEnd == now)
    crowding.pause(chance: .max, at: now)
    #expect(crowding.pauseEnd == now + .milliseconds(255))
  }

  /// A survey at the end of the first window of a round of this many known peers that are missing, and
  /// strangers that were just received.
  private func survey(
    missing: Int, strangers: Int, isFlooded: Bool = false, isCrowded: Bool = false, changing: Bool = true
  ) -> PeerSurvey {
    var table = TargetTable<256>()
    for number in 0..<(missing + strangers) {
      let address = DeviceAddress(high: 0x4000, low: UInt32(number), kind: .random)
      let isStranger = number >= missing
      let place =
        table.insert(
          TargetIdentity(address), address: address,
          at: Instant(milliseconds: isStranger ? 126_600 : 100_000)) ?? -1
      table[place].showedService = true
      table[place].readings = 3
      table[place].state = isStranger ? .advertised : .read
      guard !isStranger else { continue }
      table[place].system = .compliant
      table[place].beginRegularity(isDense: true)
    }
    return table.survey(
      since: Instant(milliseconds: 126_500), latency: .seconds(30), isFirst: true,
      expects: .init(frequent: true, rare: true, awaited: true, changing: changing), isFlooded: isFlooded,
      isCrowded: isCrowded, at: Instant(milliseconds: 126_763))
  }

  @Test("64 missing peers and 64 strangers show that a crowd changes its addresses, unless there is a flood")
  func change() {
    #expect(survey(missing: 64, strangers: 64).isChanging)
    #expect(!survey(missing: 63, strangers: 100).isChanging)
    #expect(!survey(missing: 100, strangers: 63).isChanging)
    #expect(!survey(missing: 100, strangers: 100, isFlooded: true).isChanging)
    #expect(!survey(missing: 100, strangers: 100, changing: false).isChanging)
    #expect(survey(missing: 0, strangers: 0, isCrowded: true).isChanging)
    #expect(survey(missing: 100, strangers: 7).known == 100)
  }

  @Test("While a crowd changes, the window lasts for eight of its length, and then peers are awaited")
  func window() {
    var rounds = ScanRounds()
    let window = Interval.milliseconds(263)
    func plan(_ milliseconds: UInt32, isChanging: Bool) -> ScanRounds.Plan {
      var survey = PeerSurvey()
      survey.isChanging = isChanging
      return rounds.next(
        at: .start + .milliseconds(milliseconds), latency: .seconds(30), window: window, survey: survey,
        chance: 0)
    }
    _ = plan(0, isChanging: false)
    _ = plan(60_000, isChanging: false)
    let begin = Instant.start + .milliseconds(60_000)
    let changing = plan(60_263, isChanging: true)
    #expect(changing == .init(scanning: .always, deadline: begin + .milliseconds(2104)))
    #expect(
      rounds.expectations(at: begin + .milliseconds(2103), window: window, latency: .seconds(30)).changing)
    #expect(
      !rounds.expectations(at: begin + .milliseconds(2104), window: window, latency: .seconds(30)).changing)
    #expect(plan(62_104, isChanging: false).scanning == .nothing)
  }

  @Test("In a crowd six windows are opened for a peer that was just read, else two")
  func trust() {
    let address = DeviceAddress(high: 0x4000, low: 1, kind: .random)
    var target = Target(identity: TargetIdentity(address), address: address, at: .start)
    target.beginRegularity(isDense: true)
    #expect(target.trust == 6 && target.regularity == 3)
    target.beginRegularity(isDense: false)
    #expect(target.trust == 2 && target.regularity == 3)
  }
}
