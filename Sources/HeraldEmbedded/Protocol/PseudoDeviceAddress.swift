import HeraldBluetooth
import HeraldHAL

/// Six random bytes that identify a peer while its address changes every few seconds (HP-11, HP-15).
///
/// On air they follow a company identifier in manufacturer data: `09 FF cc cc a0 a1 a2 a3 a4 a5`.
public struct PseudoDeviceAddress: Hashable, BitwiseCopyable, Sendable {
  /// Bytes a0…a3, a0 least significant.
  public let low: UInt32
  /// Bytes a4 and a5, a4 least significant.
  public let high: UInt16

  /// A pseudo device address from its bits.
  public init(high: UInt16, low: UInt32) {
    self.high = high
    self.low = low
  }

  /// From a 64-bit number as phones do: its little-endian bytes 2…7.
  public init(value: Int64) {
    let bits = UInt64(bitPattern: value)
    low = (bits &>> 16).low32
    high = UInt16(truncatingIfNeeded: bits.high32 &>> 16)
  }

  /// The number as phones read it back: bits 0…15 are zero.
  public var value: Int64 {
    Int64(bitPattern: UInt64(high: UInt32(high) &<< 16 | low &>> 16, low: low &<< 16))
  }

  /// From six bytes in on-air order; `nil` unless there are exactly six.
  public init?(onAir bytes: Span<UInt8>) {
    guard let bits = DeviceAddress(onAir: bytes, kind: .random) else { return nil }
    self.init(high: bits.high, low: bits.low)
  }

  /// A new address: 48 random bits, independent of earlier and later ones (HP-12).
  public static func make<Source: RandomSource & ~Copyable>(random: inout Source) -> PseudoDeviceAddress {
    let low = random.next()
    return PseudoDeviceAddress(high: UInt16(truncatingIfNeeded: random.next() &>> 16), low: low)
  }
}

extension TargetIdentity {
  /// The identity of a peer that shows a pseudo device address.
  public init(_ address: PseudoDeviceAddress) {
    self.init(kind: .pseudoAddress, high: address.high, low: address.low)
  }
}

extension ByteWriter {
  /// Appends the six bytes in on-air order, or nothing if they do not fit.
  @_lifetime(self: copy self)
  public mutating func pseudoDeviceAddress(_ address: PseudoDeviceAddress) {
    deviceAddress(DeviceAddress(high: address.high, low: address.low, kind: .random))
  }
}
