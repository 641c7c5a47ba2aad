import HeraldHAL

/// The duty of the radio (the value of `Setting.radioSetting`).
public enum RadioSetting: UInt8, BitwiseCopyable, Sendable {
  /// `HeraldConfiguration.saver`: long battery life.
  case saver = 0
  /// The configuration of the image.
  case standard = 1
  /// `HeraldConfiguration.dense`: for a mains supply, and for measurements.
  case dense = 2
  /// `HeraldConfiguration.balanced`: scanning in rounds, as an image does that configures nothing else.
  case balanced = 3
  /// `HeraldConfiguration.steady`: scanning a ninth of the time, at all times.
  case steady = 4

  /// The setting of a value that is set; the standard one if none is.
  @inline(never)
  init(value: UInt16?) {
    self = RadioSetting(rawValue: UInt8(truncatingIfNeeded: value ?? 1)) ?? .standard
  }

  /// The name of the setting.
  public var name: StaticString {
    switch self {
    case .saver: "saver"
    case .standard: "default"
    case .dense: "dense"
    case .balanced: "balanced"
    case .steady: "steady"
    }
  }

  /// The advertising interval; `nil` where the setting does not change that of the image.
  var advertisingInterval: Interval? { self == .dense ? .milliseconds(100) : nil }
}

extension ScanTiming {
  /// Applies the setting's scan timing; the standard one changes nothing.
  @inline(never)
  mutating func listen(as setting: RadioSetting) {
    switch setting {
    case .saver: listen(.milliseconds(60), every: .milliseconds(1065))
    case .standard: break
    case .dense: listen(.milliseconds(500), every: .milliseconds(1000))
    case .balanced: latency = .seconds(30)
    case .steady: latency = .zero
    }
  }

  /// Applies the setting's scan timing if it scans a smaller part of the time.
  @inline(never)
  mutating func reduce(to setting: RadioSetting) {
    var other = self
    other.listen(as: setting)
    if other.window.milliseconds &* interval.milliseconds < window.milliseconds &* other.interval.milliseconds
    {
      self = other
    }
  }
}
