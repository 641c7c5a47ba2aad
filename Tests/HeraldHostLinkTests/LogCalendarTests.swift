import HeraldBluetooth
import HeraldEmbedded
import Testing

@testable import HeraldHostLink

@Suite("Dates of the log")
struct LogCalendarTests {
  let peer = TargetIdentity(kind: .randomAddress, high: 1, low: 2)

  func record(boot: UInt32 = 1, at uptime: UInt64) -> BootRecord {
    BootRecord(epoch: 1, boot: boot, uptimeMilliseconds: uptime, event: .detected(peer))
  }

  func fix(
    _ uptime: UInt64, _ unix: UInt64, boot: UInt32 = 1, _ source: DeviceRecord.ClockFix.Source = .device
  )
    -> DeviceRecord.ClockFix
  {
    DeviceRecord.ClockFix(
      epoch: 1, boot: boot, uptimeMilliseconds: uptime, unixMilliseconds: unix, source: source)
  }

  @Test("Records before the clock was set are dated backwards from it, in the same start-up only")
  func backwards() {
    var calendar = LogCalendar()
    calendar.add(
      BootRecord(
        epoch: 1, boot: 1, uptimeMilliseconds: 5000,
        event: .clockSet(unixMilliseconds: 1_700_000_005_000, source: .host)))
    #expect(calendar.unixMilliseconds(of: record(at: 1000)) == 1_700_000_001_000)
    #expect(calendar.unixMilliseconds(of: record(at: 9000)) == 1_700_000_009_000)
    #expect(calendar.unixMilliseconds(of: record(boot: 2, at: 1000)) == nil)
  }

  @Test("After a correction the corrected date counts, before it the old one")
  func correction() {
    var calendar = LogCalendar()
    calendar.add(fix(9000, 1_700_000_109_000))
    calendar.add(fix(5000, 1_700_000_005_000))
    #expect(calendar.unixMilliseconds(of: record(at: 0)) == 1_700_000_000_000)
    #expect(calendar.unixMilliseconds(of: record(at: 8999)) == 1_700_000_008_999)
    #expect(calendar.unixMilliseconds(of: record(at: 9000)) == 1_700_000_109_000)
  }

  @Test("The host's date counts only where the device knows none")
  func guesses() {
    var calendar = LogCalendar()
    calendar.add(fix(1000, 1_600_000_001_000, .host))
    #expect(calendar.unixMilliseconds(of: record(at: 2000)) == 1_600_000_002_000)
    calendar.add(fix(5000, 1_700_000_005_000))
    #expect(calendar.unixMilliseconds(of: record(at: 2000)) == 1_700_000_002_000)
  }

  @Test("Senseless dates are not believed, and no number makes it trap")
  func senseless() {
    var calendar = LogCalendar()
    for bad in [fix(10, 5), fix(0, .max), fix(.max, .max), fix(0, 0)] { calendar.add(bad) }
    #expect(calendar.unixMilliseconds(of: record(at: 0)) == nil)
    calendar.add(fix(0, UTCTimestamp.latest))
    #expect(calendar.unixMilliseconds(of: record(at: 1)) == nil)
    #expect(calendar.unixMilliseconds(of: record(at: .max)) == nil)
  }

  @Test("Transmit power belongs to the readings after it, until the peer is gone or the device starts again")
  func transmitPower() throws {
    let events: [LogEvent] = [
      .measured(peer, RSSI(-50)), .txPower(peer, 8), .measured(peer, RSSI(-51)),
      .measured(peer, .notAvailable),
      .lost(peer), .measured(peer, RSSI(-52)), .txPower(peer, 4), .started(reason: 0),
      .measured(peer, RSSI(-53)),
    ]
    let log = try SyntheticLog(start: 1_700_000_000_000, events.map { (10, $0, []) })
    #expect(
      log.lines("contacts").compactMap { $0.split(separator: ",").last }.filter { $0.hasPrefix("RSSI") } == [
        "RSSI:-50.0", "RSSI:-51.0[BLETransmitPower:8.0]", "RSSI:-52.0", "RSSI:-53.0",
      ])
  }

  @Test("Who was met: readings of an address count for the payload read under it, earlier ones too")
  func summary() throws {
    func address(_ low: UInt32) -> TargetIdentity {
      TargetIdentity(kind: .randomAddress, high: 0, low: low)
    }
    let log = try SyntheticLog(
      start: 1_700_000_010_000,
      [
        (0, .measured(address(1), RSSI(-60)), []), (1000, .read(address(1)), [1]),
        (31_000, .measured(address(1), RSSI(-40)), []), (32_000, .measured(address(2), RSSI(-90)), []),
        (95_000, .read(address(3)), [1]), (96_000, .measured(address(3), RSSI(-50)), []),
        (97_000, .lost(address(3)), []),
      ])
    let summary = log.summary()
    #expect(summary.contacts.count == 1 && summary.contactCount == 1 && summary.readings == 4)
    let contact = summary.contacts[0]
    #expect(contact.addresses == 2 && contact.readings == 3 && contact.seconds == 90)
    #expect(contact.strongest == -40 && contact.median == -50)
    #expect(contact.firstSeen == 1_700_000_010_000 && contact.lastSeen == 1_700_000_106_000)
    #expect(summary.unknownAddresses == 1 && summary.unknownReadings == 1)
  }

  @Test("Of two dates of one moment the later word counts, and the device's more than the host's guess")
  func twoDates() {
    func fix(_ unix: UInt64, _ source: DeviceRecord.ClockFix.Source) -> DeviceRecord.ClockFix {
      DeviceRecord.ClockFix(
        epoch: 1, boot: 1, uptimeMilliseconds: 100, unixMilliseconds: unix, source: source)
    }
    var calendar = LogCalendar()
    calendar.add(fix(1_600_000_000_000, .device))
    calendar.add(fix(1_700_000_000_000, .device))
    calendar.add(fix(1_500_000_000_000, .host))
    let record = BootRecord(epoch: 1, boot: 1, uptimeMilliseconds: 100, event: .ownPayload, payload: [])
    #expect(calendar.unixMilliseconds(of: record) == 1_700_000_000_000)

    var device = DeviceRecord()
    device.note(fix(1_500_000_000_000, .host))
    device.note(fix(1_600_000_000_000, .device))
    device.note(fix(1_500_000_000_000, .host))
    #expect(device.clocks == [fix(1_600_000_000_000, .device)])
  }

  @Test("Two addresses heard at the same time are one contact, whose windows count once")
  func sharedWindows() throws {
    let (first, second) = (peer, TargetIdentity(kind: .randomAddress, high: 9, low: 9))
    let log = try SyntheticLog(
      start: 1_700_000_010_000,
      [
        (0, .measured(first, RSSI(-60)), []), (1000, .measured(second, RSSI(-60)), []),
        (600_000, .measured(first, RSSI(-60)), []), (601_000, .measured(second, RSSI(-60)), []),
        (602_000, .read(first), [1]), (603_000, .read(second), [1]),
      ])
    let contacts = log.summary().contacts
    #expect(contacts.count == 1 && contacts.first?.addresses == 2)
    #expect(contacts.first?.seconds == 60)
  }

  @Test("The standard deviation is that of a sample; eight levels of CBOR are read, a ninth is refused")
  func numbers() {
    var sample = StatisticsCSV.Sample()
    sample.add(1)
    #expect(sample.standardDeviation == nil)
    sample.add(3)
    #expect(sample.standardDeviation == 2.0.squareRoot())
    let levels = [UInt8](repeating: 0x81, count: 8)
    for (outer, isRead) in [(Array(levels.dropLast()), true), (levels, false)] {
      let bytes = outer + [0]
      let value = CBORValue.decode(bytes.span)
      #expect((value != nil) == isRead)
    }
  }

  @Test(
    "The median of an even number of readings is the weaker of the middle two",
    arguments: [([-40], -40), ([-60, -50], -60), ([-70, -60, -50], -60), ([-70, -60, -50, -50], -60)]
      as [([Int8], Int)])
  func median(readings: [Int8], median: Int) {
    var levels = SignalLevels()
    for reading in readings.shuffled() { levels.add(reading) }
    let summary = levels.summary
    #expect(summary?.median == median)
    #expect(summary?.strongest == readings.last.map(Int.init))
    #expect(levels.readings == readings.count)
  }
}
