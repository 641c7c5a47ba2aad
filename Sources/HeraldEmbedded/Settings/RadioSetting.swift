import HeraldHAL

/// How much the radio is used (the value of `Setting.radioSetting`).
public enum RadioSetting: UInt8, BitwiseCopyable, Sendable {
  /// `HeraldConfiguration.saver`: a battery lasts.
  case saver = 0
  /// As the image has it.
  case standard = 1
  /// `HeraldConfiguration.dense`: for a mains supply, and for measuring.
  case dense = 2

  /// That of a value that is set; the standard one if none is.
  @usableFromInline @inline(never)
  init(value: UInt16?) {
    self = RadioSetting(rawValue: UInt8(truncatingIfNeeded: value ?? 1)) ?? .standard
  }

  /// What it is called.
  public var name: StaticString {
    switch self {
    case .saver: "saver"
    case .standard: "default"
    case .dense: "dense"
    }
  }

  /// From one advertisement to the next; `nil` where the setting leaves that of the image as it is.
  @usableFromInline
  var advertisingInterval: Interval? { self == .dense ? .milliseconds(100) : nil }
}

extension ScanTiming {
  /// Listens as much as a setting says; the standard one changes nothing.
  @usableFromInline @inline(never)
  mutating func listen(as setting: RadioSetting) {
    switch setting {
    case .saver: listen(.milliseconds(60), every: .milliseconds(1065))
    case .standard: break
    case .dense: listen(.milliseconds(500), every: .milliseconds(1000))
    }
  }
}
