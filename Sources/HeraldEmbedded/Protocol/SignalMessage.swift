import HeraldHAL

/// A message written to a signal characteristic (Herald protocol, "Signal characteristic"; numbers are
/// little-endian, as on every phone):
///
/// | code | message | layout |
/// | --- | --- | --- |
/// | 1 | payload | `01`, length u16, payload |
/// | 2 | RSSI | `02`, RSSI i16 |
/// | 3 | payload sharing | `03`, RSSI i16, length u16, payloads one after the other |
/// | 4 | immediate | `04`, length u16, the application's bytes |
///
/// The bytes are borrowed from the value that was written.
public struct SignalMessage: ~Escapable {
  /// The kind of a message: its first byte.
  public enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// The writer's own payload, written by a device that cannot advertise (HP-06, HP-09).
    case payload = 1
    /// The RSSI at which the writer receives the peer it writes to, in dBm.
    case rssi = 2
    /// Payloads of others that the writer has met recently, and the RSSI at which it receives the peer it
    /// writes to (HP-42).
    case payloadSharing = 3
    /// Bytes for the application (HP-30).
    case immediate = 4

    /// How many bytes precede the message's data.
    public var headerLength: Int { self == .payloadSharing ? 5 : 3 }
  }

  /// The kind.
  public let kind: Kind
  /// The RSSI in the message, in dBm; 0 if its kind has none.
  public let rssi: Int16
  /// The payload of the message, payloads or application bytes; empty for `.rssi`.
  public let data: Span<UInt8>

  /// The longest message: a header and 510 bytes of payloads.
  public static var maximumLength: Int { 515 }

  /// The message in `value`, if it is exactly one: not a byte shorter, and, except for an RSSI message, not a
  /// byte longer.
  @_lifetime(copy value)
  public init?(_ value: Span<UInt8>) {
    var reader = ByteReader(value)
    guard let code = reader.u8(), let kind = Kind(rawValue: code) else { return nil }
    var rssi: Int16 = 0
    if kind == .rssi || kind == .payloadSharing {
      guard let bits = reader.u16() else { return nil }
      rssi = Int16(bitPattern: bits)
    }
    var length = 0
    if kind != .rssi {
      guard let written = reader.u16() else { return nil }
      length = Int(written)
      guard reader.remaining == length else { return nil }
    }
    guard let data = reader.bytes(length) else { return nil }
    self.kind = kind
    self.rssi = rssi
    self.data = data
  }

  /// The length of the message that begins with these bytes: `nil` while there are too few bytes to determine
  /// it, 0 if no message begins with them.
  public static func length(startingWith bytes: Span<UInt8>) -> Int? {
    var reader = ByteReader(bytes)
    guard let code = reader.u8() else { return nil }
    guard let kind = Kind(rawValue: code) else { return 0 }
    if kind == .rssi { return 3 }
    guard reader.skip(kind == .payloadSharing ? 2 : 0), let length = reader.u16() else { return nil }
    return kind.headerLength &+ Int(length)
  }

  /// Writes the header of a message with `length` bytes of data and returns its length; 0, with undefined
  /// contents, if they do not fit. `rssi` is ignored for kinds without one, `length` for `.rssi`.
  public static func writeHeader(
    _ kind: Kind, rssi: Int16 = 0, length: Int = 0, to buffer: inout MutableSpan<UInt8>
  ) -> Int {
    guard length >= 0, length <= Payload.maximumLength else { return 0 }
    var writer = ByteWriter(buffer._mutatingExtracting(0...))
    writer.u8(kind.rawValue)
    if kind == .rssi || kind == .payloadSharing { writer.u16(UInt16(bitPattern: rssi)) }
    if kind != .rssi { writer.u16(UInt16(truncatingIfNeeded: length)) }
    return writer.overflowed ? 0 : writer.count
  }
}
