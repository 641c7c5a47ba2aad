import HeraldHAL

/// The settings of a host: a number for each setting that has one, and which of them are set.
public struct SettingValues: BitwiseCopyable, Sendable {
  private var numbers: [6 of UInt16] = .init(repeating: 0)
  /// A bit for each setting that is set, numbered like `Setting`. As a record has room for six numbers, the
  /// values of `stayOpen`, `motionDetection` and `bluetoothManagement` are bits 15, 14 and 13: bit 22 less
  /// the number of the setting.
  private(set) var marks: UInt16 = 0

  /// No settings.
  public init() {}

  /// Whether a host has set the setting.
  public func isSet(_ setting: Setting) -> Bool { marks & Self.mark(setting) != 0 }

  /// The number a host has set; `nil` if none is set. That of a value that is not a number is 0.
  public subscript(_ setting: Setting) -> UInt16? {
    let place = UInt32(setting.rawValue)
    guard isSet(setting) else { return nil }
    return place < 6
      ? numbers[Int(place)] : UInt16(truncatingIfNeeded: UInt32(marks) &>> (22 &- place) & 1)
  }

  /// Sets a number, or removes it with `nil`. A value out of range is rejected: `false`, and nothing has
  /// changed.
  @discardableResult @inline(never)
  public mutating func set(_ setting: Setting, to value: UInt32?) -> Bool {
    let place = UInt32(setting.rawValue)
    guard setting != .accessKey, setting != .ownerKey else { return false }
    if let value, !setting.allows(value) { return false }
    // The bit of a value that is among the numbers is beyond those of the marks.
    var bits = UInt32(marks) & ~(1 &<< place | 1 &<< (22 &- place))
    if let value { bits |= 1 &<< place | (value & 1) &<< (22 &- place) }
    marks = UInt16(truncatingIfNeeded: bits)
    if place < 6 { numbers[Int(place)] = UInt16(truncatingIfNeeded: value ?? 0) }
    return true
  }

  /// Stores whether there is a key, which itself stays in flash.
  mutating func note(_ key: Setting, _ isThere: Bool) {
    if isThere { marks |= Self.mark(key) } else { marks &= ~Self.mark(key) }
  }

  /// Writes the numbers: twelve bytes, zeros where nothing is set.
  mutating func write(to writer: inout ByteWriter) {
    for place in 0..<6 { writer.u16(numbers[place]) }
  }

  /// Reads what `write` has written. A number outside the range of its setting is treated as not set, so that
  /// the identity of the device is not lost. `false` if there are fewer than twelve bytes.
  mutating func read(marks: UInt16, from reader: inout ByteReader) -> Bool {
    self = SettingValues()
    for place in 0..<6 {
      guard let number = reader.u16(), let setting = Setting(rawValue: UInt8(truncatingIfNeeded: place))
      else {
        return false
      }
      if marks & Self.mark(setting) != 0 { set(setting, to: UInt32(number)) }
    }
    // Settings without a number in the record, and the values of three of them.
    self.marks |= marks & 0xE7C0
    return true
  }

  private static func mark(_ setting: Setting) -> UInt16 { 1 &<< UInt16(setting.rawValue) }
}
