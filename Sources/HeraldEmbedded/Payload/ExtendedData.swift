import HeraldHAL

/// The segments of extended data, in sequence (HP-29; Herald payload specification, extended data).
///
/// Each is a code byte, a length byte L and L bytes, numbers little-endian. Invalid bytes are handled as
/// phones do: fewer than three bytes are no segment, an L that exceeds the end means up to the end, and
/// segments without bytes are skipped. There are no other errors.
///
/// ```swift
/// var segments = ExtendedData(bytes)
/// while segments.next() { use(segments.code, segments.bytes) }
/// ```
///
/// A number is returned only if the current segment has exactly the length of its kind; `bytes` has the raw
/// bytes.
public struct ExtendedData: ~Escapable {
  /// All segments.
  public let data: Span<UInt8>
  private var start: Int
  private var end: Int
  /// The code of the current segment; 0 before the first.
  public private(set) var code: ExtendedDataCode

  /// In front of the first segment of `data`.
  @_lifetime(copy data)
  public init(_ data: Span<UInt8>) {
    self.data = data
    start = 0
    end = 0
    code = .formatVersion
  }

  /// Moves to the next segment; `false`, staying put, when there is none.
  @_lifetime(self: copy self)
  public mutating func next() -> Bool {
    var header = end
    while data.count &- header >= 3 {
      let first = header &+ 2
      let length = Int(data[unchecked: header &+ 1])
      if length > 0 {
        code = ExtendedDataCode(rawValue: data[unchecked: header])
        start = first
        end = first &+ min(length, data.count &- first)
        return true
      }
      header = first
    }
    return false
  }

  /// Position of the bytes of the current segment; empty before the first.
  public var range: Range<Int> { start..<end }

  /// The bytes of the current segment, 1…255; empty before the first.
  public var bytes: Span<UInt8> {
    @_lifetime(copy self) get { data.extracting(start..<end) }
  }

  /// The bytes of the first segment of all with this code; `nil` if there is none. The current segment stays
  /// what it is.
  @_lifetime(copy self)
  public func first(_ wanted: ExtendedDataCode) -> Span<UInt8>? {
    var segments = ExtendedData(data)
    while segments.next() {
      if segments.code == wanted { return segments.bytes }
    }
    return nil
  }

  /// The current segment as an unsigned byte.
  public var u8: UInt8? { end &- start == 1 ? data[start] : nil }

  /// The current segment as a signed byte.
  public var i8: Int8? { u8.map { Int8(bitPattern: $0) } }

  /// The current segment as an unsigned number of 32 bits.
  public var u32: UInt32? {
    guard end &- start == 4 else { return nil }
    var reader = ByteReader(bytes)
    return reader.u32()
  }

  /// The current segment as a floating-point number of 32 bits.
  public var float32: Float? { u32.map { Float(bitPattern: $0) } }

  /// The current segment as a floating-point number of 64 bits.
  public var float64: Double? {
    guard end &- start == 8 else { return nil }
    var reader = ByteReader(bytes)
    return reader.u64().map { Double(bitPattern: $0) }
  }

  /// The current segment as a distance in metres, which comes in either length of floating point.
  public var metres: Double? { float64 ?? float32.map { Double($0) } }

  /// The current segment as a position.
  public var position: PositionInMinutes? {
    guard end &- start == 4 else { return nil }
    var reader = ByteReader(bytes)
    guard let latitude = reader.u16(), let longitude = reader.u16() else { return nil }
    return PositionInMinutes(
      latitude: Int16(bitPattern: latitude), longitude: Int16(bitPattern: longitude))
  }
}
