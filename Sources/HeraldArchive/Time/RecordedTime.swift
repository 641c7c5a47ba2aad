import HeraldHostLink

/// Reads the dates in files of Herald devices, to the second.
///
/// Wearables and Herald on Android write UTC with its offset (`2026-09-14 08:30:00.123+0000`), Herald on iOS
/// and versions before 2.1 on Android local time without one (`2026-09-14 08:30:00`). Those of phones whose
/// formatter follows their owner's settings are read by `LocalisedTime`.
struct RecordedTime {
  private let days: LocalDays
  /// The last day that was read, and its number: the rows of a file are mostly of one day.
  private var day: [UInt8] = []
  private var dayNumber: Int64 = 0
  /// The last hour of local time, and by how many seconds all of it is ahead of UTC.
  private var hour: Int64?
  private var correction: Int64 = 0
  private var count = 1
  /// The first day that is not believed, 2100-01-01: calendars of other eras count higher.
  private static let endOfDays: Int64 = 47_482
  /// Whether the last date that was read was local time that there is twice, as the clock was put back.
  private(set) var isAmbiguous = false

  /// Dates without an offset from UTC are in the time zone of `days`.
  init(days: LocalDays) { self.days = days }

  /// The seconds since 1970-01-01T00:00:00Z of a date `yyyy-MM-dd HH:mm:ss`, also with `T`, or of the forms
  /// of `LocalisedTime`; fractions of a second are cut off. `nil` for any other text.
  mutating func seconds(_ text: Span<UInt8>) -> Int64? {
    if let seconds = plainSeconds(text) { return seconds }
    let whole = String(decoding: text.withUnsafeBufferPointer { Array($0) }, as: UTF8.self)
    guard text.count <= 256, let plain = LocalisedTime.plain(whole) else { return nil }
    return plainSeconds(Array(plain.utf8).span)
  }

  private mutating func plainSeconds(_ text: Span<UInt8>) -> Int64? {
    isAmbiguous = false
    guard text.count >= 19, text[10] == 0x20 || text[10] == 0x54, text[13] == 0x3A, text[16] == 0x3A,
      let hours = Self.number(text, 11), hours < 24, let minutes = Self.number(text, 14), minutes < 60,
      let seconds = Self.number(text, 17), seconds < 60, readDay(text)
    else { return nil }
    let local = dayNumber * 86_400 + hours * 3600 + minutes * 60 + seconds
    var position = 19
    if position < text.count, text[position] == 0x2E {
      position += 1
      let start = position
      while position < text.count, (0x30...0x39).contains(text[position]) { position += 1 }
      guard position > start else { return nil }
    }
    if position == text.count {
      let offset = offset(local)
      isAmbiguous = count > 1
      return local - offset
    }
    return Self.offset(text, position).map { local - $0 }
  }

  /// The same for a text.
  mutating func seconds(_ text: String) -> Int64? { seconds(Array(text.utf8).span) }

  /// The same for a date that a person wrote, which may be without seconds, and has the form `yyyy-MM-dd
  /// HH:mm`.
  mutating func writtenSeconds(_ text: String) -> Int64? {
    if let seconds = plainSeconds(Array(text.utf8).span) { return seconds }
    guard text.utf8.count >= 16 else { return nil }
    let position = text.utf8.index(text.utf8.startIndex, offsetBy: 16)
    return plainSeconds(Array((String(text[..<position]) + ":00" + text[position...]).utf8).span)
  }

  private mutating func readDay(_ text: Span<UInt8>) -> Bool {
    if day.count == 10, (0..<10).allSatisfy({ day[$0] == text[$0] }) { return true }
    let bytes = (0..<10).map { text[$0] }
    guard let midnight = UTCTimestamp.parse(String(decoding: bytes, as: UTF8.self) + " 00:00:00") else {
      return false
    }
    let number = Int64(midnight / 86_400_000)
    guard number < Self.endOfDays else { return false }
    (day, dayNumber) = (bytes, number)
    return true
  }

  /// The seconds by which local time is ahead of UTC. Of a time that occurs twice, the first is taken; a
  /// skipped one is the moment from which it is.
  private mutating func offset(_ local: Int64) -> Int64 {
    let hour = local / 3600
    count = 1
    if hour == self.hour { return correction }
    func ahead(_ local: Int64) -> Int64 { local - days.moments(local: local * 1000).moment / 1000 }
    correction = ahead(hour * 3600)
    let ends = [hour * 3600, hour * 3600 + 3599].map { days.moments(local: $0 * 1000) }
    let isPlain = ends.allSatisfy { $0.second == nil && !$0.isSkipped }
    self.hour = isPlain && correction == ahead(hour * 3600 + 3599) ? hour : nil
    count = days.moments(local: local * 1000).second == nil ? 1 : 2
    return ahead(local)
  }

  /// The offset `Z`, `+HHmm` or `+HH:mm` in seconds, if it is the rest of the text.
  private static func offset(_ text: Span<UInt8>, _ position: Int) -> Int64? {
    if text[position] == 0x5A { return text.count == position + 1 ? 0 : nil }
    let sign: Int64
    switch text[position] {
    case 0x2B: sign = 1
    case 0x2D: sign = -1
    default: return nil
    }
    let hasColon = text.count == position + 6 && text[position + 3] == 0x3A
    guard hasColon || text.count == position + 5, let hours = number(text, position + 1), hours < 24,
      let minutes = number(text, position + (hasColon ? 4 : 3)), minutes < 60
    else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }

  /// The number of two digits.
  private static func number(_ text: Span<UInt8>, _ position: Int) -> Int64? {
    let (tens, ones) = (text[position], text[position + 1])
    guard (0x30...0x39).contains(tens), (0x30...0x39).contains(ones) else { return nil }
    return Int64(tens - 0x30) * 10 + Int64(ones - 0x30)
  }
}

extension LocalDays {
  /// The seconds since 1970-01-01T00:00:00Z of a date that a person wrote: as in the files of devices, and
  /// without seconds. `nil` for other text.
  package func moment(_ text: String) -> Int64? {
    var time = RecordedTime(days: self)
    return time.writtenSeconds(text)
  }

  /// The offsets of a date that a person wrote without one and that there is twice: `+02:00 or +01:00`; `nil`
  /// for any other text.
  package func repeatedTime(_ text: String) -> String? {
    var time = RecordedTime(days: .utc)
    // Only a date without an offset can be followed by one. Read as UTC, it is the local time as a number.
    guard time.writtenSeconds(text + "Z") != nil, let local = time.writtenSeconds(text) else { return nil }
    let found = moments(local: local * 1000)
    guard let second = found.second else { return nil }
    // On such a day local times have their offset.
    return [found.moment, second].map { String(localTime(of: $0).suffix(6)) }.joined(separator: " or ")
  }
}
