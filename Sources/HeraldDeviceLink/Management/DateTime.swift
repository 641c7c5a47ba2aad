import HeraldEmbedded

/// Dates as MCUmgr writes them: `yyyy-MM-dd'T'HH:mm:ss.SSS`, taken to be UTC.
enum DateTime {
  /// Bytes of the text that `write` writes.
  static var size: Int { 23 }

  /// Milliseconds from 1970-01-01T00:00:00 to the date that `text` tells; `nil` if it is no date from 1970 to 9999.
  ///
  /// Taken are one to nine digits of a fraction, of which the first three count, or none; and behind them nothing,
  /// `Z`, or an offset `+hh:mm` or `-hh:mm`, which older clients send. There is no sixtieth second.
  static func parse(_ text: Span<UInt8>) -> UInt64? {
    // Year, month, day, hour, minute and second.
    var fields: [6 of UInt32] = .init(repeating: 0)
    var position = 0
    for index in 0..<6 {
      if index > 0 {
        guard text.holds(separator(index), at: position) else { return nil }
        position &+= 1
      }
      let digits = index == 0 ? 4 : 2
      guard let value = number(text, position, digits) else { return nil }
      fields[index] = value
      position &+= digits
    }
    let (year, month, day, hour) = (fields[0], fields[1], fields[2], fields[3])
    guard year >= 1970, month >= 1, month <= 12, day >= 1, day <= days(inMonth: month, of: year),
      hour < 24, fields[4] < 60, fields[5] < 60
    else { return nil }
    var milliseconds: UInt32 = 0
    if text.holds(UInt8(ascii: "."), at: position) {
      position &+= 1
      var weight: UInt32 = 100
      let first = position
      while position < text.count, let digit = number(text, position, 1) {
        milliseconds &+= digit &* weight
        weight /= 10
        position &+= 1
      }
      guard position > first, position &- first <= 9 else { return nil }
    }
    let date = UInt64(wide: daysSince1970(year, month, day)) &* 86_400_000
    let seconds = hour &* 3600 &+ fields[4] &* 60 &+ fields[5]
    let time = UInt64(wide: seconds &* 1000 &+ milliseconds)
    return shifted(date &+ time, by: text.extracting(position..<text.count))
  }

  /// Writes the 23 bytes of `unixMilliseconds` to the start of `text`; `false` if they do not fit or the year is past 9999.
  static func write(_ unixMilliseconds: UInt64, to text: inout MutableSpan<UInt8>) -> Bool {
    let dayCount = unixMilliseconds / 86_400_000
    guard text.count >= size, dayCount.high32 == 0, dayCount.low32 <= 2_932_896 else { return false }
    let time = (unixMilliseconds % 86_400_000).low32
    var days = dayCount.low32
    var year: UInt32 = 1970
    // Whole cycles of 400 years first, so that the loop is short.
    year &+= 400 &* (days / 146_097)
    days %= 146_097
    while days >= Self.days(inYear: year) {
      days &-= Self.days(inYear: year)
      year &+= 1
    }
    var month: UInt32 = 1
    while days >= Self.days(inMonth: month, of: year) {
      days &-= Self.days(inMonth: month, of: year)
      month &+= 1
    }
    var fields: [7 of UInt32] = .init(repeating: 0)
    fields[0] = year
    fields[1] = month
    fields[2] = days &+ 1
    fields[3] = time / 3_600_000
    fields[4] = time / 60_000 % 60
    fields[5] = time / 1000 % 60
    fields[6] = time % 1000
    var position = 0
    for index in 0..<7 {
      if index > 0 {
        text[position] = separator(index)
        position &+= 1
      }
      let digits = index == 0 ? 4 : index == 6 ? 3 : 2
      put(fields[index], digits, at: position, of: &text)
      position &+= digits
    }
    return true
  }

  /// What is in front of a part of the text: month, day, hour, minute, second and the fraction are the parts 1…6.
  private static func separator(_ part: Int) -> UInt8 {
    switch part {
    case 1, 2: UInt8(ascii: "-")
    case 3: UInt8(ascii: "T")
    case 6: UInt8(ascii: ".")
    default: UInt8(ascii: ":")
    }
  }

  private static func isLeap(_ year: UInt32) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  private static func days(inYear year: UInt32) -> UInt32 { isLeap(year) ? 366 : 365 }

  @inline(never)
  private static func days(inMonth month: UInt32, of year: UInt32) -> UInt32 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func daysSince1970(_ year: UInt32, _ month: UInt32, _ day: UInt32) -> UInt32 {
    let past = year &- 1
    var count = past &* 365 &+ past / 4 &- past / 100 &+ past / 400 &- 719_162
    var earlier: UInt32 = 1
    while earlier < month {
      count &+= days(inMonth: earlier, of: year)
      earlier &+= 1
    }
    return count &+ day &- 1
  }

  /// `time` in UTC, given the rest of the text, which may tell how far from UTC it was written.
  private static func shifted(_ time: UInt64, by zone: Span<UInt8>) -> UInt64? {
    if zone.isEmpty || zone.equals("Z") { return time }
    guard zone.count == 6, zone.holds(UInt8(ascii: ":"), at: 3), let hour = number(zone, 1, 2),
      let minute = number(zone, 4, 2), hour < 24, minute < 60
    else { return nil }
    let shift = UInt64(wide: (hour &* 60 &+ minute) &* 60_000)
    if zone.holds(UInt8(ascii: "-"), at: 0) { return time &+ shift }
    guard zone.holds(UInt8(ascii: "+"), at: 0), time >= shift else { return nil }
    return time &- shift
  }

  /// The decimal number in `count` digits from `start` on.
  @inline(never)
  private static func number(_ text: Span<UInt8>, _ start: Int, _ count: Int) -> UInt32? {
    guard text.count &- start >= count else { return nil }
    var value: UInt32 = 0
    for index in start..<(start &+ count) {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ UInt32(digit)
    }
    return value
  }

  @inline(never)
  private static func put(
    _ value: UInt32, _ count: Int, at start: Int, of text: inout MutableSpan<UInt8>
  ) {
    var rest = value
    var index = count
    while index > 0 {
      index &-= 1
      text[start &+ index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }
}

extension Span where Element == UInt8 {
  /// Whether there is a byte at `index` and it is `byte`.
  fileprivate func holds(_ byte: UInt8, at index: Int) -> Bool {
    index >= 0 && index < count && self[unchecked: index] == byte
  }
}
