import HeraldHAL

/// A Bluetooth device address with its type (Core Specification, Vol 6, Part B, 1.3).
public struct DeviceAddress: Hashable, BitwiseCopyable, Sendable {
  /// What kind of address the 48 bits are. The values are those of HCI's address type fields.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// Assigned by the manufacturer, unique.
    case `public` = 0
    /// Random: static, resolvable or non-resolvable, by its two top bits.
    case random = 1
  }

  /// Bits 0…31, the first four bytes on air.
  public let low: UInt32
  /// Bits 32…47, the last two bytes on air.
  public let high: UInt16
  /// Public or random.
  public let kind: Kind

  /// An address from its bits.
  public init(high: UInt16, low: UInt32, kind: Kind) {
    self.low = low
    self.high = high
    self.kind = kind
  }

  /// An address from six bytes in on-air order (least significant first); `nil` unless there are exactly six.
  public init?(onAir bytes: Span<UInt8>, kind: Kind) {
    guard bytes.count == 6 else { return nil }
    low =
      UInt32(bytes[unchecked: 0]) | UInt32(bytes[unchecked: 1]) &<< 8
      | UInt32(bytes[unchecked: 2]) &<< 16 | UInt32(bytes[unchecked: 3]) &<< 24
    high = UInt16(bytes[unchecked: 4]) | UInt16(bytes[unchecked: 5]) &<< 8
    self.kind = kind
  }

  /// All zero bits, which no device has.
  public static var zero: DeviceAddress { DeviceAddress(high: 0, low: 0, kind: .public) }

  /// Byte `index` in on-air order, 0…5; 0 for any other index.
  public func onAirByte(_ index: Int) -> UInt8 {
    switch index {
    case 0...3: UInt8(truncatingIfNeeded: low &>> UInt32(truncatingIfNeeded: index &* 8))
    case 4: UInt8(truncatingIfNeeded: high)
    case 5: UInt8(truncatingIfNeeded: high &>> 8)
    default: 0
    }
  }

  /// Whether this is a resolvable private address: random, with top bits 01 (Vol 6, Part B, 1.3.2.2).
  public var isResolvablePrivate: Bool { kind == .random && high &>> 14 == 0b01 }
  /// Whether this is a static random address: random, with top bits 11 (Vol 6, Part B, 1.3.2.1).
  public var isStaticRandom: Bool { kind == .random && high &>> 14 == 0b11 }
}

extension ByteReader {
  /// The next six bytes as an address of the given kind.
  @_lifetime(self: copy self)
  public mutating func deviceAddress(_ kind: DeviceAddress.Kind) -> DeviceAddress? {
    guard remaining >= 6, let low = u32(), let high = u16() else { return nil }
    return DeviceAddress(high: high, low: low, kind: kind)
  }
}

extension ByteWriter {
  /// Appends the six bytes of an address in on-air order.
  @_lifetime(self: copy self)
  public mutating func deviceAddress(_ address: DeviceAddress) {
    guard remaining >= 6 else {
      u64(0)  // too little room: the eight bytes are refused as a whole
      return
    }
    u32(address.low)
    u16(address.high)
  }
}
