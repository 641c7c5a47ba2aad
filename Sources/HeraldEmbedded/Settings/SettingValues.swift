/// What a host has set: a number for each setting that has one, and which of them are set.
public struct SettingValues: BitwiseCopyable, Sendable {
  private var numbers: [6 of UInt16] = .init(repeating: 0)
  /// A bit for each setting that is set, numbered like `Setting`.
  private(set) var marks: UInt16 = 0

  /// Nothing set.
  public init() {}

  /// Whether a host has set it.
  public func isSet(_ setting: Setting) -> Bool { marks & Self.mark(setting) != 0 }

  /// The number a host has set; `nil` if none has, or if the setting is none of numbers.
  public subscript(_ setting: Setting) -> UInt16? {
    let place = Int(setting.rawValue)
    return isSet(setting) && place < 6 ? numbers[place] : nil
  }

  /// Sets a number, or with `nil` nothing any more. One the setting does not allow is not taken: `false`, and nothing has changed.
  @discardableResult
  public mutating func set(_ setting: Setting, to value: UInt32?) -> Bool {
    let place = Int(setting.rawValue)
    guard place < 6 else { return false }
    guard let value else {
      numbers[place] = 0
      marks &= ~Self.mark(setting)
      return true
    }
    guard setting.allows(value) else { return false }
    numbers[place] = UInt16(truncatingIfNeeded: value)
    marks |= Self.mark(setting)
    return true
  }

  /// Notes that there is an access key, or none. The key itself stays in flash.
  mutating func noteAccessKey(_ isThere: Bool) {
    if isThere { marks |= Self.mark(.accessKey) } else { marks &= ~Self.mark(.accessKey) }
  }

  /// Writes the numbers: twelve bytes, zeros where nothing is set.
  mutating func write(to writer: inout ByteWriter) {
    for place in 0..<6 { writer.u16(numbers[place]) }
  }

  /// Reads what `write` has written. A number that its setting does not allow, any more or yet, is one that is not set: a device is not to
  /// lose who it is over it. `false` if there are fewer than twelve bytes.
  mutating func read(marks: UInt16, from reader: inout ByteReader) -> Bool {
    self = SettingValues()
    for place in 0..<6 {
      guard let number = reader.u16(), let setting = Setting(rawValue: UInt8(truncatingIfNeeded: place))
      else {
        return false
      }
      if marks & Self.mark(setting) != 0 { set(setting, to: UInt32(number)) }
    }
    noteAccessKey(marks & Self.mark(.accessKey) != 0)
    return true
  }

  private static func mark(_ setting: Setting) -> UInt16 { 1 &<< UInt16(setting.rawValue) }
}
