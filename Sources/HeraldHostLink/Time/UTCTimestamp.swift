/// Formats dates as in Herald's logs: `yyyy-MM-dd HH:mm:ss.SSS+0000`, in UTC.
public enum UTCTimestamp {
  /// The last date with a four-digit year: 9999-12-31 23:59:59.999.
  public static let latest: UInt64 = 253_402_300_799_999

  /// Appends the 28 bytes of a date in milliseconds since 1970-01-01T00:00:00Z; dates after `latest` are
  /// replaced with it.
  public static func append(_ unixMilliseconds: UInt64, to text: inout [UInt8]) {
    let moment = min(unixMilliseconds, latest)
    let date = civil(days: Int(moment / 86_400_000))
    let time = Int(moment % 86_400_000)
    digits(date.year, 4, &text)
    text.append(0x2D)
    digits(date.month, 2, &text)
    text.append(0x2D)
    digits(date.day, 2, &text)
    text.append(0x20)
    digits(time / 3_600_000, 2, &text)
    text.append(0x3A)
    digits(time / 60_000 % 60, 2, &text)
    text.append(0x3A)
    digits(time / 1000 % 60, 2, &text)
    text.append(0x2E)
    digits(time % 1000, 3, &text)
    text.append(contentsOf: "+0000".utf8)
  }

  /// The date as text.
  public static func text(_ unixMilliseconds: UInt64) -> String {
    var bytes: [UInt8] = []
    append(unixMilliseconds, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The date with a resolution of 1 s, in the display format of phones: `yyyy-MM-dd HH:mm:ss`.
  public static func seconds(_ unixMilliseconds: UInt64) -> String {
    String(text(unixMilliseconds).prefix(19))
  }

  /// The date in the JSON format of this project: `yyyy-MM-ddTHH:mm:ss.SSSZ` (RFC 3339), in UTC.
  public static func json(_ unixMilliseconds: UInt64) -> String {
    var text = Array(text(unixMilliseconds).utf8.prefix(23))
    text[10] = UInt8(ascii: "T")
    return String(decoding: text + [UInt8(ascii: "Z")], as: UTF8.self)
  }

  /// Parses a date in the format of `append`, also with `T`, or without fraction or zone, which is then UTC;
  /// `nil` for any other text.
  public static func parse(_ text: some StringProtocol) -> UInt64? {
    let bytes = Array(text.utf8)
    func number(_ start: Int, _ count: Int) -> Int? {
      guard start + count <= bytes.count else { return nil }
      var value = 0
      for byte in bytes[start..<start + count] {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + Int(byte - 0x30)
      }
      return value
    }
    func has(_ byte: Character, _ position: Int) -> Bool {
      bytes.count > position && bytes[position] == byte.asciiValue
    }
    guard let year = number(0, 4), has("-", 4), let month = number(5, 2), has("-", 7), let day = number(8, 2),
      has(" ", 10) || has("T", 10), let hour = number(11, 2), has(":", 13), let minute = number(14, 2),
      has(":", 16),
      let second = number(17, 2), year >= 1970, (1...12).contains(month), (1...31).contains(day), hour < 24,
      minute < 60, second < 60
    else { return nil }
    var position = 19
    var milliseconds = 0
    if has(".", position) {
      position += 1
      var scale = 100
      let start = position
      while position < bytes.count, let digit = number(position, 1) {
        milliseconds += digit * scale
        scale /= 10
        position += 1
      }
      guard position > start else { return nil }
    }
    let zone = bytes[position...]
    let isUTC = ["", "Z", "+0000", "+00:00"].contains { zone.elementsEqual($0.utf8) }
    let days = self.days(year: year, month: month, day: day)
    guard isUTC, civil(days: days) == (year, month, day) else { return nil }
    return UInt64(((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + UInt64(milliseconds)
  }

  private static func digits(_ value: Int, _ count: Int, _ text: inout [UInt8]) {
    var divisor = 1
    for _ in 1..<count { divisor *= 10 }
    while divisor > 0 {
      text.append(UInt8(0x30 + value / divisor % 10))
      divisor /= 10
    }
  }

  // The proleptic Gregorian calendar in eras of 400 years that begin on 1 March, so that the leap day is the
  // last of a year.

  private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    )
  }

  private static func days(year: Int, month: Int, day: Int) -> Int {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear / 400
    let yearOfEra = shiftedYear % 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
