import HeraldHAL

/// A venue's payload, decoded: `30 | country u16 | state u16 | venue code u32 | extended data`,
/// little-endian.
public struct VenuePayload: ~Escapable {
  /// ISO 3166-1 numeric country code.
  public let country: UInt16
  /// The state within the country, 0: the whole country.
  public let state: UInt16
  /// The number of the venue in that country and state.
  public let code: UInt32
  /// The extended data, before the first segment.
  public let extendedData: ExtendedData

  /// How many bytes come before the extended data.
  public static var fixedPartLength: Int { 9 }

  /// Reads a payload; `nil` if it is not a venue's, is shorter than nine bytes, or is of a version (31…37)
  /// whose layout is not known.
  @_lifetime(copy payload)
  public init?(_ payload: Span<UInt8>) {
    var reader = ByteReader(payload)
    guard reader.u8() == PayloadFamily.venueBeacon.rawValue, let country = reader.u16(),
      let state = reader.u16(), let code = reader.u32()
    else { return nil }
    self.country = country
    self.state = state
    self.code = code
    extendedData = ExtendedData(reader.rest())
  }

  /// The name of the premises, UTF-8 if the sender conforms; `nil` if there is none.
  public var premisesName: Span<UInt8>? {
    @_lifetime(copy self) get { extendedData.first(.premisesName) }
  }
}

/// The payload of a beacon at a venue: the venue's number, and data about the place.
///
/// It needs no date. The extended data has at most `capacity` bytes, of which 501 can be used: a payload ends
/// at 510. All zero bits before it is configured; it is then not offered.
public struct VenuePayloadSupplier<let capacity: Int>: PayloadSupplier, Sendable {
  /// ISO 3166-1 numeric country code.
  public private(set) var country: UInt16
  /// The state within the country, 0: the whole country.
  public private(set) var state: UInt16
  /// The number of the venue in that country and state. 0: none; the payload is not offered.
  public private(set) var code: UInt32
  private var extendedData: InlineBytes<capacity>

  /// A supplier of a venue payload without extended data.
  public init(country: UInt16, state: UInt16, code: UInt32) {
    self.country = country
    self.state = state
    self.code = code
    extendedData = InlineBytes()
  }

  /// Replaces the extended data by segments that `ByteWriter.extendedSegment` wrote. `false`, changing
  /// nothing, if they are more than `capacity` or than a payload has room for.
  @discardableResult
  public mutating func setExtendedData(_ segments: Span<UInt8>) -> Bool {
    guard segments.count <= capacity, segments.count <= Self.longestExtendedData else { return false }
    extendedData.removeAll()
    return extendedData.append(segments)
  }

  /// The payload's family, if there is one to offer.
  public func payloadStatus<Storage: PayloadStorage & ~Copyable>(
    at unixSeconds: UInt64?, in storage: inout Storage
  ) -> PayloadStatus {
    PayloadStatus(code == 0 ? .none : .venue)
  }

  /// 0: the length varies.
  public var fixedLength: Int { 0 }

  /// Writes nine bytes and the extended data.
  public mutating func payload(
    at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>
  ) -> Int {
    guard code != 0 else { return 0 }
    var writer = ByteWriter(buffer._mutatingExtracting(0..<buffer.count))
    writer.u8(PayloadFamily.venueBeacon.rawValue)
    writer.u16(country)
    writer.u16(state)
    writer.u32(code)
    writer.bytes(extendedData.span)
    return writer.overflowed ? 0 : writer.count
  }

  private static var longestExtendedData: Int { Payload.maximumLength &- VenuePayload.fixedPartLength }
}
