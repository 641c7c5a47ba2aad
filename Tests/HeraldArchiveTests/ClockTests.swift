import Foundation
import HeraldHostLink
import Testing

@testable import HeraldArchive

/// Clocks of devices that were never set, or jump.
@Suite struct ClockTests {
  /// The rows of `directions` of one device that hears an address: day, seconds, readings; and the readings
  /// without a date.
  private func days(_ device: consuming LoggingDevice, zone: String = "UTC") throws -> (
    rows: [[Int64]], undated: Int64
  ) {
    let folder = try ScratchFolder()
    try device.pull(to: folder.path + "/one")
    var rules = ContactRules()
    rules.zone = zone
    let archive = try Archive(
      try SQLiteConnection(path: folder.path + "/a.sqlite", create: true), newRules: rules)
    try archive.fill(folder.path + "/one")
    let rows = try archive.connection.rows("SELECT day, seconds, readings FROM directions ORDER BY day")
    return (
      rows.map { [$0.integer(0), $0.integer(1), $0.integer(2)] }, try archive.devices()[0].undated
    )
  }

  @Test func withoutADateReadingsAreCountedOnly() throws {
    var device = try LoggingDevice("ONE", date: nil)
    try device.measure(5, -60, from: 0, count: 8)
    let (rows, undated) = try days(device)
    #expect(rows.isEmpty && undated == 8)
  }

  @Test func aDateOf1970IsADate() throws {
    var device = try LoggingDevice("ONE", date: 86_400_000)
    try device.measure(5, -60, from: 0, count: 8)
    #expect(try days(device).rows == [[1970_01_02, 120, 8]])
  }

  @Test func datesAfter2038HaveMoreThan32Bits() throws {
    // 2038-01-19 03:14:07 UTC is 2^31 - 1 seconds; readings from 3:14:00 to 3:15:45.
    var device = try LoggingDevice("ONE", date: ((1 << 31) - 8) * 1000)
    try device.measure(5, -60, from: 0, count: 8)
    #expect(try days(device).rows == [[2038_01_19, 120, 8]])
  }

  @Test func aClockThatWasADayAheadIsSetBack() throws {
    var device = try LoggingDevice("ONE", date: shiftBegin + 86_400_000)
    try device.measure(5, -60, from: 0, count: 8)
    try device.set(shiftBegin + 120_000, at: 120_000)
    try device.measure(5, -60, from: 120_000, count: 4)
    #expect(try days(device).rows == [[20_260_914, 60, 4], [20_260_915, 120, 8]])
  }

  @Test func aMinuteThatIsLivedTwiceCountsOnce() throws {
    // Two minutes, then a minute back, then another minute, which is the second one again.
    var device = try LoggingDevice("ONE")
    try device.measure(5, -60, from: 0, count: 8)
    try device.set(shiftBegin + 60_000, at: 120_000)
    try device.measure(5, -60, from: 120_000, count: 4)
    #expect(try days(device).rows == [[20_260_914, 120, 12]])
  }

  @Test func readingsBeforeTheClockWasSetAreDatedBackwards() throws {
    var device = try LoggingDevice("ONE", date: nil)
    try device.measure(5, -60, from: 0, count: 4)
    try device.set(shiftBegin, at: 60_000)
    try device.measure(5, -60, from: 60_000, count: 4)
    // A minute before 8:00 and one after.
    let (rows, undated) = try days(device)
    #expect(rows == [[20_260_914, 120, 8]] && undated == 0)
  }

  @Test func daysAreThoseOfTheZone() throws {
    // 2026-09-14 21:59:00 to 22:00:45 UTC is 23:59:00 to 0:00:45 in Berlin, where the clock is two hours
    // ahead.
    var device = try LoggingDevice("ONE", date: shiftBegin + 14 * 3_600_000 - 60_000)
    try device.measure(5, -60, from: 0, count: 8)
    #expect(try days(device, zone: "Europe/Berlin").rows == [[20_260_914, 60, 4], [20_260_915, 60, 4]])
  }
}
