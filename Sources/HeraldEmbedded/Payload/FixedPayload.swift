import HeraldHAL

/// The fixed payload: a constant number, for tests and for badges whose wearers consented to it.
///
/// 13 bytes: `08 | country u16 | state u16 | client identifier u64`, little-endian. It needs no date.
public struct FixedPayloadSupplier: PayloadSupplier, BitwiseCopyable, Sendable {
  /// ISO 3166-1 numeric country code.
  public let country: UInt16
  /// The state within the country, 0: the whole country.
  public let state: UInt16
  /// The wearer's number; with 0 no payload is offered.
  public let clientIdentifier: UInt64

  /// A supplier of one payload.
  public init(country: UInt16, state: UInt16, clientIdentifier: UInt64) {
    self.country = country
    self.state = state
    self.clientIdentifier = clientIdentifier
  }

  /// The payload's family, if there is one to offer.
  public func payloadStatus<Storage: PayloadStorage & ~Copyable>(
    at unixSeconds: UInt64?, in storage: inout Storage
  ) -> PayloadStatus {
    PayloadStatus(clientIdentifier == 0 ? .none : .fixed)
  }

  /// 13.
  public var fixedLength: Int { 13 }

  /// Writes the 13 bytes.
  public mutating func payload(
    at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>
  ) -> Int {
    guard clientIdentifier != 0 else { return 0 }
    var writer = ByteWriter(buffer._mutatingExtracting(0..<buffer.count))
    writer.u8(PayloadFamily.customWithCountry.rawValue)
    writer.u16(country)
    writer.u16(state)
    writer.u64(clientIdentifier)
    return writer.overflowed ? 0 : writer.count
  }
}
