/// The type a request asks for. A 128-bit form of a 16-bit UUID counts as that (Vol 3, Part F, 3.2.1).
@usableFromInline
struct AttributeType: BitwiseCopyable, Sendable {
  /// The 16-bit UUID; 0 if it is a 128-bit one.
  @usableFromInline let short: UInt16
  /// The 128-bit UUID; zero if it is a 16-bit one.
  @usableFromInline let long: UUID128
  /// Whether it is a 128-bit UUID.
  @usableFromInline let isLong: Bool

  /// The type in the two or sixteen bytes at `offset`, which must be inside; `nil` for another `count`.
  @usableFromInline
  init?(_ buffer: borrowing MutableSpan<UInt8>, at offset: Int, count: Int) {
    switch count {
    case 2:
      short = buffer.u16(at: offset)
      long = UUID128(0, 0)
      isLong = false
    case 16:
      guard let uuid = UUID128(onAir: buffer.span.extracting(unchecked: offset..<(offset &+ 16))) else {
        return nil
      }
      if let alias = uuid.short {
        short = alias.rawValue
        long = UUID128(0, 0)
        isLong = false
      } else {
        short = 0
        long = uuid
        isLong = true
      }
    default: return nil
    }
  }

  /// Primary Service.
  @usableFromInline static var primaryService: UInt16 { 0x2800 }
  /// Secondary Service.
  @usableFromInline static var secondaryService: UInt16 { 0x2801 }
  /// Characteristic.
  @usableFromInline static var characteristic: UInt16 { 0x2803 }
  /// Client Characteristic Configuration.
  @usableFromInline static var configuration: UInt16 { 0x2902 }
}

extension UUID128 {
  /// The 16-bit UUID this is the 128-bit form of; `nil` if it is not under the Bluetooth Base UUID.
  var short: UUID16? {
    guard low.high32 == 0x8000_0080, low.low32 == 0x5F9B_34FB, high.low32 == 0x0000_1000,
      let value = UInt16(exactly: high.high32)
    else { return nil }
    return UUID16(value)
  }
}
