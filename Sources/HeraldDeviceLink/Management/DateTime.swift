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
    guard let year = number(text, 0, 4), text.holds(UInt8(ascii: "-"), at: 4),
      let month = number(text, 5, 2), text.holds(UInt8(ascii: "-"), at: 7),
      let day = number(text, 8, 2), text.holds(UInt8(ascii: "T"), at: 10),
      let hour = number(text, 11, 2), text.holds(UInt8(ascii: ":"), at: 13),
      let minute = number(text, 14, 2), text.holds(UInt8(ascii: ":"), at: 16),
      let second = number(text, 17, 2),
      year >= 1970, month >= 1, month <= 12, day >= 1, day <= days(inMonth: month, of: year),
      hour < 24, minute < 60, second < 60
    else { return nil }
    var position = 19
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
    let time = UInt64(wide: (hour &* 3600 &+ minute &* 60 &+ second) &* 1000 &+ milliseconds)
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
    put(year, 4, at: 0, of: &text)
    text[4] = UInt8(ascii: "-")
    put(month, 2, at: 5, of: &text)
    text[7] = UInt8(ascii: "-")
    put(days &+ 1, 2, at: 8, of: &text)
    text[10] = UInt8(ascii: "T")
    put(time / 3_600_000, 2, at: 11, of: &text)
    text[13] = UInt8(ascii: ":")
    put(time / 60_000 % 60, 2, at: 14, of: &text)
    text[16] = UInt8(ascii: ":")
    put(time / 1000 % 60, 2, at: 17, of: &text)
    text[19] = UInt8(ascii: ".")
    put(time % 1000, 3, at: 20, of: &text)
    return true
  }

  private static func isLeap(_ year: UInt32) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  private static func days(inYear year: UInt32) -> UInt32 { isLeap(year) ? 366 : 365 }

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
