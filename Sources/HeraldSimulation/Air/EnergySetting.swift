import HeraldEmbedded

/// Configurations that trade readings for charge, by name.
public enum EnergySetting: String, CaseIterable, Sendable {
  /// `HeraldConfiguration.saver`
  case saver
  /// The defaults.
  case usual = "default"
  /// `HeraldConfiguration.balanced`, the same.
  case balanced
  /// `HeraldConfiguration.steady`
  case steady
  /// `HeraldConfiguration.dense`
  case dense

  /// The configuration with this name.
  public var configuration: HeraldConfiguration {
    switch self {
    case .saver: .saver
    case .usual: HeraldConfiguration()
    case .balanced: .balanced
    case .steady: .steady
    case .dense: .dense
    }
  }
}
