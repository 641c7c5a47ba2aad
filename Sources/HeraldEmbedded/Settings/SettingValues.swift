import HeraldHAL

/// The settings of a host: a number for each setting that has one, and which of them are set.
public struct SettingValues: BitwiseCopyable, Sendable {
  /// The first six settings, and those from `latency` on, of which 0 is none that is set.
  private var numbers: [9 of UInt16] = .init(repeating: 0)
  /// A bit for each setting before `latency` that is set, numbered like `Setting`. As the numbers of a record
  /// were six, the values of `stayOpen`, `motionDetection` and `bluetoothManagement` are bits 15, 14 and 13:
  /// bit 22 less the number of the setting.
  private(set) var marks: UInt16 = 0

  /// No settings.
  public init() {}

  /// Whether a host has set the setting.
  public func isSet(_ setting: Setting) -> Bool {
    let position = Self.laterPosition(setting)
    return position < 0 ? marks & Self.mark(setting) != 0 : numbers[position] != 0
  }

  /// The number a host has set; `nil` if none is set. That of a value that is not a number is 0.
  public subscript(_ setting: Setting) -> UInt16? {
    let position = UInt32(setting.rawValue)
    guard isSet(setting) else { return nil }
    let later = Self.laterPosition(setting)
    if later >= 0 { return numbers[later] }
    return position < 6
      ? numbers[Int(position)] : UInt16(truncatingIfNeeded: UInt32(marks) &>> (22 &- position) & 1)
  }

  /// Sets a number, or removes it with `nil`; of `latency` and `lifetimeDays` the other is removed. A value
  /// out of range is rejected: `false`, and nothing has changed.
  @discardableResult @inline(never)
  public mutating func set(_ setting: Setting, to value: UInt32?) -> Bool {
    let position = UInt32(setting.rawValue)
    guard setting != .accessKey, setting != .ownerKey else { return false }
    if let value, !setting.allows(value) { return false }
    let later = Self.laterPosition(setting)
    if later >= 0 {
      numbers[later] = UInt16(truncatingIfNeeded: value ?? 0)
      if later < 8, numbers[later] != 0 { numbers[13 &- later] = 0 }
      return true
    }
    // The bit of a value that is among the numbers is beyond those of the marks.
    var bits = UInt32(marks) & ~(1 &<< position | 1 &<< (22 &- position))
    if let value { bits |= 1 &<< position | (value & 1) &<< (22 &- position) }
    marks = UInt16(truncatingIfNeeded: bits)
    if position < 6 { numbers[Int(position)] = UInt16(truncatingIfNeeded: value ?? 0) }
    return true
  }

  /// Stores whether there is a key, which itself stays in flash.
  mutating func note(_ key: Setting, _ isThere: Bool) {
    if isThere { marks |= Self.mark(key) } else { marks &= ~Self.mark(key) }
  }

  /// Writes the numbers: twelve bytes, zeros where nothing is set.
  mutating func write(to writer: inout ByteWriter) {
    for position in 0..<6 { writer.u16(numbers[position]) }
  }

  /// Writes those from `latency` on: six bytes.
  mutating func writeLater(to writer: inout ByteWriter) {
    for position in 6..<9 { writer.u16(numbers[position]) }
  }

  /// Reads what `write` has written. A number outside the range of its setting is treated as not set, so that
  /// the identity of the device is not lost. `false` if there are fewer than twelve bytes.
  mutating func read(marks: UInt16, from reader: inout ByteReader) -> Bool {
    self = SettingValues()
    for position in 0..<6 {
      guard let number = reader.u16(), let setting = Setting(rawValue: UInt8(truncatingIfNeeded: position))
      else {
        return false
      }
      if marks & Self.mark(setting) != 0 { set(setting, to: UInt32(number)) }
    }
    // Settings without a number in the record, and the values of three of them.
    self.marks |= marks & 0xE7C0
    return true
  }

  /// Reads what `writeLater` has written, in the same way, after `read`. `false` if there are fewer than six
  /// bytes.
  mutating func readLater(from reader: inout ByteReader) -> Bool {
    for position in 6..<9 {
      guard let number = reader.u16(),
        let setting = Setting(rawValue: UInt8(truncatingIfNeeded: position &+ 5))
      else {
        return false
      }
      if number != 0 { set(setting, to: UInt32(number)) }
    }
    return true
  }

  /// The position among the numbers of a setting from `latency` on; negative for others.
  @inline(__always)
  private static func laterPosition(_ setting: Setting) -> Int {
    setting.rawValue < Setting.latency.rawValue ? -1 : Int(setting.rawValue) &- 5
  }

  private static func mark(_ setting: Setting) -> UInt16 { 1 &<< UInt16(setting.rawValue) }
}
