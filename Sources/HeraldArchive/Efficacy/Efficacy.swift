import HeraldHostLink
import HeraldText

/// Detection and continuity of devices that were together for some time, as the formal test summaries of the
/// Herald project count them; docs/archive.md has the formulas.
///
/// It reads `contacts.csv` of each device several times, in bounded memory.
package struct Efficacy: Equatable, Sendable {
  /// How the device that shared a payload is found.
  package enum ShareRule: String, CaseIterable, Sendable {
    /// By the address of the row, as for measurements: the device that sent the message.
    case address
    /// By the payload in the row, if it was read in the same file: the device that the message is about.
    case payload
  }

  /// What is counted.
  package struct Rules: Sendable {
    /// The first second of the period of continuity, since 1970; `nil`: when the last device begins to
    /// record.
    package var from: Int64?
    /// The last second of that period; `nil`: when the first device ends to record.
    package var to: Int64?
    /// The first second, since 1970, of rows that count for detection; `nil` for all rows.
    package var detectionFrom: Int64?
    /// The last second of rows that count for detection; `nil` for all rows.
    package var detectionTo: Int64?
    /// How shares are attributed.
    package var shares = ShareRule.address
    /// The time zone of dates that name no offset from UTC.
    package var days = LocalDays.utc
    /// Seconds to add to the dates of a device, by the name of its folder or of its operating system.
    package var shifts: [String: Int64] = [:]

    /// The rules of Herald's published tables: all rows, UTC.
    package init() {}
  }

  /// A device.
  package struct Device: Equatable, Sendable {
    /// The folder of the recording.
    package let recording: RecordingFolder
    /// The number of rows of its `contacts.csv`.
    package let rows: Int
    /// The number of rows with too few fields.
    package let damagedRows: Int
    /// The number of rows without a readable date.
    package let undatedRows: Int
    /// The first date that cannot be read; `nil` if all can.
    package let unreadDate: String?
    /// The number of rows of no known kind.
    package let unknownRows: Int
    /// What the first of them has in place of a kind; `nil` if all are known.
    package let unknownField: String?
    /// The number of rows with a local time that there is twice: the first is taken.
    package let ambiguousRows: Int
    /// The earliest date, in seconds since 1970; `nil` without rows.
    package let first: Int64?
    /// The latest date.
    package let last: Int64?
  }

  /// What one device, the observer, has of another one.
  package struct Pair: Equatable, Sendable {
    /// The index in `devices` of the one that heard.
    package let observer: Int
    /// The index in `devices` of the one that was heard.
    package let observed: Int
    /// The number of events in the whole file, or in the period of detection.
    package let events: Int
    /// The number of windows of the period with an event.
    package let windows: Int

    /// Whether the observer detected the other device.
    package var isDetected: Bool { events > 0 }
  }

  /// The length of a window in seconds.
  package static let windowSeconds: Int64 = 30
  /// The longest period in days.
  static let mostDays: Int64 = 366
  /// The maximum number of addresses in a file from which a payload of a device was read.
  static let mostAddresses = 1 << 18

  /// The devices, in the order of their folders.
  package let devices: [Device]
  /// The first second of the period, since 1970.
  package let from: Int64
  /// The last second of the period.
  package let to: Int64
  /// All ordered pairs, by observer, then by observed device.
  package let pairs: [Pair]

  /// The number of windows of the period: its length divided by that of a window, rounded up.
  package var windows: Int { Int((to - from + Self.windowSeconds - 1) / Self.windowSeconds) }
  /// The number of ordered pairs that detected each other.
  package var detected: Int { pairs.count { $0.isDetected } }
  /// The number of windows with an event, of all ordered pairs.
  package var achievedWindows: Int { pairs.reduce(0) { $0 + $1.windows } }
  /// The number of windows of all ordered pairs.
  package var maximumWindows: Int { pairs.count * windows }

  /// `part` of `whole` in percent; 0 of nothing is 0.
  package static func percent(_ part: Int, of whole: Int) -> Double {
    whole == 0 ? 0 : 100 * Double(part) / Double(whole)
  }

  /// Reads the files. `progress` receives the number of files that are read, and to read.
  /// - Throws: `.storage` if a file cannot be read; `.usage` if there is no period.
  package init(
    _ folders: [RecordingFolder], _ rules: Rules = Rules(), progress: (Int, Int) -> Void = { _, _ in }
  ) throws(HostLinkError) {
    var devices: [Device] = []
    let steps = folders.count * 2
    for (index, folder) in folders.enumerated() {
      let rows = ContactRows(folder: folder, days: rules.days, shift: rules.shift(of: folder))
      var first: Int64?
      var last: Int64?
      let remarks = try rows.read { (date, _, _) throws(HostLinkError) in
        first = min(first ?? date, date)
        last = max(last ?? date, date)
      }
      devices.append(
        Device(
          recording: folder, rows: remarks.rows, damagedRows: remarks.damaged, undatedRows: remarks.undated,
          unreadDate: remarks.unread, unknownRows: remarks.unknown, unknownField: remarks.unknownField,
          ambiguousRows: remarks.ambiguous, first: first, last: last))
      try Self.checkShare(folder, remarks)
      progress(index + 1, steps)
    }
    let period = try Self.period(devices, rules)
    let owners = Dictionary(
      folders.enumerated().filter { !$0.element.payload.isEmpty }.map { ($0.element.payload, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    var pairs: [Pair] = []
    for (index, folder) in folders.enumerated() {
      var observer = ObserverWindows(observer: index, owners: owners, count: folders.count, rules: rules)
      let rows = ContactRows(folder: folder, days: rules.days, shift: rules.shift(of: folder))
      try observer.read(rows, period)
      pairs += observer.pairs
      progress(folders.count + index + 1, steps)
    }
    self.devices = devices
    (from, to) = (period.lowerBound, period.upperBound)
    self.pairs = pairs
  }

  /// Refuses a file of which so much cannot be read that the result would be about its form: what is not read
  /// counts as not detected.
  private static func checkShare(_ folder: RecordingFolder, _ remarks: ContactRows.Remarks)
    throws(HostLinkError)
  {
    let unread = remarks.undated + remarks.damaged + remarks.unknown
    guard unread > 0, unread == remarks.rows || unread > 10 && unread > remarks.rows / 10 else { return }
    let date = remarks.unread.map { ", such as \"\($0)\"" } ?? ""
    let kind = remarks.unknownField.map { ", such as \"\($0)\"" } ?? ""
    let causes = [
      (
        remarks.undated, "no date that can be read\(date)",
        "write dates as 2026-09-14 20:30:00, with an offset such as +0100 if they have one"
      ),
      (remarks.damaged, "other fields than the header", "give each row the fields of the header"),
      (
        remarks.unknown, "no kind that is known\(kind)",
        "write 2 for a read, 3 for a measurement and 4 for a share, each in its column"
      ),
    ]
    guard let cause = causes.max(by: { $0.0 < $1.0 }) else { return }
    throw HostLinkError(
      .storage,
      "\(PrintableText.of(folder.contacts, limit: 400)): \(unread) of \(remarks.rows) rows have \(cause.1): they would count as not detected",
      advice: "\(cause.2), or leave the folder out")
  }

  private static func period(_ devices: [Device], _ rules: Rules) throws(HostLinkError) -> ClosedRange<Int64>
  {
    let from = rules.from ?? devices.compactMap(\.first).max()
    let to = rules.to ?? devices.compactMap(\.last).min()
    guard let from, let to, from < to else {
      throw HostLinkError(
        .usage,
        rules.from != nil && rules.to != nil
          ? "the period ends before it begins" : "there is no time in which all devices recorded",
        advice: "name the period with --from and --to")
    }
    guard to - from <= mostDays * 86_400 else {
      throw HostLinkError(
        .usage, "the period is longer than \(mostDays) days",
        advice: "name a shorter one with --from and --to")
    }
    return from...to
  }
}

extension Efficacy.Rules {
  /// The seconds to add to the dates of a device.
  func shift(of folder: RecordingFolder) -> Int64 { shifts[folder.folder] ?? shifts[folder.system] ?? 0 }
}
