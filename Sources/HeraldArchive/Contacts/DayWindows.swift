/// The windows of one day in which an observer had a sign of a subject, as bytes of the column
/// `heard.windows`.
///
/// A minute with a sign takes one byte, or more unless it follows the previous one and all of its windows
/// have a sign:
///
/// ```
///  byte:   bits 0…6  median attenuation in dB, 0…126; 127 if no RSSI was measured
///          bit 7     a varint follows; otherwise it is the next minute, with all windows
///  varint: (minutes since the previous one, or since 1970 for the first) × 2ⁿ + windows
///          n         windows in a minute: 2 if they are 30 s long, 3 if 20 s
///          windows   bit 0 the first of the minute, bit 1 the second, bit 2 the third
/// ```
///
/// A varint has seven bits in each byte, least significant first; the top bit says that another follows.
package struct DayWindows: Equatable, Sendable {
  /// A minute with at least one sign.
  package struct Minute: Equatable, Sendable {
    /// The number of the minute since 1970-01-01T00:00:00Z.
    package var number: Int64
    /// The windows with a sign: bit 0 is the first of the minute.
    package var windows: UInt8
    /// The median of the attenuations measured in that minute, in dB; `nil` if none was measured.
    package var attenuation: UInt8?
  }

  /// The greatest attenuation, which stands for all greater ones.
  static let mostAttenuation: UInt8 = 126
  private static let unmeasured: UInt8 = 127
  /// Minutes from this one on are after the year 9999.
  private static let endOfMinutes: Int64 = 1 << 32

  /// The minutes in ascending order.
  package private(set) var minutes: [Minute] = []
  /// The length of a window in seconds: 30 or 20.
  package let length: Int

  /// A day without signs.
  package init(length: Int = 30) { self.length = length }

  /// The number of windows in a minute.
  private var count: UInt64 { length == 20 ? 3 : 2 }
  private var all: UInt64 { 1 << count - 1 }
  /// The next minute, with all windows.
  private var usual: UInt64 { 1 << count | all }

  /// Decodes the bytes of windows of `length` seconds; decoding ends at the first invalid byte.
  package init(_ bytes: [UInt8], length: Int = 30) {
    self.init(length: length)
    let (count, all, usual) = (count, all, usual)
    var position = 0
    var number: Int64 = 0
    while position < bytes.count {
      let level = bytes[position] & 0x7F
      var value = usual
      let isUsual = bytes[position] < 0x80
      position += 1
      if !isUsual {
        value = 0
        var shift: UInt64 = 0
        while position < bytes.count, shift < 63 {
          let byte = bytes[position]
          position += 1
          value |= UInt64(byte & 0x7F) << shift
          shift += 7
          if byte < 0x80 { break }
        }
      }
      guard value & all != 0, value >> count < 1 << 40 else { return }
      number += Int64(value >> count)
      guard number < Self.endOfMinutes else { return }
      minutes.append(
        Minute(
          number: number, windows: UInt8(value & all), attenuation: level == Self.unmeasured ? nil : level))
    }
  }

  /// Appends a minute, which must be after the last one.
  mutating func append(_ minute: Minute) { minutes.append(minute) }

  /// Adds a minute, which must not be before the last one, and may be the same.
  mutating func add(_ minute: Minute) {
    guard let last = minutes.last, last.number == minute.number else {
      minutes.append(minute)
      return
    }
    let levels = [last.attenuation, minute.attenuation].compactMap(\.self)
    minutes[minutes.count - 1] = Minute(
      number: minute.number, windows: last.windows | minute.windows, attenuation: levels.min())
  }

  /// The bytes of the column.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(minutes.count * 2 + 4)
    let (count, usual) = (count, usual)
    var before: Int64 = 0
    for minute in minutes {
      var value = UInt64(max(0, minute.number - before)) << count | UInt64(minute.windows)
      before = minute.number
      let level = minute.attenuation.map { min($0, Self.mostAttenuation) } ?? Self.unmeasured
      guard value != usual else {
        bytes.append(level)
        continue
      }
      bytes.append(level | 0x80)
      while value >= 0x80 {
        bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
        value >>= 7
      }
      bytes.append(UInt8(value))
    }
    return bytes
  }

  /// The union of several days of windows, by the rule for the two directions of a pair: a window counts if
  /// it has a sign in any of them, and the attenuation of a minute is the least of their medians.
  package static func union(_ days: [DayWindows]) -> DayWindows {
    guard let first = days.first, days.count > 1 else { return days.first ?? DayWindows() }
    var union = DayWindows(length: first.length)
    for minute in days.flatMap(\.minutes).sorted(by: { $0.number < $1.number }) { union.add(minute) }
    return union
  }

  /// Seconds in each band, and in all; a window without a measured attenuation counts only in all.
  func seconds(_ rules: ContactRules) -> (all: Int, bands: [Int]) {
    var all = 0
    var bands = [Int](repeating: 0, count: ContactRules.bandCount)
    for minute in minutes {
      let seconds = minute.windows.nonzeroBitCount * length
      all += seconds
      if let level = minute.attenuation { bands[rules.band(of: Int(level))] += seconds }
    }
    return (all, bands)
  }
}
