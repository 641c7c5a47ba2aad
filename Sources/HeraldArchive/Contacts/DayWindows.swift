/// The windows of one day in which an observer had a sign of a subject, as bytes of the column
/// `heard.windows`.
///
/// A minute with a sign takes one byte, or more unless it follows the previous one and both of its windows have
/// a sign:
///
/// ```
///  byte:   bits 0…6  median attenuation in dB, 0…126; 127 if no RSSI was measured
///          bit 7     a varint follows; otherwise it is the next minute, with both windows
///  varint: (minutes since the previous one, or since 1970 for the first) × 4 + windows
///          windows: 1 the first 30 s of the minute, 2 the last, 3 both
/// ```
///
/// A varint has seven bits in each byte, least significant first; the top bit says that another follows.
public struct DayWindows: Equatable, Sendable {
  /// A minute with at least one sign.
  public struct Minute: Equatable, Sendable {
    /// The number of the minute since 1970-01-01T00:00:00Z.
    public var number: Int64
    /// Bit 0: a sign in the first half of the minute; bit 1: in the second.
    public var halves: UInt8
    /// The median of the attenuations measured in that minute, in dB; `nil` if none was measured.
    public var attenuation: UInt8?
  }

  /// The greatest attenuation, which stands for all greater ones.
  static let mostAttenuation: UInt8 = 126
  private static let unmeasured: UInt8 = 127
  /// The next minute, with both windows.
  private static let usual: UInt64 = 1 << 2 | 3

  /// The minutes in ascending order.
  public private(set) var minutes: [Minute] = []

  /// A day without signs.
  public init() {}

  /// Decodes the bytes; decoding ends at the first invalid byte.
  public init(_ bytes: [UInt8]) {
    var place = 0
    var number: Int64 = 0
    while place < bytes.count {
      let level = bytes[place] & 0x7F
      var value = Self.usual
      let isUsual = bytes[place] < 0x80
      place += 1
      if !isUsual {
        value = 0
        var shift: UInt64 = 0
        while place < bytes.count, shift < 63 {
          let byte = bytes[place]
          place += 1
          value |= UInt64(byte & 0x7F) << shift
          shift += 7
          if byte < 0x80 { break }
        }
      }
      guard value & 3 != 0, value >> 2 < 1 << 40 else { return }
      let (sum, overflow) = number.addingReportingOverflow(Int64(value >> 2))
      guard !overflow else { return }
      number = sum
      minutes.append(
        Minute(
          number: number, halves: UInt8(value & 3), attenuation: level == Self.unmeasured ? nil : level))
    }
  }

  /// Appends a minute, which must be after the last one.
  mutating func append(_ minute: Minute) { minutes.append(minute) }

  /// The bytes of the column.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(minutes.count * 2 + 4)
    var before: Int64 = 0
    for minute in minutes {
      var value = UInt64(max(0, minute.number - before)) << 2 | UInt64(minute.halves)
      before = minute.number
      let level = minute.attenuation.map { min($0, Self.mostAttenuation) } ?? Self.unmeasured
      guard value != Self.usual else {
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
  public static func union(_ days: [DayWindows]) -> DayWindows {
    guard days.count > 1 else { return days.first ?? DayWindows() }
    var union = DayWindows()
    for minute in days.flatMap(\.minutes).sorted(by: { $0.number < $1.number }) {
      guard let last = union.minutes.last, last.number == minute.number else {
        union.minutes.append(minute)
        continue
      }
      let levels = [last.attenuation, minute.attenuation].compactMap(\.self)
      union.minutes[union.minutes.count - 1] = Minute(
        number: minute.number, halves: last.halves | minute.halves, attenuation: levels.min())
    }
    return union
  }

  /// Seconds in each band, and in all; a window without a measured attenuation counts only in all.
  func seconds(_ rules: ContactRules) -> (all: Int, bands: [Int]) {
    var all = 0
    var bands = [Int](repeating: 0, count: ContactRules.bandCount)
    for minute in minutes {
      let seconds = minute.halves.nonzeroBitCount * 30
      all += seconds
      if let level = minute.attenuation { bands[rules.band(of: Int(level))] += seconds }
    }
    return (all, bands)
  }
}
