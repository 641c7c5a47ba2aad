import HeraldEmbedded
import HeraldHostLink

extension Archive {
  /// A measurement of a signal strength, as a device logged it.
  public struct Reading: Equatable, Sendable {
    /// The serial number of the device.
    public let device: String
    /// The date in milliseconds since 1970-01-01T00:00:00Z.
    public let unixMilliseconds: Int64
    /// The label of the one who wore the device.
    public let observer: String
    /// The label of the one who was heard.
    public let subject: String
    /// The kind of the one who was heard: `person`, `device`, `payload`, `address` or `place`.
    public let subjectKind: String
    /// The address from which the advertisement came.
    public let address: String
    /// The transmit power in dBm, if the advertisements of the address contained it.
    public let power: Int?
    /// The RSSI in dBm.
    public let rssi: Int
  }

  /// Which readings are wanted; a condition that is `nil` holds for all.
  public struct ReadingFilter: Equatable, Sendable {
    /// The serial number of the device.
    public var device: String?
    /// The label of the observer or of the subject.
    public var who: String?
    /// With `who`: the label of the other one of the pair.
    public var other: String?
    /// The first and the last day in the archive's time zone, such as 20260914.
    public var days: ClosedRange<Int64>?

    /// All readings.
    public init() {}

    fileprivate func holds(_ observer: String, _ subject: String) -> Bool {
      guard let who else { return true }
      guard let other else { return observer == who || subject == who }
      return (observer, subject) == (who, other) || (observer, subject) == (other, who)
    }
  }

  /// Decodes the readings with a date from the pages, and passes them to `body`: device by device, and each
  /// device's in the order of its log. The pages are read one at a time, so that memory does not grow with the
  /// number of readings. `body` must not use the archive.
  /// - Throws: `.usage` if the archive has no such device or label, and what `body` throws.
  public func readings(_ filter: ReadingFilter, _ body: (Reading) throws(HostLinkError) -> Void)
    throws(HostLinkError)
  {
    let assignments = try assignments()
    for device in try devices(with: filter) {
      try readings(of: device, try context(of: device, assignments), filter, body)
    }
  }

  private func devices(with filter: ReadingFilter) throws(HostLinkError) -> [Int64] {
    for label in [filter.who, filter.other].compactMap(\.self) where try parties(labelled: label).isEmpty {
      throw Self.unknown(label, in: connection.place)
    }
    var devices = try connection.rows("SELECT id, serial FROM device ORDER BY id")
    if let serial = filter.device {
      devices.removeAll { $0.text(1) != serial }
      if devices.isEmpty {
        throw HostLinkError(
          .usage, "\(connection.place) has no device \(serial)",
          advice: "`herald-host archive show` lists the devices")
      }
    }
    guard let who = filter.who else { return devices.map { $0.integer(0) } }
    let name = SQLValue.text(who)
    var condition = "o.label = ? OR s.label = ?"
    var arguments = [name, name]
    if let other = filter.other.map(SQLValue.text) {
      condition = "(o.label = ? AND s.label = ?) OR (o.label = ? AND s.label = ?)"
      arguments = [name, other, other, name]
    }
    let found = Set(
      try connection.rows(
        """
        SELECT DISTINCT c.device_id FROM contact c JOIN who o ON o.id = c.observer_id
          JOIN who s ON s.id = c.subject_id WHERE \(condition)
        """, arguments
      ).map { $0.integer(0) })
    return devices.map { $0.integer(0) }.filter(found.contains)
  }

  /// The error of a label that nobody has.
  static func unknown(_ label: String, in place: String) -> HostLinkError {
    HostLinkError(
      .usage, "nobody in \(place) is called \(label)",
      advice: "`herald-host archive show --parties` lists everybody")
  }

  private func readings(
    of device: Int64, _ context: DeviceDerivation.Context, _ filter: ReadingFilter,
    _ body: (Reading) throws(HostLinkError) -> Void
  ) throws(HostLinkError) {
    var scan = DeviceScan(try clocks(of: device))
    var visit = PageVisit()
    var count = 0
    try forEachPage(of: device) { page in
      scan.add(page, index: count, &visit)
      count += 1
    }
    var collector = SignCollector(scan, context, .min ... .max)
    let first = filter.days.flatMap { LocalDays.day(ofNumber: $0.lowerBound) }.map(days.begin(ofDay:))
    let end = filter.days.flatMap { LocalDays.day(ofNumber: $0.upperBound) }.map { days.begin(ofDay: $0 + 1) }
    var index = 0
    try forEachPage(of: device) { page throws(HostLinkError) in
      var place = DeviceScan.Place(index) << 20
      index += 1
      var error: HostLinkError?
      visit.visit(page, clock: { _ in }) { record, _ in
        place += 1
        guard error == nil, case .measured(let target, let rssi) = record.event, rssi.isAvailable,
          let peer = scan.index(of: target)
        else { return }
        let start = DeviceScan.Start(epoch: record.epoch, boot: record.boot)
        guard let date = scan.date(DeviceScan.Moment(start: start, uptime: record.uptime)),
          date >= first ?? .min, date < end ?? .max
        else { return }
        let (number, own) = (collector.subject(of: peer, at: date, place), collector.observer(at: date))
        let (subject, observer) = (collector.whos[Int(number)], collector.whos[Int(own)])
        guard filter.holds(observer.label, subject.label) else { return }
        let reading = Reading(
          device: context.serial, unixMilliseconds: date, observer: observer.label, subject: subject.label,
          subjectKind: subject.kind, address: target.addressText,
          power: scan.power(ofPeer: peer, at: place).map(Int.init), rssi: Int(rssi.rawValue))
        do throws(HostLinkError) { try body(reading) } catch let problem { error = problem }
      }
      if let error { throw error }
    }
  }
}
