import HeraldHAL

/// Dates as MCUmgr writes them: `yyyy-MM-dd'T'HH:mm:ss.SSS`, taken to be UTC.
enum DateTime {
  /// Bytes of the text that `write` writes.
  static var size: Int { 23 }

  /// What a date looks like: a zero stands for a digit.
  private static var layout: StaticString { "0000-00-00T00:00:00.000" }

  /// Milliseconds from 1970-01-01T00:00:00 to the date in `text`; `nil` if it is not a date from 1970 to
  /// 9999.
  ///
  /// Accepted are one to nine digits of a fraction, of which the first three are used, or none; and after
  /// them nothing, `Z`, or an offset from UTC, `+hh:mm` or `+hhmm`, or with `-`. There is no sixtieth second.
  static func parse(_ text: Span<UInt8>) -> UInt64? {
    // Year, month, day, hour, minute and second.
    var fields: [7 of UInt32] = .init(repeating: 0)
    guard read(text, like: 0, 19, into: &fields) else { return nil }
    let (year, month, day, hour) = (fields[0], fields[1], fields[2], fields[3])
    guard year >= 1970, month >= 1, month <= 12, day >= 1, hour < 24, fields[4] < 60, fields[5] < 60
    else { return nil }
    let dayCount = days(before: month, of: year) &+ day
    guard dayCount <= days(before: month &+ 1, of: year) else { return nil }
    var position = 19
    var milliseconds: UInt32 = 0
    if position < text.count, text[position] == UInt8(ascii: ".") {
      position &+= 1
      var weight: UInt32 = 100
      let first = position
      while position < text.count {
        let digit = text[position] &- UInt8(ascii: "0")
        guard digit < 10 else { break }
        milliseconds &+= UInt32(digit) &* weight
        weight /= 10
        position &+= 1
      }
      guard position > first, position &- first <= 9 else { return nil }
    }
    let date = UInt64(wide: dayCount &- 1) &* 86_400_000
    let seconds = hour &* 3600 &+ fields[4] &* 60 &+ fields[5]
    let time = UInt64(wide: seconds &* 1000 &+ milliseconds)
    return shifted(date &+ time, by: text.extracting(position..<text.count))
  }

  /// Writes the 23 bytes of `unixMilliseconds` to the start of `text`; `false` if they do not fit or the year
  /// is past 9999.
  static func write(_ unixMilliseconds: UInt64, to text: inout MutableSpan<UInt8>) -> Bool {
    let dayCount = unixMilliseconds / 86_400_000
    guard text.count >= size, dayCount.high32 == 0, dayCount.low32 <= 2_932_896 else { return false }
    let days = dayCount.low32
    let time = unixMilliseconds.low32 &- days &* 86_400_000
    // Never too late, and up to sixteen years too early.
    var year = 1970 &+ days / 366
    while Self.days(before: 13, of: year) <= days { year &+= 1 }
    var month: UInt32 = 1
    while Self.days(before: month &+ 1, of: year) <= days { month &+= 1 }
    var fields: [7 of UInt32] = .init(repeating: 0)
    fields[0] = year
    fields[1] = month
    fields[2] = days &- Self.days(before: month, of: year) &+ 1
    fields[3] = time / 3_600_000
    fields[4] = time / 60_000 % 60
    fields[5] = time / 1000 % 60
    fields[6] = time % 1000
    // From the last digit to the first.
    var field = 6
    var index = size
    while index > 0 {
      index &-= 1
      let byte = layout.utf8Start[index]
      if byte == UInt8(ascii: "0") {
        text[index] = byte &+ UInt8(truncatingIfNeeded: fields[field] % 10)
        fields[field] /= 10
      } else {
        text[index] = byte
        field &-= 1
      }
    }
    return true
  }

  /// Whether `text` begins like the bytes `first..<end` of the layout; the numbers in it, one behind the
  /// other.
  @inline(never)
  private static func read(
    _ text: Span<UInt8>, like first: Int, _ end: Int, into fields: inout [7 of UInt32]
  ) -> Bool {
    guard text.count >= end &- first else { return false }
    var field = 0
    for index in first..<end {
      let byte = text[index &- first]
      let expected = layout.utf8Start[index]
      if expected == UInt8(ascii: "0") {
        let digit = byte &- expected
        guard digit < 10 else { return false }
        fields[field] = fields[field] &* 10 &+ UInt32(digit)
      } else {
        guard byte == expected else { return false }
        field &+= 1
      }
    }
    return true
  }

  /// Days from 1970-01-01 to the first of a month, 1…12, or 13 for January of the year after.
  @inline(never)
  private static func days(before month: UInt32, of year: UInt32) -> UInt32 {
    // Years beginning in March: the day of a leap year is their last. From March on the months of each five
    // have 153 days.
    let march = month &+ 9
    let past = year &- 1 &+ march / 12
    return past &* 365 &+ past / 4 &- past / 100 &+ past / 400 &+ (march % 12 &* 153 &+ 2) / 5 &- 719_468
  }

  /// `time` in UTC, given the rest of the text, which may contain the offset from UTC.
  private static func shifted(_ time: UInt64, by zone: Span<UInt8>) -> UInt64? {
    if zone.isEmpty || zone.equals("Z") { return time }
    // The hour, and then its digits and those of the minute.
    var fields: [7 of UInt32] = .init(repeating: 0)
    let end = zone.count
    guard end == 5 || end == 6 && zone[3] == UInt8(ascii: ":"),
      read(zone.extracting(1..<3), like: 11, 13, into: &fields)
    else { return nil }
    let hour = fields[0]
    guard hour < 24, read(zone.extracting((end &- 2)..<end), like: 14, 16, into: &fields) else { return nil }
    let minute = fields[0] &- hour &* 100
    guard minute < 60 else { return nil }
    let shift = UInt64(wide: (hour &* 60 &+ minute) &* 60_000)
    if zone[0] == UInt8(ascii: "-") { return time &+ shift }
    guard zone[0] == UInt8(ascii: "+"), time >= shift else { return nil }
    return time &- shift
  }
}
