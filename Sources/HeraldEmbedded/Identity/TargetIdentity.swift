import HeraldBluetooth
import HeraldHAL

/// The identity under which a peer is tracked and logged: its pseudo device address if it shows one, else its
/// address (HP-15), or a generated number for a peer known only from shared payloads (HP-43).
public struct TargetIdentity: Hashable, BitwiseCopyable, Sendable {
  /// The kind of the 48 bits.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// A public device address.
    case publicAddress = 0
    /// A random device address.
    case randomAddress = 1
    /// A pseudo device address from manufacturer data.
    case pseudoAddress = 2
    /// Generated here, for a payload shared by another peer.
    case shared = 3
  }

  /// The kind of the 48 bits.
  public let kind: Kind
  /// Bits 32…47.
  public let high: UInt16
  /// Bits 0…31.
  public let low: UInt32

  /// An identity from its bits.
  public init(kind: Kind, high: UInt16, low: UInt32) {
    self.kind = kind
    self.high = high
    self.low = low
  }

  /// The identity of a peer that shows no pseudo device address.
  public init(_ address: DeviceAddress) {
    self.init(
      kind: address.kind == .public ? .publicAddress : .randomAddress, high: address.high, low: address.low)
  }
}

extension TargetIdentity {
  /// A generated identity, for a peer known only by its payload.
  static func made<Source: RandomSource & ~Copyable>(_ random: inout Source) -> TargetIdentity {
    TargetIdentity(kind: .shared, high: UInt16(truncatingIfNeeded: random.next()), low: random.next())
  }
}
