/// One packet of a response to a control request, which is written from its beginning for each of its
/// packets: bytes before or after the packet are counted and not stored. No response therefore needs a buffer
/// of its own length.
public struct USBResponsePacket: ~Copyable {
  private var storage: [64 of UInt8] = .init(repeating: 0)
  /// The offset of the packet in the response.
  private var start = 0
  /// Bytes of the response so far, stored or not.
  public private(set) var count = 0

  /// No response.
  public init() {}

  /// Begins the response again, to store the packet that has its byte `start`.
  public mutating func begin(at start: Int) {
    self.start = start
    count = 0
  }

  /// One byte.
  @inline(never)
  public mutating func u8(_ value: UInt8) {
    let index = count &- start
    if index >= 0, index < USBEndpoint.packetSize { storage[index] = value }
    count &+= 1
  }

  /// Two bytes, little-endian.
  @inline(never)
  public mutating func u16(_ value: UInt16) {
    u8(UInt8(truncatingIfNeeded: value))
    u8(UInt8(truncatingIfNeeded: value &>> 8))
  }

  /// These bytes.
  public mutating func bytes(_ bytes: Span<UInt8>) {
    for index in 0..<bytes.count { u8(bytes[unchecked: index]) }
  }

  /// An ASCII constant in UTF-16, little-endian.
  public mutating func utf16(_ text: StaticString) {
    guard text.hasPointerRepresentation else { return }
    for index in 0..<text.utf8CodeUnitCount { u16(UInt16(unsafe text.utf8Start[index])) }
  }

  /// The part of the first `end` bytes of the response that is in the packet.
  @_lifetime(&self)
  public mutating func kept(upTo end: Int) -> Span<UInt8> {
    let last = min(max(0, min(count, end) &- start), USBEndpoint.packetSize)
    return storage.span.extracting(0..<last)
  }
}
