/// What the server keeps per connection. Zero bits when idle.
struct ATTConnectionState: BitwiseCopyable, Sendable {
  /// ATT_MTU − 23.
  private var extraMTU: UInt16
  /// Two bits per client characteristic configuration, eight of them.
  private var configurations: UInt16
  /// An indication of ours is not confirmed yet.
  var isIndicating: Bool
  /// A prepared write was queued and not executed yet.
  var isPreparing: Bool

  init() {
    extraMTU = 0
    configurations = 0
    isIndicating = false
    isPreparing = false
  }

  /// ATT_MTU, 23…517; less is taken as 23, and more is not set.
  var mtu: Int {
    get { ATTLimits.defaultMTU &+ Int(extraMTU) }
    set { extraMTU = UInt16(truncatingIfNeeded: max(newValue, ATTLimits.defaultMTU) &- ATTLimits.defaultMTU) }
  }

  /// The configuration in `slot`, 0…7; none for any other.
  func configuration(slot: Int) -> ClientConfiguration {
    guard slot >= 0, slot < 8 else { return .none }
    return ClientConfiguration(
      rawValue: UInt8(truncatingIfNeeded: configurations &>> UInt16(truncatingIfNeeded: slot &* 2)) & 3)
  }

  /// Sets the configuration in `slot`, 0…7; nothing happens for any other.
  mutating func configure(slot: Int, _ configuration: ClientConfiguration) {
    guard slot >= 0, slot < 8 else { return }
    let shift = UInt16(truncatingIfNeeded: slot &* 2)
    configurations = configurations & ~(3 &<< shift) | UInt16(configuration.rawValue & 3) &<< shift
  }
}
