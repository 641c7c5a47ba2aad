import HeraldBluetooth
import HeraldHAL

/// The identity that a device shows for a period: its address and, if the period is short, a pseudo device
/// address. Both are generated and replaced together (HP-14), and with them the rotating payload.
public struct OwnIdentity: Equatable, BitwiseCopyable, Sendable {
  /// The address to advertise, scan and connect with.
  public let address: DeviceAddress
  /// The pseudo device address for the manufacturer data, if any.
  public let pseudoAddress: PseudoDeviceAddress?

  /// Initialises each member.
  public init(address: DeviceAddress, pseudoAddress: PseudoDeviceAddress?) {
    self.address = address
    self.pseudoAddress = pseudoAddress
  }

  /// From this lifetime an address counts as stable, and no pseudo device address is shown (HP-13).
  /// Bluetooth's own default for a resolvable private address is 15 minutes.
  public static var stableLifetime: Interval { .minutes(1) }

  /// A new identity for `lifetime`. It has a pseudo device address only if the lifetime is below
  /// `stableLifetime` (HP-11, HP-13). `nil` if the random source fails.
  public static func make<Source: RandomSource & ~Copyable>(
    _ key: IdentityResolvingKey, lifetime: Interval, random: inout Source
  ) -> OwnIdentity? {
    guard let address = ResolvablePrivateAddress.make(key, random: &random) else { return nil }
    let pseudoAddress = lifetime < stableLifetime ? PseudoDeviceAddress.make(random: &random) : nil
    return OwnIdentity(address: address, pseudoAddress: pseudoAddress)
  }
}
