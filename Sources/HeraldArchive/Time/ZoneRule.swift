/// A time zone as a rule of POSIX (IEEE Std 1003.1, 8.3, `TZ`) with the extensions of RFC 9636, 3.3.1:
/// `CET-1CEST,M3.5.0,M10.5.0/3`, `<+03>-3`.
struct ZoneRule: Equatable, Sendable {
  /// The day of a year on which clocks change, and the seconds after its midnight in the time before.
  struct Change: Equatable, Sendable {
    enum Day: Equatable, Sendable {
      /// `Jn`: 1…365, without 29 February.
      case julian(Int64)
      /// `n`: 0…365, with 29 February.
      case ordinal(Int64)
      /// `Mm.w.d`: month, week of it (5: the last), day of the week from Sunday on.
      case weekday(month: Int64, week: Int64, day: Int64)
    }
    var day: Day
    var seconds: Int64
  }

  /// Seconds to add to UTC in standard time.
  private(set) var standard: Int64 = 0
  /// Seconds to add to UTC in daylight-saving time, and when that begins and ends; `nil` if there is none.
  private(set) var daylight: (offset: Int64, begin: Change, end: Change)?

  /// The longest text that is parsed, in bytes.
  private static let mostBytes = 256

  /// Parses a rule; `nil` for any other text. A rule without dates has those of the United States, as in the
  /// C library.
  init?(_ text: String) {
    guard text.utf8.count <= Self.mostBytes else { return nil }
    var reader = Reader(bytes: Array(text.utf8))
    guard reader.name(), let west = reader.time(most: 24) else { return nil }
    standard = -west
    if reader.isAtEnd { return }
    guard reader.name() else { return nil }
    var offset = standard + 3600
    if !reader.isAtEnd, !reader.isNext(",") {
      guard let west = reader.time(most: 24) else { return nil }
      offset = -west
    }
    var begin = Change(day: .weekday(month: 3, week: 2, day: 0), seconds: 7200)
    var end = Change(day: .weekday(month: 11, week: 1, day: 0), seconds: 7200)
    if !reader.isAtEnd {
      guard reader.take(","), let first = reader.change(), reader.take(","), let second = reader.change()
      else { return nil }
      (begin, end) = (first, second)
    }
    guard reader.isAtEnd else { return nil }
    daylight = (offset, begin, end)
  }

  static func == (left: ZoneRule, right: ZoneRule) -> Bool {
    left.standard == right.standard && left.daylight?.offset == right.daylight?.offset
      && left.daylight?.begin == right.daylight?.begin && left.daylight?.end == right.daylight?.end
  }

  /// The moments of a year's changes, in seconds since 1970-01-01T00:00:00Z, with the seconds to add to UTC
  /// from then on, in ascending order.
  func changes(ofYear year: Int64) -> [(moment: Int64, offset: Int64)] {
    guard let daylight else { return [] }
    let changes = [
      (Self.seconds(daylight.begin, year) - standard, daylight.offset),
      (Self.seconds(daylight.end, year) - daylight.offset, standard),
    ]
    return changes[1].0 < changes[0].0 ? changes.reversed() : changes
  }

  /// Local time as if it were UTC.
  private static func seconds(_ change: Change, _ year: Int64) -> Int64 {
    let newYear = days(year, 1, 1)
    let day: Int64
    switch change.day {
    case .julian(let number):
      let isLeap = days(year, 3, 1) - newYear == 60
      day = newYear + number - 1 + (isLeap && number >= 60 ? 1 : 0)
    case .ordinal(let number): day = newYear + number
    case .weekday(let month, let week, let weekday):
      let first = days(year, month, 1)
      let next = month == 12 ? days(year + 1, 1, 1) : days(year, month + 1, 1)
      // 1970-01-01 was a Thursday.
      let candidate = first + (weekday - (first % 7 + 7 + 4) % 7 + 7) % 7 + (week - 1) * 7
      day = candidate < next ? candidate : candidate - 7
    }
    return day * 86_400 + change.seconds
  }

  /// The days since 1970-01-01 of a date of the Gregorian calendar after the year 0.
  static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }

  private struct Reader {
    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    func isNext(_ character: Unicode.Scalar) -> Bool {
      position < bytes.count && bytes[position] == UInt8(ascii: character)
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard isNext(character) else { return false }
      position += 1
      return true
    }

    /// An abbreviation: at least three letters, or letters, digits and signs between `<` and `>`.
    mutating func name() -> Bool {
      let isQuoted = take("<")
      let start = position
      while position < bytes.count {
        let byte = bytes[position]
        let isLetter = (0x41...0x5A).contains(byte & 0xDF)
        let isOther = (0x30...0x39).contains(byte) || byte == 0x2B || byte == 0x2D
        guard isLetter || isQuoted && isOther else { break }
        position += 1
      }
      guard position - start >= 3 else { return false }
      return !isQuoted || take(">")
    }

    mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
      let start = position
      var value: Int64 = 0
      while position < bytes.count, (0x30...0x39).contains(bytes[position]), position - start < 3 {
        value = value * 10 + Int64(bytes[position] - 0x30)
        position += 1
      }
      return position > start && range.contains(value) ? value : nil
    }

    /// `[+|-]hh[:mm[:ss]]` in seconds.
    mutating func time(most: Int64) -> Int64? {
      let isNegative = take("-")
      if !isNegative { _ = take("+") }
      guard var seconds = number(0...most).map({ $0 * 3600 }) else { return nil }
      for unit: Int64 in [60, 1] {
        guard take(":") else { break }
        guard let value = number(0...59) else { return nil }
        seconds += value * unit
      }
      return isNegative ? -seconds : seconds
    }

    mutating func change() -> Change? {
      let day: Change.Day
      if take("M") {
        guard let month = number(1...12), take("."), let week = number(1...5), take("."),
          let weekday = number(0...6)
        else { return nil }
        day = .weekday(month: month, week: week, day: weekday)
      } else if take("J") {
        guard let number = number(1...365) else { return nil }
        day = .julian(number)
      } else {
        guard let number = number(0...365) else { return nil }
        day = .ordinal(number)
      }
      guard take("/") else { return Change(day: day, seconds: 7200) }
      return time(most: 167).map { Change(day: day, seconds: $0) }
    }
  }
}
