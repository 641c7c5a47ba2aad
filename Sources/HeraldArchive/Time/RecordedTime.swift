import HeraldHostLink

/// Reads the dates in files of Herald devices, to the second.
///
/// Wearables and Herald on Android write UTC with its offset (`2026-09-14 08:30:00.123+0000`), Herald on iOS
/// and versions before 2.1 on Android local time without one (`2026-09-14 08:30:00`).
struct RecordedTime {
  private let days: LocalDays
  /// The last day that was read, and its number: the rows of a file are mostly of one day.
  private var day: [UInt8] = []
  private var dayNumber: Int64 = 0
  /// The last whole hour of local time, and the seconds to add to it.
  private var hour = Int64.min
  private var correction: Int64 = 0

  /// Dates without an offset from UTC are in the time zone of `days`.
  init(days: LocalDays) { self.days = days }

  /// The seconds since 1970-01-01T00:00:00Z of a date `yyyy-MM-dd HH:mm:ss`, also with `T`; fractions of a
  /// second are cut off. `nil` for any other text.
  mutating func seconds(_ text: Span<UInt8>) -> Int64? {
    guard text.count >= 19, text[10] == 0x20 || text[10] == 0x54, text[13] == 0x3A, text[16] == 0x3A,
      let hours = Self.number(text, 11), hours < 24, let minutes = Self.number(text, 14), minutes < 60,
      let seconds = Self.number(text, 17), seconds < 60, readDay(text)
    else { return nil }
    let local = dayNumber * 86_400 + hours * 3600 + minutes * 60 + seconds
    var place = 19
    if place < text.count, text[place] == 0x2E {
      place += 1
      let start = place
      while place < text.count, (0x30...0x39).contains(text[place]) { place += 1 }
      guard place > start else { return nil }
    }
    if place == text.count { return local - offset(local) }
    return Self.offset(text, place).map { local - $0 }
  }

  /// The same for a text.
  mutating func seconds(_ text: String) -> Int64? { seconds(Array(text.utf8).span) }

  private mutating func readDay(_ text: Span<UInt8>) -> Bool {
    if day.count == 10, (0..<10).allSatisfy({ day[$0] == text[$0] }) { return true }
    let bytes = (0..<10).map { text[$0] }
    guard let midnight = UTCTimestamp.parse(String(decoding: bytes, as: UTF8.self) + " 00:00:00") else {
      return false
    }
    (day, dayNumber) = (bytes, Int64(midnight / 86_400_000))
    return true
  }

  /// The seconds by which local time is ahead of UTC. Of a time that occurs twice, the first is taken.
  private mutating func offset(_ local: Int64) -> Int64 {
    let hour = local / 900
    if hour != self.hour {
      self.hour = hour
      let guess = local - days.offset(at: local * 1000)
      correction = days.offset(at: guess * 1000)
    }
    return correction
  }

  /// The offset `Z`, `+HHmm` or `+HH:mm` in seconds, if it is the rest of the text.
  private static func offset(_ text: Span<UInt8>, _ place: Int) -> Int64? {
    if text[place] == 0x5A { return text.count == place + 1 ? 0 : nil }
    let sign: Int64
    switch text[place] {
    case 0x2B: sign = 1
    case 0x2D: sign = -1
    default: return nil
    }
    let hasColon = text.count == place + 6 && text[place + 3] == 0x3A
    guard hasColon || text.count == place + 5, let hours = number(text, place + 1), hours < 24,
      let minutes = number(text, place + (hasColon ? 4 : 3)), minutes < 60
    else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }

  /// The number of two digits.
  private static func number(_ text: Span<UInt8>, _ place: Int) -> Int64? {
    let (tens, ones) = (text[place], text[place + 1])
    guard (0x30...0x39).contains(tens), (0x30...0x39).contains(ones) else { return nil }
    return Int64(tens - 0x30) * 10 + Int64(ones - 0x30)
  }
}

extension LocalDays {
  /// The seconds since 1970-01-01T00:00:00Z of a date that a person wrote: as in the files of devices, and
  /// without seconds. `nil` for other text.
  public func moment(_ text: String) -> Int64? {
    var time = RecordedTime(days: self)
    if let seconds = time.seconds(text) { return seconds }
    guard text.utf8.count >= 16 else { return nil }
    let place = text.utf8.index(text.utf8.startIndex, offsetBy: 16)
    return time.seconds(String(text[..<place]) + ":00" + text[place...])
  }

  /// A date in seconds since 1970-01-01T00:00:00Z as local time: `yyyy-MM-dd HH:mm:ss`.
  public func text(_ seconds: Int64) -> String {
    UTCTimestamp.seconds(UInt64(clamping: (seconds + offset(at: seconds * 1000)) * 1000))
  }
}
