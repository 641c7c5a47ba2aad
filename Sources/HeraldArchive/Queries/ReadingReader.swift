import HeraldEmbedded
import HeraldHostLink

/// Decodes the readings of an archive from its pages.
struct ReadingReader {
  private let archive: Archive
  private var connection: any ArchiveConnection { archive.connection }
  private var days: LocalDays { archive.days }

  init(_ archive: Archive) { self.archive = archive }

  /// Decodes readings; see `Archive.readings`.
  func readings(_ filter: Archive.ReadingFilter, _ body: (Archive.Reading) throws(HostLinkError) -> Void)
    throws(HostLinkError)
  {
    let assignments = try archive.assignments()
    for device in try devices(with: filter) {
      try readings(of: device, try archive.context(of: device, assignments), filter, body)
    }
  }

  /// The dates of the days of a filter.
  private func dates(of filter: Archive.ReadingFilter) -> ClosedRange<Int64> {
    guard let range = filter.days else { return .min ... .max }
    let first = LocalDays.day(ofNumber: range.lowerBound).map(days.begin(ofDay:)) ?? .min
    let end = LocalDays.day(ofNumber: range.upperBound).map { days.begin(ofDay: $0 + 1) - 1 } ?? .max
    return first...max(first, end)
  }

  private func devices(with filter: Archive.ReadingFilter) throws(HostLinkError) -> [Int64] {
    for label in [filter.who, filter.other].compactMap(\.self)
    where try !CoverageReader(archive).knows(label) {
      throw Archive.unknown(label, in: connection.location)
    }
    var devices = try connection.rows("SELECT id, serial FROM device ORDER BY id")
    if let serial = filter.device {
      devices.removeAll { $0.text(1) != serial }
      if devices.isEmpty {
        throw HostLinkError(
          .usage, "\(connection.location) has no device \(serial)",
          advice: "`herald-host archive show` lists the devices")
      }
    }
    guard let who = filter.who else { return devices.map { $0.integer(0) } }
    let name = SQLValue.text(who)
    var condition = "(o.label = ? OR s.label = ?)"
    var arguments = [name, name]
    if let other = filter.other.map(SQLValue.text) {
      condition = "((o.label = ? AND s.label = ?) OR (o.label = ? AND s.label = ?))"
      arguments = [name, other, other, name]
    }
    // Every reading of another one is in a contact.
    let dates = dates(of: filter)
    arguments += [.integer(dates.upperBound), .integer(dates.lowerBound)]
    let found = Set(
      try connection.rows(
        """
        SELECT DISTINCT c.device_id FROM contact c JOIN who o ON o.id = c.observer_id
          JOIN who s ON s.id = c.subject_id WHERE \(condition) AND c.begin_ms <= ? AND c.end_ms >= ?
        """, arguments
      ).map { $0.integer(0) })
    return devices.map { $0.integer(0) }.filter(found.contains)
  }

  private func readings(
    of device: Int64, _ context: DeviceDerivation.Context, _ filter: Archive.ReadingFilter,
    _ body: (Archive.Reading) throws(HostLinkError) -> Void
  ) throws(HostLinkError) {
    let pages = try StoredPages(archive, of: device)
    let scan = try Archive.scan(pages, try archive.deviceClocks.clock(of: device))
    var visit = PageVisit()
    var collector = SignCollector(scan, context, .min ... .max)
    let dates = dates(of: filter)
    try pages.forEach(nil) { index, page throws(HostLinkError) in
      var position = DeviceScan.Position(index) << 20
      var error: HostLinkError?
      visit.visit(page, clock: { _ in }) { record, _ in
        position += 1
        guard error == nil, case .measured(let target, let rssi) = record.event, rssi.isAvailable,
          let peer = scan.index(of: target)
        else { return }
        let start = DeviceScan.Start(epoch: record.epoch, boot: record.boot)
        guard let date = scan.date(DeviceScan.Moment(start: start, uptime: record.uptime)),
          dates.contains(date)
        else { return }
        let (number, own) = (collector.subject(of: peer, at: date, position), collector.observer(at: date))
        let (subject, observer) = (collector.whos[Int(number)], collector.whos[Int(own)])
        guard filter.holds(observer.observer, subject.label) else { return }
        let reading = Archive.Reading(
          device: context.serial, unixMilliseconds: date, observer: observer.observer, subject: subject.label,
          subjectKind: subject.kind, address: target.addressText,
          power: scan.power(ofPeer: peer, at: position).map(Int.init), rssi: Int(rssi.rawValue))
        do throws(HostLinkError) { try body(reading) } catch let problem { error = problem }
      }
      if let error { throw error }
    }
  }
}
