import HeraldHAL

/// The settings of a host: a number for each setting that has one, and which of them are set.
public struct SettingValues: BitwiseCopyable, Sendable {
  private var numbers: [6 of UInt16] = .init(repeating: 0)
  /// A bit for each setting that is set, numbered like `Setting`; bits 15 and 14 are the values of `stayOpen`
  /// and `bluetoothManagement`.
  private(set) var marks: UInt16 = 0

  /// The value of a setting that is 0 or 1, in `marks`: a record has room for six numbers. 0 for others.
  private static func value(of setting: Setting) -> UInt16 {
    switch setting {
    case .stayOpen: 1 &<< 15
    case .bluetoothManagement: 1 &<< 14
    default: 0
    }
  }

  /// No settings.
  public init() {}

  /// Whether a host has set the setting.
  public func isSet(_ setting: Setting) -> Bool { marks & Self.mark(setting) != 0 }

  /// The number a host has set; `nil` if none is set, or if the value is not a number.
  public subscript(_ setting: Setting) -> UInt16? {
    let place = Int(setting.rawValue)
    guard isSet(setting) else { return nil }
    if place < 6 { return numbers[place] }
    let value = Self.value(of: setting)
    return value == 0 ? nil : marks & value != 0 ? 1 : 0
  }

  /// Sets a number, or removes it with `nil`. A value out of range is rejected: `false`, and nothing has
  /// changed.
  @discardableResult
  public mutating func set(_ setting: Setting, to value: UInt32?) -> Bool {
    let place = Int(setting.rawValue)
    guard setting != .accessKey else { return false }
    if let value, !setting.allows(value) { return false }
    if place < 6 { numbers[place] = UInt16(truncatingIfNeeded: value ?? 0) }
    let bit = Self.value(of: setting)
    marks &= ~(Self.mark(setting) | bit)
    if let value { marks |= value != 0 ? Self.mark(setting) | bit : Self.mark(setting) }
    return true
  }

  /// Stores whether there is an access key. The key itself stays in flash.
  mutating func noteAccessKey(_ isThere: Bool) {
    if isThere { marks |= Self.mark(.accessKey) } else { marks &= ~Self.mark(.accessKey) }
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
    // Settings without a number in the record.
    self.marks |=
      marks
      & (Self.mark(.accessKey) | Self.mark(.stayOpen) | Self.mark(.bluetoothManagement)
        | Self.value(of: .stayOpen) | Self.value(of: .bluetoothManagement))
    return true
  }

  private static func mark(_ setting: Setting) -> UInt16 { 1 &<< UInt16(setting.rawValue) }
}
