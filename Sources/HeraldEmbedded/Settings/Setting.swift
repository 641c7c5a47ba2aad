import HeraldHAL

/// What a host can set on a device, by name. It is kept over restarts (docs/settings.md).
///
/// The raw value is the setting's place in flash: one that is given up is not given to another.
public enum Setting: UInt8, BitwiseCopyable, Sendable {
  /// For how many days records of the log are kept, 0 for as long as there is room.
  case keepDays = 0
  /// How often the log is brought to flash.
  case commitSeconds = 1
  /// From the start of one scan window to the next.
  case scanInterval = 2
  /// The scan window.
  case scanWindow = 3
  /// From one advertisement to the next.
  case advertisingInterval = 4
  /// How much the radio is used, as far as its timings are not set by name: a `RadioSetting`.
  case radioSetting = 5
  /// What a host proves that it has before the device lets it read logs or change anything.
  case accessKey = 6
  /// Whether a device without an access key serves its log to everybody: 1. With 0 it does not serve it
  /// before it has a key.
  case stayOpen = 7

  /// How many there are.
  public static var count: Int { 8 }

  /// What there is to know about it. This is the one table of settings: the device obeys it, hosts list it,
  /// and a test compares it with the one in docs/settings.md. Inlined: who wants one thing of it takes a
  /// column of constants, and not the whole.
  @inline(__always)
  public var description: SettingDescription {
    switch self {
    case .keepDays: .number(.u16, 0...3650, .days, standard: 14)
    case .commitSeconds: .number(.u16, 1...3600, .seconds, standard: 30)
    case .scanInterval: .number(.u16, 3...10_240, .milliseconds, standard: 1125)
    case .scanWindow: .number(.u16, 3...10_240, .milliseconds, standard: 120)
    case .advertisingInterval: .number(.u16, 20...10_240, .milliseconds, standard: 250)
    case .radioSetting: .number(.choice, 0...2, .none, standard: 1)
    case .accessKey: .secret(32)
    case .stayOpen: .number(.choice, 0...1, .none, standard: 0)
    }
  }

  /// The names on the wire, ASCII, in the order of the cases.
  private static var names: StaticString {
    "log/keep-days log/commit-seconds scan/interval-ms scan/window-ms advertising/interval-ms radio/setting access/key access/stay-open"
  }

  /// Its name on the wire.
  public var name: StaticWord { StaticWord(Int(rawValue), of: Self.names) }

  /// The setting of this name; `nil` if there is none.
  public init?(name: Span<UInt8>) {
    guard let index = StaticWord.index(of: name, in: Self.names) else { return nil }
    self.init(rawValue: UInt8(truncatingIfNeeded: index))
  }
}

extension Setting {
  /// Whether this is a value of its kind within its range (see `SettingDescription.allows`).
  @inline(never)
  public func allows(_ value: UInt32) -> Bool { description.allows(value) }
}

/// How a setting's value is written: integers little-endian, in exactly as many bytes as the type has.
public enum SettingKind: UInt8, BitwiseCopyable, Sendable {
  /// One byte, a number.
  case u8 = 0
  /// Two bytes, a number.
  case u16 = 1
  /// Four bytes, a number.
  case u32 = 2
  /// One byte, one of a few things that have names.
  case choice = 3
  /// Bytes.
  case bytes = 4

  /// How many bytes a value has; 0 if values differ in length.
  public var size: Int {
    switch self {
    case .u8, .choice: 1
    case .u16: 2
    case .u32: 4
    case .bytes: 0
    }
  }
}

/// What a number counts.
public enum SettingUnit: UInt8, BitwiseCopyable, Sendable {
  case none = 0
  /// Days.
  case days = 1
  /// Seconds.
  case seconds = 2
  /// Milliseconds.
  case milliseconds = 3
}

/// What there is to know about a setting.
public struct SettingDescription: Sendable {
  /// How its value is written.
  public let kind: SettingKind
  /// What the number counts.
  public let unit: SettingUnit
  /// Which numbers it takes; of bytes, how many: none or all of them, nothing between.
  public let range: ClosedRange<UInt32>
  /// What applies while it has not been set, in an image that does not say otherwise; `nil` of bytes, of
  /// which there are none then.
  public let standard: UInt32?
  /// Whether it can be read. Secrets are only written.
  public let isReadable: Bool
  /// Whether it counts from the response on. One that does not counts from the next start.
  public let appliesAtOnce: Bool

  /// A number; it can be read, and applies at once.
  @inline(__always)
  static func number(
    _ kind: SettingKind, _ range: ClosedRange<UInt32>, _ unit: SettingUnit,
    standard: UInt32
  ) -> SettingDescription {
    SettingDescription(
      kind: kind, unit: unit, range: range, standard: standard, isReadable: true, appliesAtOnce: true)
  }

  /// `size` bytes or none, which cannot be read and apply at once.
  @inline(__always)
  static func secret(_ size: UInt32) -> SettingDescription {
    SettingDescription(
      kind: .bytes, unit: .none, range: 0...size, standard: nil, isReadable: false, appliesAtOnce: true)
  }

  /// Whether this is a value of the setting's kind within its range. For bytes, `value` is their number.
  public func allows(_ value: UInt32) -> Bool {
    kind == .bytes ? value == range.lowerBound || value == range.upperBound : range.contains(value)
  }
}
