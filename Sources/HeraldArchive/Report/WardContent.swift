import HeraldHostLink
import HeraldText

/// The content of a report, queried from an archive. Its size is bounded for any archive.
struct WardContent {
  /// The maximum number of persons with a section.
  static let mostPeople = 300
  /// The maximum number of others that are listed if only one device has a log.
  static let mostOthers = 60
  /// The maximum number of lanes of a day.
  static let mostLanes = 6

  let days: LocalDays
  let rules: ContactRules
  /// The first and the last civil day with a sign, as numbers since 1970-01-01, and all days between that
  /// have any, in order.
  private(set) var dayNumbers: [Int64] = []
  /// Everybody with a row, by place, role and label.
  private(set) var whos: [ReportWho] = []
  /// The pairs with time, those with the most time first.
  private(set) var pairs: [ReportPair] = []
  /// The persons with a section, in the order of `whos`.
  private(set) var people: [ReportPerson] = []
  /// The number of persons and devices with a log or heard by one.
  private(set) var peopleCount = 0
  /// The number of persons among them, and those that the report is about.
  private(set) var personCount = 0
  private(set) var focusCount = 0
  /// Whom the report is about; `nil` for everybody.
  let focus: ReportFocus?
  /// Devices whose clocks were wrong.
  private(set) var clockFindings: [ClockFinding] = []
  /// Labels of those with a badge that was ahead or behind: its times are not those of others.
  private(set) var wronglyDated: Set<String> = []
  /// What is recorded of each person, and of each badge without one, in the time of the report, by name.
  private(set) var coverages: [Coverage] = []
  /// Badges that lay with others while nobody wore them, and the seconds with the one that lay longest there.
  private(set) var lyingTogether: [(name: String, badges: Int, seconds: Int)] = []
  /// Seconds of each person with phones, places and addresses that have no row: for each person the longest.
  private(set) var strangers: [Int: [(label: String, kind: String, sums: ReportSums)]] = [:]
  private(set) var devices: [ReportDevice] = []
  /// Persons of `people.csv` of whom there is no log in these days.
  private(set) var unrecorded: [(name: String, serials: [String])] = []
  /// Whether only one device has a log: then everybody whom it heard has a row.
  var isOfOneDevice: Bool { peopleCount < 2 }

  /// Queries the content for the civil days of `period`, and for those of `focus`.
  init(_ archive: Archive, _ period: ReportPeriod, focus: ReportFocus? = nil, capacity: Double? = nil)
    throws(HostLinkError)
  {
    self.focus = focus
    days = archive.days
    rules = archive.rules
    let connection = archive.connection
    try findWhos(connection, period)
    var devices = try ReportDevices(archive, period, capacity: capacity)
    try readDays(connection, period, &devices)
    self.devices = devices.finish(whos)
    if focus != nil { self.devices.removeAll { $0.wearers.isEmpty } }
    try findUnrecorded(archive, period)
    clockFindings = try archive.deviceClocks.findings(
      of: period.numbers, about: focus == nil ? nil : Set(whos.map(\.label) + self.devices.map(\.serial)))
    wronglyDated = Set(
      try archive.deviceClocks.wronglyDated(on: period.numbers).map { PrintableText.of($0, limit: 80) })
    if !isOfOneDevice { try findStrangers(connection, period) }
    try findCoverage(archive, period)
    try findLyingTogether(connection, period)
  }

  private mutating func findCoverage(_ archive: Archive, _ period: ReportPeriod) throws(HostLinkError) {
    guard let time = try CoverageReader(archive).time(of: period.numbers) else { return }
    let labels = Set(whos.map(\.label))
    coverages = try archive.coverages(from: time.from, to: time.to).filter { coverage in
      focus == nil || focus?.persons.contains(coverage.label) == true
        || labels.contains(PrintableText.of(coverage.label, limit: 80))
    }
  }

  private mutating func findLyingTogether(_ connection: any ArchiveConnection, _ period: ReportPeriod)
    throws(HostLinkError)
  {
    guard focus == nil else { return }
    var found: [Int64: (name: String, badges: Int, seconds: Int)] = [:]
    for row in try connection.rows(
      """
      SELECT w.id, w.label, SUM(\(Self.seconds("m.seconds"))) AS near FROM meeting m JOIN who w ON w.id = m.who_id
        JOIN who o ON o.id = m.other_id
      WHERE m.day BETWEEN ? AND ? AND w.kind = 'unworn' AND o.kind = 'unworn'
      GROUP BY w.id, w.label, m.other_id ORDER BY w.label, w.id
      """, period.arguments)
    {
      let known = found[row.integer(0)] ?? (PrintableText.of(row.text(1), limit: 80), 0, 0)
      found[row.integer(0)] = (known.name, known.badges + 1, max(known.seconds, Int(count: row, 2)))
    }
    lyingTogether = found.sorted {
      ($1.value.seconds, $0.value.name, $0.key) < ($0.value.seconds, $1.value.name, $1.key)
    }
    .map(\.value).filter {
      $0.seconds >= OneSidedDirections.leastSeconds && !wronglyDated.contains($0.name)
    }
  }

  /// The directions of the pairs of which both have a badge with a right clock, by their indices in `whos`.
  var comparablePairs: [OneSidedDirections.Pair] {
    guard !isOfOneDevice else { return [] }
    return pairs.filter { pair in
      [pair.one, pair.other].allSatisfy { whos[$0].hasBadge && !wronglyDated.contains(whos[$0].label) }
    }.map {
      OneSidedDirections.Pair(one: $0.one, other: $0.other, heard: $0.heard, heardBack: $0.heardBack)
    }
  }

  /// What is recorded of somebody of `whos`.
  func coverage(of who: Int) -> Coverage? {
    coverages.first { PrintableText.of($0.label, limit: 80) == whos[who].label }
  }

  // MARK: Who

  private mutating func findWhos(_ connection: any ArchiveConnection, _ period: ReportPeriod)
    throws(HostLinkError)
  {
    let sums = "SUM(\(Self.seconds("m.seconds"))) AS near"
    let asked = focus.map { " AND (m.who_id IN (\($0.list)) OR m.other_id IN (\($0.list)))" } ?? ""
    let wearers = try connection.rows(
      """
      SELECT w.id, w.kind, w.label, w.role, w.place, \(sums) FROM meeting m JOIN who w ON w.id = m.who_id
      WHERE m.day BETWEEN ? AND ? AND w.kind IN ('person', 'device')\(asked)
      GROUP BY w.id, w.kind, w.label, w.role, w.place ORDER BY near DESC, w.label
      """, period.arguments)
    peopleCount = wearers.count
    personCount = wearers.count { $0.text(1) == "person" }
    focusCount = focus.map { focus in wearers.count { focus.whos.contains($0.integer(0)) } } ?? peopleCount
    var rows = Array(wearers.prefix(Self.mostPeople))
    if isOfOneDevice {
      rows += try connection.rows(
        """
        SELECT w.id, w.kind, w.label, w.role, w.place, \(sums) FROM meeting m JOIN who w ON w.id = m.who_id
        WHERE m.day BETWEEN ? AND ? AND w.kind NOT IN ('person', 'device', 'unworn')\(asked)
        GROUP BY w.id, w.kind, w.label, w.role, w.place ORDER BY near DESC, w.label LIMIT ?
        """, period.arguments + [.integer(Int64(Self.mostOthers))])
    }
    whos = rows.map {
      ReportWho(id: $0.integer(0), kind: $0.text(1), label: $0.text(2), role: $0.text(3), place: $0.text(4))
    }.sorted {
      if $0.group != $1.group { return ReportWho.precedes($0.group, $1.group) }
      if $0.role != $1.role { return ReportWho.precedes($0.role, $1.role) }
      return ($0.label, $0.id) < ($1.label, $1.id)
    }
    // Persons of one place need no groups but their roles.
    if Set(whos.filter { $0.kind == "person" }.map(\.place)).count < 2 {
      whos = whos.map { who in
        var who = who
        who.group = who.role
        return who
      }
    }
    people = whos.indices.filter { whos[$0].hasBadge && isAsked($0) }.map { ReportPerson(who: $0) }
  }

  /// A column of seconds of a day: numbers that no day has count as none.
  private static func seconds(_ column: String) -> String {
    "CASE WHEN \(column) BETWEEN 0 AND 100000 THEN \(column) ELSE 0 END"
  }

  /// Whether the report is about somebody of `whos`.
  private func isAsked(_ who: Int) -> Bool { focus?.whos.contains(whos[who].id) ?? true }

  private mutating func findStrangers(_ connection: any ArchiveConnection, _ period: ReportPeriod)
    throws(HostLinkError)
  {
    let bands = ArchiveSchema.bands.map { "SUM(\(Self.seconds("m.\($0)")))" }.joined(separator: ", ")
    for person in people {
      let rows = try connection.rows(
        """
        SELECT o.label, o.kind, SUM(\(Self.seconds("m.seconds"))) AS near, \(bands) FROM meeting m JOIN who o ON o.id = m.other_id
        WHERE m.who_id = ? AND m.day BETWEEN ? AND ? AND o.kind IN ('payload', 'place')
        GROUP BY o.id, o.label, o.kind ORDER BY near DESC, o.label LIMIT 5
        """, [.integer(whos[person.who].id)] + period.arguments)
      guard !rows.isEmpty else { continue }
      strangers[person.who] = rows.map { row in
        var sums = ReportSums()
        sums.seconds = Int(count: row, 2)
        sums.bands = sums.bands.indices.map { Int(count: row, 3 + $0) }
        return (PrintableText.of(row.text(0), limit: 80), row.text(1), sums)
      }
    }
  }

  private mutating func findUnrecorded(_ archive: Archive, _ period: ReportPeriod) throws(HostLinkError) {
    let recorded = Set(devices.filter { $0.readings > 0 || $0.activeMinutes > 0 }.map(\.serial))
    var serials: [String: Set<String>] = [:]
    let range = period.dates(days)
    for (serial, entries) in try archive.assignments().bySerial {
      for entry in entries
      where (focus?.persons.contains(entry.person) ?? true) && entry.from <= range.upperBound
        && entry.to >= range.lowerBound
      {
        serials[entry.person, default: []].insert(serial)
      }
    }
    unrecorded = serials.filter { $0.value.isDisjoint(with: recorded) }
      .map {
        (PrintableText.of($0.key, limit: 80), $0.value.sorted().map { PrintableText.of($0, limit: 40) })
      }
      .sorted { $0.name < $1.name }
  }

  // MARK: Days

  private struct Direction: Hashable {
    let observer: Int
    let subject: Int
  }

  private mutating func readDays(
    _ connection: any ArchiveConnection, _ period: ReportPeriod, _ devices: inout ReportDevices
  ) throws(HostLinkError) {
    let indices = Dictionary(whos.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { one, _ in one })
    var pairIndices: [Direction: Int] = [:]
    var present: Int64?
    var heard: [Direction: [DayWindows]] = [:]
    var recorded: [Int: Set<Int64>] = [:]
    func closeDay(_ content: inout WardContent) {
      guard let present else { return }
      content.close(LocalDays.day(ofNumber: present) ?? 0, heard, recorded, &pairIndices)
      heard.removeAll(keepingCapacity: true)
      recorded.removeAll(keepingCapacity: true)
    }
    try connection.query(
      """
      SELECT day, observer_id, subject_id, device_id, readings, windows FROM heard WHERE day BETWEEN ? AND ?
      ORDER BY day, observer_id, subject_id, device_id
      """, period.arguments
    ) { (row: SQLRow) throws(HostLinkError) in
      if row.integer(0) != present {
        closeDay(&self)
        present = row.integer(0)
      }
      let windows = DayWindows(row.blob(5), length: rules.window)
      devices.add(
        row.integer(3), day: LocalDays.day(ofNumber: row.integer(0)) ?? 0, readings: Int(count: row, 4),
        windows)
      guard let observer = indices[row.integer(1)] else { return }
      if whos[observer].hasBadge {
        recorded[observer, default: []].formUnion(windows.minutes.map(\.number))
      }
      guard let subject = indices[row.integer(2)], subject != observer, isAsked(observer) || isAsked(subject)
      else { return }
      heard[Direction(observer: observer, subject: subject), default: []].append(windows)
    }
    closeDay(&self)
    pairs.sort { ($1.sums.seconds, $0.one, $0.other) < ($0.sums.seconds, $1.one, $1.other) }
  }

  /// Seconds for which a minute counts.
  private func seconds(of minute: DayWindows.Minute) -> Int {
    minute.windows.nonzeroBitCount * rules.window
  }

  private mutating func close(
    _ day: Int64, _ heard: [Direction: [DayWindows]], _ recorded: [Int: Set<Int64>],
    _ pairIndices: inout [Direction: Int]
  ) {
    let index = dayNumbers.count
    dayNumbers.append(day)
    let begin = days.begin(ofDay: day)
    let clock = DayClock(day, days)
    let sections = Dictionary(uniqueKeysWithValues: people.enumerated().map { ($1.who, $0) })
    var near: [Int: [DayWindows]] = [:]
    var lanes: [Int: [ReportDay.Lane]] = [:]
    let keys = Set(
      heard.keys.map {
        Direction(observer: min($0.observer, $0.subject), subject: max($0.observer, $0.subject))
      })
    for key in keys.sorted(by: { ($0.observer, $0.subject) < ($1.observer, $1.subject) }) {
      let there = heard[key] ?? []
      let back = heard[Direction(observer: key.subject, subject: key.observer)] ?? []
      let union = DayWindows.union(there + back)
      var sums = ReportSums()
      var bands = [UInt8](repeating: ReportRun.none, count: ReportDay.minutes)
      let both = [key.observer, key.subject]
      let sectionIndices = both.compactMap { sections[$0] }
      for minute in union.minutes {
        let seconds = self.seconds(of: minute)
        let band = minute.attenuation.map { rules.band(of: Int($0)) }
        sums.add(seconds, band: band)
        let offset = Int(clamping: minute.number - begin / 60_000)
        guard (0..<ReportDay.minutes + 120).contains(offset) else { continue }
        let face = clock.minute(offset)
        bands[face] = min(bands[face], band.map(UInt8.init) ?? ReportRun.unmeasured)
        guard let level = minute.attenuation else { continue }
        for section in sectionIndices {
          people[section].attenuations[min(Int(level), 126)] += seconds
        }
      }
      for section in sectionIndices { near[section, default: []].append(union) }
      let pair = pairIndices[key] ?? pairs.count
      if pair == pairs.count {
        pairIndices[key] = pair
        pairs.append(ReportPair(one: key.observer, other: key.subject))
      }
      pairs[pair].sums += sums
      pairs[pair].days.append((index, sums))
      let (heardThere, heardBack) = (
        DayWindows.union(there).seconds(rules).all, DayWindows.union(back).seconds(rules).all
      )
      pairs[pair].heard += heardThere
      pairs[pair].heardBack += heardBack
      if whos[key.observer].hasBadge, whos[key.subject].hasBadge {
        if let section = sections[key.observer] {
          people[section].heard += heardThere
          people[section].heardBack += heardBack
        }
        if let section = sections[key.subject] {
          people[section].heard += heardBack
          people[section].heardBack += heardThere
        }
      }
      let runs = ReportRun.runs(bands)
      for (who, other) in [(key.observer, key.subject), (key.subject, key.observer)] {
        guard let section = sections[who] else { continue }
        lanes[section, default: []].append(ReportDay.Lane(who: other, runs: runs, sums: sums))
      }
    }
    for section in people.indices {
      var day = ReportDay(day: index)
      if let windows = near[section] {
        var bands = [UInt8](repeating: ReportRun.none, count: ReportDay.minutes)
        for minute in DayWindows.union(windows).minutes {
          let band = minute.attenuation.map { rules.band(of: Int($0)) }
          day.sums.add(seconds(of: minute), band: band)
          let offset = Int(clamping: minute.number - begin / 60_000)
          guard (0..<ReportDay.minutes + 120).contains(offset) else { continue }
          let face = clock.minute(offset)
          bands[face] = min(bands[face], band.map(UInt8.init) ?? ReportRun.unmeasured)
        }
        day.closest = ReportRun.runs(bands)
      }
      if let minutes = recorded[people[section].who] {
        day.recorded = Self.recorded(minutes, begin: begin, clock)
      }
      day.lanes = Array((lanes[section] ?? []).sorted { Self.isCloser($0, $1) }.prefix(Self.mostLanes))
      guard day.sums.seconds > 0 || !day.recorded.isEmpty else { continue }
      people[section].sums += day.sums
      people[section].days.append(day)
    }
  }

  /// The minutes in which a device recorded, without interruptions of less than a quarter of an hour.
  private static func recorded(_ minutes: Set<Int64>, begin: Int64, _ clock: DayClock) -> [ReportRun] {
    var runs: [ReportRun] = []
    for number in minutes.sorted() {
      let offset = Int(clamping: number - begin / 60_000)
      guard (0..<ReportDay.minutes + 120).contains(offset) else { continue }
      let face = clock.minute(offset)
      if let last = runs.last, face < last.start + last.length + ReportDevice.gapMinutes, face >= last.start {
        runs[runs.count - 1].length = max(last.length, face - last.start + 1)
      } else {
        runs.append(ReportRun(start: face, length: 1, band: 0))
      }
    }
    return runs
  }

  /// More time in the bands of less attenuation comes first.
  private static func isCloser(_ one: ReportDay.Lane, _ other: ReportDay.Lane) -> Bool {
    for band in one.sums.bands.indices where one.sums.bands[band] != other.sums.bands[band] {
      return one.sums.bands[band] > other.sums.bands[band]
    }
    return (other.sums.seconds, one.who) < (one.sums.seconds, other.who)
  }
}

/// The civil time of a day's minutes: on the days on which clocks change, an hour is missing or occurs twice.
struct DayClock {
  private let changes: [Int]

  init(_ day: Int64, _ days: LocalDays) {
    let begin = days.begin(ofDay: day)
    let offset = days.offset(at: begin)
    changes = (0...26).map { hour in
      Int((days.offset(at: begin + Int64(hour) * 3_600_000) - offset) / 60)
    }
  }

  /// The minute on a clock, 0…1439, of the minute `offset` since the day began.
  func minute(_ offset: Int) -> Int {
    min(max(0, offset + changes[min(max(0, offset / 60), 26)]), ReportDay.minutes - 1)
  }
}
