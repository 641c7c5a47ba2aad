import HeraldHAL

/// A payload of opaque bytes from the application: custom and secured ones, and those of other protocols.
///
/// Up to `capacity` bytes, of which 510 can be used. All zero bits while it has none; it is then not offered.
/// New bytes are offered from the next exchange on.
public struct OpaquePayloadSupplier<let capacity: Int>: PayloadSupplier, Sendable {
  private var bytes: InlineBytes<capacity>

  /// A supplier without a payload.
  public init() { bytes = InlineBytes() }

  /// Offers `payload` from now on; empty: nothing is offered. `false`, changing nothing, if they are more
  /// than `capacity` or than 510.
  @discardableResult
  public mutating func set(_ payload: Span<UInt8>) -> Bool {
    guard payload.count <= capacity, payload.count <= Payload.maximumLength else { return false }
    bytes.removeAll()
    return bytes.append(payload)
  }

  /// The payload's family, if there is one to offer.
  public func payloadStatus<Storage: PayloadStorage & ~Copyable>(
    at unixSeconds: UInt64?, in storage: inout Storage
  ) -> PayloadStatus {
    PayloadStatus(bytes.isEmpty ? .none : .bytes)
  }

  /// 0: the length varies.
  public var fixedLength: Int { 0 }

  /// Writes the bytes.
  public mutating func payload(
    at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>
  ) -> Int {
    guard bytes.count <= buffer.count else { return 0 }
    var writer = ByteWriter(buffer._mutatingExtracting(0..<buffer.count))
    writer.bytes(bytes.span)
    return writer.count
  }
}
