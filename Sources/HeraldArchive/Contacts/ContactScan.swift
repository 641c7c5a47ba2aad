import HeraldHostLink

/// A sign of a subject: a detection, a read of its payload, or a measurement of its RSSI.
struct Sign {
  /// The date in milliseconds since 1970-01-01T00:00:00Z.
  var date: Int64
  /// The attenuation in dB, 0…126; `none` for a sign that is no measurement.
  var attenuation: Int16

  /// No attenuation was measured.
  static let none: Int16 = -1
}

/// Who heard whom.
struct Direction: Hashable {
  /// The row of `who` that heard.
  var observer: Int64
  /// The row of `who` that was heard.
  var subject: Int64
}

/// A contact as one device recorded it: a row of `contact`.
struct ScannedContact: Equatable {
  var observer: Int64
  var subject: Int64
  /// The date of the first sign.
  var begin: Int64
  /// The date of the last measurement; the first sign if there was none.
  var end: Int64
  /// The date of the last sign.
  var heard: Int64
  var windows = 0
  var readings = 0
  /// The number of times without a sign for at least one whole window.
  var gaps = 0
  /// Seconds in each band.
  var bands = [Int](repeating: 0, count: ContactRules.bandCount)
  /// The length of a window in seconds.
  var window: Int

  /// The duration, as `ContactDuration` defines it.
  var seconds: Int {
    ContactDuration.seconds(
      windows: windows, of: window, begin: UInt64(clamping: begin), end: UInt64(clamping: end))
  }
}

/// What one device heard of a subject on one day: a row of `heard`.
struct ScannedDay: Equatable {
  var observer: Int64
  var subject: Int64
  /// The number of the civil day since 1970-01-01.
  var day: Int64
  var readings = 0
  var windows: DayWindows
}

/// Makes contacts and days of the signs of one device.
///
/// The signs of a direction are given in ascending order of their dates, and complete for each civil day;
/// only a contact may go on from one call to the next. The result does not depend on the order in which the
/// device wrote the signs.
struct ContactScan {
  private let rules: ContactRules
  private let days: LocalDays
  private(set) var contacts: [ScannedContact] = []
  private(set) var heard: [ScannedDay] = []
  /// Contacts that may go on.
  private var open: [Direction: ScannedContact] = [:]
  private var levels: [Int16] = []

  init(_ rules: ContactRules, _ days: LocalDays) {
    self.rules = rules
    self.days = days
  }

  /// Adds the signs of a direction.
  mutating func add(_ signs: [Sign], of direction: Direction) {
    guard let first = signs.first else { return }
    let length = rules.window
    let window = Int64(length) * 1000
    var contact = open.removeValue(forKey: direction) ?? begin(direction, at: first.date)
    var day = begin(direction, day: .min)
    var dayEnd = Int64.min
    var index = 0
    while index < signs.count {
      // The signs of one minute.
      let minute = signs[index].date / 60_000
      let start = index
      levels.removeAll(keepingCapacity: true)
      var windows: UInt8 = 0
      let begin = minute * 60_000
      while index < signs.count, signs[index].date - begin < 60_000 {
        let offset = signs[index].date - begin
        windows |= offset < window ? 1 : offset < 2 * window ? 2 : 4
        if signs[index].attenuation != Sign.none { levels.append(signs[index].attenuation) }
        index += 1
      }
      let date = signs[start].date
      if date >= dayEnd {
        if day.day != .min { heard.append(day) }
        day = self.begin(direction, day: days.day(of: date))
        dayEnd = days.begin(ofDay: day.day + 1)
      }
      if date - contact.heard > ContactRules.silence {
        contacts.append(contact)
        contact = self.begin(direction, at: date)
      } else if contact.windows > 0, date / window - contact.heard / window > 1 {
        contact.gaps += 1
      }
      // The first and the last of three windows, and not the one between.
      if windows == 0b101 { contact.gaps += 1 }
      let median = median()
      let count = windows.nonzeroBitCount
      contact.heard = signs[index - 1].date
      contact.windows += count
      contact.readings += levels.count
      if !levels.isEmpty { contact.end = Self.lastReading(signs[start..<index]) }
      if let median { contact.bands[rules.band(of: Int(median))] += count * length }
      day.readings += levels.count
      day.windows.append(DayWindows.Minute(number: minute, windows: windows, attenuation: median))
    }
    heard.append(day)
    open[direction] = contact
  }

  /// Ends all contacts that may have gone on.
  mutating func finish() {
    contacts += open.values
    open = [:]
    contacts.sort { ($0.begin, $0.observer, $0.subject) < ($1.begin, $1.observer, $1.subject) }
  }

  /// Hands over the days that are complete.
  mutating func takeDays() -> [ScannedDay] {
    defer { heard = [] }
    return heard
  }

  private func begin(_ direction: Direction, at date: Int64) -> ScannedContact {
    ScannedContact(
      observer: direction.observer, subject: direction.subject, begin: date, end: date, heard: date,
      window: rules.window)
  }

  private func begin(_ direction: Direction, day: Int64) -> ScannedDay {
    ScannedDay(
      observer: direction.observer, subject: direction.subject, day: day,
      windows: DayWindows(length: rules.window))
  }

  private static func lastReading(_ signs: ArraySlice<Sign>) -> Int64 {
    signs.last { $0.attenuation != Sign.none }?.date ?? 0
  }

  /// The median of the minute's attenuations: of an even number of them, the lower of the two in the middle.
  private mutating func median() -> UInt8? {
    guard !levels.isEmpty else { return nil }
    if levels.count > 1 { levels.sort() }
    return UInt8(clamping: levels[(levels.count - 1) / 2])
  }
}
