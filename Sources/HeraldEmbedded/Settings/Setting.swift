import HeraldHAL

/// The settings of a device that a host can change, by name. They are kept over restarts
/// (docs/herald-host.md).
///
/// The raw value is the setting's position in flash: that of a removed setting is not reused.
public enum Setting: UInt8, BitwiseCopyable, Sendable {
  /// For how many days records of the log are kept, 0: as long as there is room.
  case keepDays = 0
  /// How often pending records are committed to flash.
  case commitSeconds = 1
  /// The scan interval.
  case scanInterval = 2
  /// The scan window.
  case scanWindow = 3
  /// The advertising interval.
  case advertisingInterval = 4
  /// The duty of the radio, as far as its timings are not set individually: a `RadioSetting`.
  case radioSetting = 5
  /// The key of which a host proves possession before the device lets it read logs or change settings.
  case accessKey = 6
  /// Whether a device without an access key gives every host access to its log: 1. With 0 there is no access
  /// before it has a key.
  case stayOpen = 7
  /// Whether the motion sensor of a device that has one is in use: 1. With 0 it is switched off.
  case motionDetection = 8
  /// Whether the management link is offered over Bluetooth: 1.
  case bluetoothManagement = 9
  /// The public key of the owner, for whom the log is sealed.
  case ownerKey = 10
  /// The time within which each peer is to be received, of a device that scans in rounds. Setting it removes
  /// `lifetimeDays`.
  case latency = 11
  /// For how many days the cell is to last, of a device that scans in rounds: the device then chooses the
  /// latency (`LatencyChoice`). 0: it does not. Setting it removes `latency`.
  case lifetimeDays = 12
  /// The capacity of the cell in mAh, for `lifetimeDays`.
  case cellCapacity = 13

  /// The number of settings.
  public static var count: Int { 14 }

  /// The description of the setting. This is the one table of settings: the device applies it, hosts list it,
  /// and a test compares it with the one in docs/herald-host.md. Inlined: a caller that uses one column gets
  /// constants of that column only.
  @inline(__always)
  public var description: SettingDescription {
    switch self {
    case .keepDays: .number(.u16, 0...3650, .days, standard: 14)
    case .commitSeconds: .number(.u16, 1...3600, .seconds, standard: 30)
    case .scanInterval: .number(.u16, 3...10_240, .milliseconds, standard: 1125)
    case .scanWindow: .number(.u16, 3...10_240, .milliseconds, standard: 120)
    case .advertisingInterval: .number(.u16, 20...10_240, .milliseconds, standard: 250)
    case .radioSetting: .number(.choice, 0...4, .none, standard: 1)
    case .accessKey: .bytes(32, isReadable: false)
    case .ownerKey: .bytes(32, isReadable: true)
    case .stayOpen, .bluetoothManagement: .number(.choice, 0...1, .none, standard: 0)
    case .motionDetection: .number(.choice, 0...1, .none, standard: 1)
    case .latency: .number(.u16, 10...300, .seconds, standard: 30)
    case .lifetimeDays: .number(.u16, 0...3650, .days, standard: 0)
    case .cellCapacity: .number(.u16, 10...20_000, .none, standard: 220)
    }
  }

  /// The names on the wire, ASCII, in the order of the cases.
  private static var names: StaticString {
    "log/keep-days log/commit-seconds scan/interval-ms scan/window-ms advertising/interval-ms radio/setting access/key access/stay-open motion/detection bluetooth/management log/owner-key radio/latency radio/lifetime-days radio/cell-mah"
  }

  /// The setting's name on the wire.
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

/// The encoding of a setting's value: integers little-endian, in exactly as many bytes as the type has.
public enum SettingKind: UInt8, BitwiseCopyable, Sendable {
  /// One byte, a number.
  case u8 = 0
  /// Two bytes, a number.
  case u16 = 1
  /// Four bytes, a number.
  case u32 = 2
  /// One byte, one of a few named values.
  case choice = 3
  /// Bytes.
  case bytes = 4

  /// The length of a value in bytes; 0 if it varies.
  public var size: Int {
    switch self {
    case .u8, .choice: 1
    case .u16: 2
    case .u32: 4
    case .bytes: 0
    }
  }
}

/// The unit of a number.
public enum SettingUnit: UInt8, BitwiseCopyable, Sendable {
  case none = 0
  /// Days.
  case days = 1
  /// Seconds.
  case seconds = 2
  /// Milliseconds.
  case milliseconds = 3
}

/// The description of a setting.
public struct SettingDescription: Sendable {
  /// The encoding of its value.
  public let kind: SettingKind
  /// The unit of the number.
  public let unit: SettingUnit
  /// The range of the number; for bytes, the number of bytes: only the minimum or the maximum.
  public let range: ClosedRange<UInt32>
  /// The default in an image that sets no other; `nil` for bytes, whose default is none.
  public let standard: UInt32?
  /// Whether it can be read. Secrets are write-only.
  public let isReadable: Bool
  /// Whether it takes effect with the response. Otherwise it takes effect at the next start.
  public let appliesAtOnce: Bool

  /// A number; readable, takes effect at once.
  @inline(__always)
  static func number(
    _ kind: SettingKind, _ range: ClosedRange<UInt32>, _ unit: SettingUnit,
    standard: UInt32
  ) -> SettingDescription {
    SettingDescription(
      kind: kind, unit: unit, range: range, standard: standard, isReadable: true, appliesAtOnce: true)
  }

  /// `size` bytes or none; takes effect at once.
  @inline(__always)
  static func bytes(_ size: UInt32, isReadable: Bool) -> SettingDescription {
    SettingDescription(
      kind: .bytes, unit: .none, range: 0...size, standard: nil, isReadable: isReadable, appliesAtOnce: true)
  }

  /// Whether this is a value of the setting's kind within its range. For bytes, `value` is their number.
  public func allows(_ value: UInt32) -> Bool {
    kind == .bytes ? value == range.lowerBound || value == range.upperBound : range.contains(value)
  }
}
