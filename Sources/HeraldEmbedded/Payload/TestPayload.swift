import HeraldHAL

/// The payload of the phones' demonstration apps, for tests with them.
///
/// `00 00 00 | identifier i32 | zeros`, little-endian, 129 bytes by default. Phones treat the family as
/// custom. It needs no date.
public struct TestPayloadSupplier: PayloadSupplier, BitwiseCopyable, Sendable {
  /// The number of this device in a test.
  public let identifier: Int32
  /// The length of the payload, 7…510.
  public let fixedLength: Int

  /// The length of the payload on the phones.
  public static var usualLength: Int { 129 }
  /// The shortest length that contains the whole identifier.
  public static var leastLength: Int { 7 }

  /// A supplier of one payload; `nil` if `length` is not in 7…510.
  public init?(identifier: Int32, length: Int = Self.usualLength) {
    guard length >= Self.leastLength, length <= Payload.maximumLength else { return nil }
    self.identifier = identifier
    fixedLength = length
  }

  /// The payload's family, if there is one to offer.
  public func payloadStatus<Storage: PayloadStorage & ~Copyable>(
    at unixSeconds: UInt64?, in storage: inout Storage
  ) -> PayloadStatus { PayloadStatus(.test) }

  /// Writes the payload.
  public mutating func payload(
    at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>
  ) -> Int {
    guard fixedLength <= buffer.count else { return 0 }
    var writer = ByteWriter(buffer._mutatingExtracting(0..<fixedLength))
    for _ in 0..<3 { writer.u8(0) }
    writer.u32(UInt32(bitPattern: identifier))
    for _ in Self.leastLength..<fixedLength { writer.u8(0) }
    return writer.overflowed ? 0 : writer.count
  }
}
