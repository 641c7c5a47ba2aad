import HeraldEmbedded
import HeraldHostLink
import Testing

@testable import HeraldArchive

@Suite("Who is who: badges, persons, payloads")
struct PeopleAttributionTests {
  /// A badge that reads a payload of address 1 and receives it for some minutes, once in each window.
  private func observer(
    _ serial: String, own: UInt8, hears payload: [UInt8], minutes: Int, rssi: Int8 = -60
  ) throws -> LoggingBadge {
    var badge = try LoggingBadge(serial, payload: fixedPayload(own))
    try badge.read(1, payload, at: after(0))
    for window in 0..<minutes * 2 { try badge.measure(1, rssi, at: after(Double(window) * 30 + 1)) }
    return badge
  }

  @Test("A device, a place, a payload and an address, and each row says which")
  func kinds() throws {
    let folder = try ContactsFolder()
    var one = try LoggingBadge("A1", payload: fixedPayload(1))
    try one.read(1, fixedPayload(2), at: after(0))
    try one.measure(1, -60, at: after(1))
    try one.read(2, fixedPayload(99), at: after(0))
    try one.measure(2, -60, at: after(2))
    // A venue of Herald's documentation: family 3, country 826, state 4, code 12345.
    try one.read(3, [0x30, 0x3A, 0x03, 0x04, 0x00, 0x39, 0x30, 0x00, 0x00], at: after(3))
    try one.measure(3, -60, at: after(3))
    try one.measure(4, -60, at: after(4))
    var two = try LoggingBadge("B2", payload: fixedPayload(2))
    let archive = try Archive.of([try one.pull(into: folder), try two.pull(into: folder)])
    #expect(
      Set(try archive.told()) == [
        "device A1 + device B2: 30 s, 30/0", "device A1 + payload AAAAAA: 30 s, 30/0",
        "device A1 + place venue 826/4/12345: 30 s, 30/0",
        "device A1 + address 40:00:00:00:00:04: 30 s, 30/0",
      ])
  }

  @Test("One direction is enough, and both are side by side")
  func directions() throws {
    let folder = try ContactsFolder()
    var one = try observer("A1", own: 1, hears: fixedPayload(2), minutes: 3)
    var two = try observer("B2", own: 2, hears: fixedPayload(1), minutes: 5, rssi: -70)
    let both = try Archive.of([try one.pull(into: folder), try two.pull(into: folder)])
    #expect(try both.told() == ["device A1 + device B2: 300 s, 180/300"])
    try both.meetings(MeetingQuery()) { meeting in
      // Three minutes of 60 and 70 dB are of 60 dB; two are of 70.
      #expect(ContactBands.standard.seconds(of: meeting.joined) == [0, 180, 120, 0])
      #expect(ContactBands.standard.seconds(of: meeting.heard) == [0, 180, 0, 0])
      #expect(ContactBands.standard.seconds(of: meeting.wasHeard) == [0, 0, 300, 0])
      #expect(meeting.readings == (6, 10))
    }
    var silent = try LoggingBadge("C3", payload: fixedPayload(1))
    let folder2 = try ContactsFolder()
    let single = try Archive.of([try two.pull(into: folder2), try silent.pull(into: folder2)])
    #expect(try single.told() == ["device B2 + device C3: 300 s, 300/0"])
  }

  @Test("Attenuation is transmit power minus RSSI; the power is the one that was known, or the rule's")
  func power() throws {
    let folder = try ContactsFolder()
    var one = try LoggingBadge("A1", payload: fixedPayload(1))
    try one.read(1, fixedPayload(2), at: after(0))
    try one.note(power: 8, of: 1, at: after(0))
    try one.measure(1, -60, at: after(1))
    try one.note(power: -4, of: 1, at: after(60))
    try one.measure(1, -60, at: after(61))
    try one.read(2, fixedPayload(3), at: after(120))
    try one.measure(2, -60, at: after(121))
    try one.measure(2, 5, at: after(181))
    var rules = ContactRules()
    rules.assumedPower = -10
    let archive = try Archive.of([try one.pull(into: folder)], rules: rules)
    var levels: [[UInt8?]] = []
    try archive.meetings(MeetingQuery()) { levels.append($0.joined.minutes.map(\.attenuation)) }
    #expect(levels.sorted { $0.count < $1.count || ($0[0] ?? 0) > ($1[0] ?? 0) } == [[68, 56], [50, 0]])
  }

  @Test("A person with two badges in turn is one person")
  func twoBadges() throws {
    let folder = try ContactsFolder()
    var one = try LoggingBadge("A1", payload: fixedPayload(1))
    try one.read(1, fixedPayload(2), at: after(0))
    try one.measure(1, -60, at: after(1))
    try one.read(2, fixedPayload(3), at: after(3600))
    try one.measure(2, -60, at: after(3601))
    var two = try LoggingBadge("B2", payload: fixedPayload(2))
    try two.read(1, fixedPayload(1), at: after(0))
    try two.measure(1, -60, at: after(31))
    var three = try LoggingBadge("C3", payload: fixedPayload(3))
    try three.read(1, fixedPayload(1), at: after(3600))
    try three.measure(1, -60, at: after(3601))
    let folders = [try one.pull(into: folder), try two.pull(into: folder), try three.pull(into: folder)]
    let people = "serial,name,role\nB2,Ben,nurse\nC3,Ben,nurse\nA1,Anna,patient\n"
    let archive = try Archive.of(folders, people: people)
    // Windows 0 and 120 of Anna's, 0, 1 and 120 of Ben's two badges.
    #expect(try archive.told() == ["person Anna + person Ben: 90 s, 60/90"])
    // His badges do not meet each other.
    var query = MeetingQuery()
    query.role = "nurse"
    query.person = "Ben"
    #expect(try archive.told(query) == ["person Ben + person Anna: 90 s, 90/60"])
    // The same without the file of people: three devices.
    let devices = try Archive.of(folders)
    #expect(try devices.told().count == 2)
    // And with it later.
    try devices.label(try PeopleFile(Array(people.utf8), days: .utc))
    try devices.update()
    #expect(try devices.told() == ["person Anna + person Ben: 90 s, 60/90"])
  }

  @Test("A badge that changes hands at a moment is two persons, for what it hears and for what hears it")
  func handOver() throws {
    let folder = try ContactsFolder()
    // 10 minutes; the badge B2 changes hands at 07:05.
    var one = try observer("A1", own: 1, hears: fixedPayload(2), minutes: 10)
    var two = try observer("B2", own: 2, hears: fixedPayload(1), minutes: 10)
    let people = """
      serial,name,from,to
      A1,Anna,,
      B2,Ben,2026-09-14 06:00,2026-09-14 07:05
      B2,Cem,2026-09-14 07:05,

      """
    let archive = try Archive.of([try one.pull(into: folder), try two.pull(into: folder)], people: people)
    #expect(
      try archive.told() == [
        "person Anna + person Ben: 300 s, 300/300", "person Anna + person Cem: 300 s, 300/300",
      ])
    var contacts: [String] = []
    try archive.contacts(MeetingQuery()) { contact in
      contacts.append(
        "\(contact.other.label) \(contact.period.begin - Int64(mondayMorning)) \(contact.period.end - Int64(mondayMorning))"
      )
    }
    #expect(contacts == ["Ben 0 300000", "Cem 300000 600000"])
    // Between two persons nobody wears it: what is near it is near nobody.
    try archive.label(
      try PeopleFile(
        Array("serial,name,from,to\nB2,Ben,,2026-09-14 07:05\nB2,Cem,2026-09-14 07:08,\n".utf8), days: .utc))
    try archive.update()
    #expect(
      Set(try archive.told()) == [
        "person Ben + device A1: 300 s, 300/300", "person Cem + device A1: 120 s, 120/120",
      ])
    var all = MeetingQuery()
    all.withUnworn = true
    #expect(try archive.told(all).contains("device A1 + unworn B2: 180 s, 180/180"))
    #expect(try archive.unwornFigures(MeetingQuery()).map(\.seconds) == [180])
  }

  @Test("A reading belongs to the device whose payload was read at its address, also long after")
  func readAtTime() throws {
    let folder = try ContactsFolder()
    // B2 sends payload 2 until 07:10 and payload 3 then; A1 reads it once, at 07:09.
    var one = try LoggingBadge("A1", payload: fixedPayload(1))
    try one.read(1, fixedPayload(2), at: after(540))
    for window in 18..<60 { try one.measure(1, -60, at: after(Double(window) * 30 + 1)) }
    var two = try LoggingBadge("B2", payload: fixedPayload(2))
    try two.send(fixedPayload(3), at: after(600))
    let archive = try Archive.of([try one.pull(into: folder), try two.pull(into: folder)])
    #expect(try archive.told() == ["device A1 + device B2: 1260 s, 1260/0"])
  }

  @Test("Two devices that claim one payload at the same time: nobody can say who it was")
  func twoClaims() throws {
    let folder = try ContactsFolder()
    var one = try observer("A1", own: 1, hears: fixedPayload(2), minutes: 1)
    var two = try LoggingBadge("B2", payload: fixedPayload(2))
    var hostile = try LoggingBadge("X9", payload: fixedPayload(2))
    let archive = try Archive.of([
      try one.pull(into: folder), try two.pull(into: folder), try hostile.pull(into: folder),
    ])
    #expect(try archive.told() == ["device A1 + payload AAAAAA: 60 s, 60/0"])
  }

  @Test("One payload of two devices, one after the other")
  func claimsInTurn() {
    let claims = [
      PayloadClaim(serial: "A1", from: .min, to: 999_999_999),
      PayloadClaim(serial: "B2", from: 1_000_000_000, to: .max),
    ]
    #expect(PayloadClaim.only(of: claims, at: 999_999_999)?.serial == "A1")
    #expect(PayloadClaim.only(of: claims, at: 1_000_000_000)?.serial == "B2")
    #expect(PayloadClaim.only(of: [], at: 5) == nil)
    // A secret proves what a log only says.
    let proved = [
      PayloadClaim(serial: "A1", from: .min, to: .max),
      PayloadClaim(serial: "B2", from: 1_000_000_000, to: 1_000_359_999, isProved: true),
    ]
    #expect(PayloadClaim.only(of: proved, at: 1_000_000_000)?.serial == "B2")
    #expect(PayloadClaim.only(of: proved, at: 999_999_999)?.serial == "A1")
    // The tolerance is two hours, before and after.
    let alone = [proved[1]]
    #expect(PayloadClaim.only(of: alone, at: 1_000_000_000 - 7_200_000)?.serial == "B2")
    #expect(PayloadClaim.only(of: alone, at: 1_000_000_000 - 7_200_001) == nil)
    #expect(PayloadClaim.only(of: alone, at: 1_000_359_999 + 7_200_000)?.serial == "B2")
    #expect(PayloadClaim.only(of: alone, at: 1_000_359_999 + 7_200_001) == nil)
  }

  @Test("A payload that changes at one address is one phone; a third address with the second is the same")
  func chains() throws {
    let folder = try ContactsFolder()
    var one = try LoggingBadge("A1", payload: fixedPayload(1))
    try one.read(1, fixedPayload(11), at: after(0))
    try one.measure(1, -60, at: after(1))
    try one.read(1, fixedPayload(12), at: after(360))
    try one.measure(1, -60, at: after(361))
    try one.read(2, fixedPayload(12), at: after(700))
    try one.measure(2, -60, at: after(701))
    try one.read(2, fixedPayload(13), at: after(720))
    try one.measure(2, -60, at: after(721))
    // Somebody else.
    try one.read(3, fixedPayload(21), at: after(730))
    try one.measure(3, -60, at: after(731))
    let archive = try Archive.of([try one.pull(into: folder)])
    let seconds = try archive.told().map { $0.split(separator: ": ").last.map(String.init) }
    #expect(seconds == ["120 s, 120/0", "30 s, 30/0"])
  }

  @Test("A hostile device that shows payloads of others, one after the other, joins none of them")
  func hostileChain() throws {
    let folder = try ContactsFolder()
    var one = try LoggingBadge("A1", payload: fixedPayload(1))
    // Two phones that are there all the time, at addresses 1 and 2.
    try one.read(1, fixedPayload(11), at: after(0))
    try one.read(2, fixedPayload(12), at: after(10))
    // The hostile device shows payload 11, then 12, then one of its own.
    try one.read(9, fixedPayload(11), at: after(100))
    try one.read(9, fixedPayload(12), at: after(200))
    try one.read(9, fixedPayload(66), at: after(300))
    try one.read(3, fixedPayload(11), at: after(400))
    try one.read(4, fixedPayload(12), at: after(410))
    for (index, address) in [UInt32(3), 4, 9].enumerated() {
      try one.measure(address, -60, at: after(420 + Double(index) * 60))
    }
    let archive = try Archive.of([try one.pull(into: folder)])
    #expect(try archive.told().count == 3)
  }

  @Test("A predecessor with two successors is joined to none of them")
  func ambiguousChain() throws {
    let folder = try ContactsFolder()
    var one = try LoggingBadge("A1", payload: fixedPayload(1))
    try one.read(1, fixedPayload(11), at: after(0))
    try one.read(9, fixedPayload(11), at: after(10))
    // The phone goes on with 12; who repeated its payload 11 goes on with 66.
    try one.read(1, fixedPayload(12), at: after(360))
    try one.measure(1, -60, at: after(361))
    try one.read(9, fixedPayload(66), at: after(370))
    try one.measure(9, -60, at: after(421))
    let archive = try Archive.of([try one.pull(into: folder)])
    // Payloads 11, 12 and 66.
    #expect(try archive.told().count == 3)
  }

  @Test("Clocks that were never set, are far ahead, or go back: the contacts are where the clock said")
  func wrongClocks() throws {
    let folder = try ContactsFolder()
    var one = try LoggingBadge("A1", payload: fixedPayload(1), from: 1000)
    try one.read(1, fixedPayload(99), at: 61_000)
    try one.measure(1, -60, at: 61_000)
    // 2038-01-19T03:14:07Z, and back to Monday.
    try one.set(clock: 2_147_483_647_000, at: 121_000)
    try one.measure(1, -60, at: 122_000)
    try one.set(clock: mondayMorning, at: 181_000)
    try one.measure(1, -60, at: 182_000)
    let archive = try Archive.of([try one.pull(into: folder)])
    var days: [String] = []
    try archive.meetings(MeetingQuery()) { days.append(LocalDays.text(ofDay: $0.day)) }
    #expect(days == ["1970-01-01", "2026-09-14", "2038-01-19"])
    var query = MeetingQuery()
    query.days = 20_260_914...20_260_914
    #expect(try archive.told(query).count == 1)
  }

  @Test("Names that are not there, with the nearest one")
  func unknownNames() throws {
    let folder = try ContactsFolder()
    var one = try observer("A1", own: 1, hears: fixedPayload(2), minutes: 1)
    let archive = try Archive.of(
      [try one.pull(into: folder)], people: "serial,name,role\nA1,Anna,nurse\nZ9,Zoë,\n")
    func advice(_ change: (inout MeetingQuery) -> Void) -> String? {
      var query = MeetingQuery()
      change(&query)
      do throws(HostLinkError) {
        try archive.meetings(query) { (_: DayMeeting) throws(HostLinkError) in }
        return nil
      } catch { return error.advice }
    }
    #expect(advice { $0.person = "Ana" } == "is it Anna?")
    #expect(advice { $0.role = "doctor" } == "there are: nurse")
    #expect(advice { $0.person = "Anna" } == nil)
    #expect(advice { $0.person = "AAAAAA" } == nil)
    #expect(try archive.unknownSerials() == ["Z9"])
  }

  @Test("A minimum duration counts both directions joined")
  func leastSeconds() throws {
    let folder = try ContactsFolder()
    var one = try observer("A1", own: 1, hears: fixedPayload(2), minutes: 15)
    let archive = try Archive.of([try one.pull(into: folder)])
    var query = MeetingQuery()
    query.leastSeconds = 900
    #expect(try archive.told(query).count == 1)
    query.leastSeconds = 901
    #expect(try archive.told(query).isEmpty)
  }

  @Test("Windows of 20 s: the rule is stored, and everything is derived again")
  func twentySeconds() throws {
    let folder = try ContactsFolder()
    var one = try LoggingBadge("A1", payload: fixedPayload(1))
    try one.read(1, fixedPayload(2), at: after(0))
    for second in [1, 21, 41, 61, 121] { try one.measure(1, -60, at: after(Double(second))) }
    let path = folder.path + "/archive.sqlite"
    let archive = try Archive.open(path, create: true)
    _ = try archive.add(folders: [try one.pull(into: folder)])
    try archive.update()
    #expect(try archive.told() == ["device A1 + payload AAAAAA: 120 s, 120/0"])
    var rules = archive.rules
    rules.window = 20
    try archive.change(rules)
    try archive.update()
    #expect(try archive.told() == ["device A1 + payload AAAAAA: 100 s, 100/0"])
    let again = try Archive.open(path, create: false)
    #expect(again.rules.window == 20)
    #expect(try again.told() == ["device A1 + payload AAAAAA: 100 s, 100/0"])
  }
}
