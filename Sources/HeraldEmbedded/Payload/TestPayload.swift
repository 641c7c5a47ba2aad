import HeraldHAL

/// The payload of the phones' demonstration apps, for trials with them.
///
/// `00 00 00 | identifier i32 | zeros`, little-endian, 129 bytes by default. Phones take the family for a
/// custom one. It needs no date.
public struct TestPayloadSupplier: PayloadSupplier, BitwiseCopyable, Sendable {
  /// The number of this device in a trial.
  public let identifier: Int32
  /// How long the payload is, 7…510.
  public let fixedLength: Int

  /// How long it is on the phones.
  public static var usualLength: Int { 129 }
  /// The shortest with the whole identifier in it.
  public static var leastLength: Int { 7 }

  /// A supplier of one payload; `nil` if `length` is not in 7…510.
  public init?(identifier: Int32, length: Int = Self.usualLength) {
    guard length >= Self.leastLength, length <= Payload.maximumLength else { return nil }
    self.identifier = identifier
    fixedLength = length
  }

  /// Its family, if there is one to offer.
  public func payloadStatus(at unixSeconds: UInt64?) -> PayloadStatus { PayloadStatus(.test) }

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
