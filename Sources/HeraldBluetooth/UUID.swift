import HeraldHAL

/// A 16-bit UUID: short for `0000xxxx-0000-1000-8000-00805F9B34FB` (Core Specification, Vol 3, Part B,
/// 2.5.1).
public struct UUID16: Hashable, BitwiseCopyable, RawRepresentable, Sendable {
  /// The 16 bits.
  public let rawValue: UInt16
  /// The UUID with these 16 bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// The UUID with these 16 bits.
  public init(_ value: UInt16) { rawValue = value }
}

/// A 128-bit UUID. Text order is most significant first; on air and in ATT it is least significant first.
public struct UUID128: Hashable, BitwiseCopyable, Sendable {
  /// Bits 64…127: the first sixteen hexadecimal digits of the text form.
  public let high: UInt64
  /// Bits 0…63: the last sixteen hexadecimal digits of the text form.
  public let low: UInt64

  /// A UUID from the two halves of its text form.
  public init(_ high: UInt64, _ low: UInt64) {
    self.high = high
    self.low = low
  }

  /// The 128-bit form of a 16-bit UUID: the Bluetooth Base UUID with bits 96…111 set.
  public init(_ short: UUID16) {
    self.init(
      UInt64(high: UInt32(short.rawValue), low: 0x0000_1000), UInt64(high: 0x8000_0080, low: 0x5F9B_34FB))
  }

  /// A UUID from sixteen bytes in on-air order; `nil` unless there are exactly sixteen.
  public init?(onAir bytes: Span<UInt8>) {
    guard bytes.count == 16 else { return nil }
    let raw = bytes.bytes
    low = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self))
    high = UInt64(littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }
}

extension ByteReader {
  /// The next sixteen bytes as a UUID.
  @_lifetime(self: copy self)
  public mutating func uuid128() -> UUID128? {
    guard remaining >= 16, let low = u64(), let high = u64() else { return nil }
    return UUID128(high, low)
  }
}

extension ByteWriter {
  /// Appends the sixteen bytes of a UUID in on-air order, or nothing if they do not fit.
  @_lifetime(self: copy self)
  public mutating func uuid128(_ uuid: UUID128) {
    var onAir: [16 of UInt8] = .init(repeating: 0)
    var low = uuid.low
    var high = uuid.high
    for index in 0..<8 {
      onAir[index] = UInt8(truncatingIfNeeded: low.low32)
      onAir[8 &+ index] = UInt8(truncatingIfNeeded: high.low32)
      low = low &>> 8
      high = high &>> 8
    }
    bytes(onAir.span)
  }
}
