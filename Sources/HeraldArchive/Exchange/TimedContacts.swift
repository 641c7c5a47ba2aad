import Foundation
import HeraldHostLink

/// The files of SocioPatterns: `tij.tsv`, a line `t i j Si Sj` for each pair in contact in the window of 20 s
/// that ends at `t`, and `names.csv`.
///
/// A pair is in contact in a window if either had a sign of the other. Signs are decoded from the pages
/// device by device, and put on disk by day; then each day is sorted.
struct TimedContacts {
  /// The length of a window in seconds.
  static let window: Int64 = 20
  private static let windowsOfDay = 86_400 / window
  /// The bits of the number of somebody in a packed contact.
  private static let numberBits: UInt64 = 25

  private let archive: Archive
  private let people: ExchangePeople
  private let query: MeetingQuery

  /// Contacts of the pairs and days of a query.
  init(_ archive: Archive, _ people: ExchangePeople, _ query: MeetingQuery) {
    (self.archive, self.people, self.query) = (archive, people, query)
  }

  /// Whether a file begins with a line `t i j Si Sj`.
  static func isTable(_ start: [UInt8]) -> Bool {
    let line = start.prefix { $0 != 0x0A }
    let fields = line.split(separator: 0x09, omittingEmptySubsequences: false)
    return fields.count == 5
      && fields[..<3].allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
  }

  /// What of the signs is in contacts of the query.
  private struct Selected {
    /// The pairs and days, each with its minutes in ascending order; `nil` for all minutes.
    private var minutes: [MeetingKey: [Int64]?] = [:]

    init?(_ query: MeetingQuery, _ archive: Archive) throws(HostLinkError) {
      var all = MeetingQuery()
      all.withUnworn = query.withUnworn
      guard query != all else { return nil }
      guard query.within != nil else {
        let selection = try MeetingSelection(query, of: archive.connection, isTurned: false)
        try archive.connection.query(
          "SELECT m.who_id, m.other_id, m.day \(selection.sql)", selection.arguments
        ) {
          minutes[MeetingKey($0)] = .some(nil)
        }
        return
      }
      try archive.meetings(query) { (meeting: DayMeeting) throws(HostLinkError) in
        let day = LocalDays.number(ofDay: meeting.day)
        minutes[MeetingKey(meeting.who.id, meeting.other.id, day: day)] = meeting.joined.minutes.map(\.number)
      }
    }

    func contains(_ key: MeetingKey, minute: Int64) -> Bool {
      guard let found = minutes[key] else { return false }
      guard let list = found else { return true }
      var (low, high) = (0, list.count)
      while low < high {
        let middle = (low + high) / 2
        if list[middle] < minute { low = middle + 1 } else { high = middle }
      }
      return low < list.count && list[low] == minute
    }
  }

  /// Writes both files; returns them and the numbers of those with a contact.
  func write(to path: String, _ progress: (Int, Int) -> Void) throws(HostLinkError) -> (
    [ExchangeFile], Set<Int64>
  ) {
    guard (people.entries.keys.max() ?? 0) < 1 << Int64(Self.numberBits) else {
      throw HostLinkError(.storage, "the archive has too many payloads and addresses for this format")
    }
    let days = try DayFiles(beside: path)
    let devices = try archive.connection.rows("SELECT id FROM device ORDER BY id").map { $0.integer(0) }
    var whos = WhoTable(archive.connection)
    let assignments = try archive.assignments()
    let selected = try Selected(query, archive)
    for (index, device) in devices.enumerated() {
      try collect(device, assignments, selected, &whos, days)
      progress(index + 1, devices.count)
    }
    let file = try ReplacedFile("\(path)/tij.tsv")
    var statuses: [Int64: String] = [:]
    for who in people.entries.values {
      statuses[who.id] = ExchangeText.word(who.role.isEmpty ? who.kind.rawValue : who.role)
    }
    var met: Set<Int64> = []
    var rows = 0
    for day in days.days {
      var last: UInt64?
      for contact in try days.contacts(of: day) where contact != last {
        last = contact
        let (slot, one, other) = Self.unpacked(contact)
        // The window ends at t, as in the published data.
        let end = (day * Self.windowsOfDay + slot + 1) * Self.window
        try file.append("\(end)\t\(one)\t\(other)\t\(statuses[one] ?? "-")\t\(statuses[other] ?? "-")\n")
        met.formUnion([one, other])
        rows += 1
      }
    }
    try file.finish()
    let files = [ExchangeFile(name: "tij.tsv", rows: rows), try people.write(met, to: path, "names.csv")]
    return (files, met)
  }

  private func collect(
    _ device: Int64, _ assignments: Assignments, _ selected: Selected?, _ whos: inout WhoTable,
    _ days: DayFiles
  ) throws(HostLinkError) {
    let pages = try StoredPages(archive, of: device)
    let scan = try Archive.scan(pages, try archive.deviceClocks.clock(of: device))
    let context = try archive.context(of: device, assignments)
    for chunk in try Division(pages, scan, archive.days).chunks {
      var collector = SignCollector(scan, context, chunk.days)
      var visit = PageVisit()
      try pages.forEach(chunk.pages) { collector.add($1, index: $0, &visit) }
      var found: [Int64: [UInt64]] = [:]
      for (direction, signs) in collector.sorted() {
        let observer = try whos.number(of: collector.whos[Int(direction.observer)])
        let subject = try whos.number(of: collector.whos[Int(direction.subject)])
        guard people.entries[observer] != nil, people.entries[subject] != nil, observer != subject else {
          continue
        }
        var last = Int64.min
        for sign in signs where sign.date >= 0 {
          let window = sign.date / (Self.window * 1000)
          guard window != last else { continue }
          last = window
          if let selected {
            let day = LocalDays.number(ofDay: archive.days.day(of: sign.date))
            let key = MeetingKey(observer, subject, day: day)
            guard selected.contains(key, minute: sign.date / 60_000) else { continue }
          }
          found[window / Self.windowsOfDay, default: []].append(
            Self.packed(window % Self.windowsOfDay, min(observer, subject), max(observer, subject)))
        }
      }
      for (day, contacts) in found { try days.append(contacts, to: day) }
    }
  }

  private static func packed(_ slot: Int64, _ one: Int64, _ other: Int64) -> UInt64 {
    (UInt64(clamping: slot) << numberBits | UInt64(clamping: one)) << numberBits | UInt64(clamping: other)
  }

  private static func unpacked(_ contact: UInt64) -> (slot: Int64, one: Int64, other: Int64) {
    let mask: UInt64 = 1 << numberBits - 1
    return (
      Int64(contact >> (2 * numberBits)), Int64(contact >> numberBits & mask), Int64(contact & mask)
    )
  }
}

/// Temporary files with the packed contacts of days, which are gone when it is.
private final class DayFiles {
  private let path: String
  private var counts: [Int64: Int] = [:]

  /// The days with contacts, in ascending order.
  var days: [Int64] { counts.keys.sorted() }

  /// Makes the folder, in the one that the result goes to. What a run that was killed has left there is
  /// removed.
  init(beside output: String) throws(HostLinkError) {
    for name in try LocalFile.names(in: output) ?? []
    where name.hasPrefix(".tij-") {
      try? FileManager.default.removeItem(atPath: "\(output)/\(name)")
    }
    path = "\(output)/.tij-\(UUID().uuidString)"
    try PrivateFolder.make(path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func append(_ contacts: [UInt64], to day: Int64) throws(HostLinkError) {
    let file = "\(path)/\(day)"
    let descriptor = try LocalFile.open(writing: file)
    defer { close(descriptor) }
    lseek(descriptor, 0, SEEK_END)
    let isWritten = contacts.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = Foundation.write(
          descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        written += count
      }
      return true
    }
    guard isWritten else { throw Self.failure(file) }
    counts[day, default: 0] += contacts.count
  }

  /// The contacts of a day in ascending order, those that were found twice included.
  func contacts(of day: Int64) throws(HostLinkError) -> [UInt64] {
    let file = "\(path)/\(day)"
    let bytes = try LocalFile.bytes(file, atMost: .max, missing: "run the command again")
    var contacts = [UInt64](repeating: 0, count: bytes.count / 8)
    contacts.withUnsafeMutableBytes { $0.copyBytes(from: bytes.prefix($0.count)) }
    contacts.sort()
    return contacts
  }

  private static func failure(_ file: String) -> HostLinkError {
    let code = errno
    return HostLinkError(
      .storage, "\(file) cannot be written or read: \(String(cString: strerror(code)))",
      advice: HostLinkError.isFull(code) ? HostLinkError.spaceAdvice : "check the disk")
  }
}
