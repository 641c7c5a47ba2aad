/// One characteristic found by a discovery.
public struct GATTCharacteristic: Equatable, BitwiseCopyable, Sendable {
  /// The handle of its declaration.
  public let declaration: UInt16
  /// The handle of its value.
  public let value: UInt16
  /// The properties of the characteristic (Core Specification, Vol 3, Part G, 3.3.1.1): 0x02 read, 0x04 write
  /// without response, 0x08 write, 0x10 notify, 0x20 indicate.
  public let properties: UInt8
  /// The type of the characteristic; a 16-bit UUID in its 128-bit form.
  public let uuid: UUID128

  /// Initialises each member.
  public init(declaration: UInt16, value: UInt16, properties: UInt8, uuid: UUID128) {
    self.declaration = declaration
    self.value = value
    self.properties = properties
    self.uuid = uuid
  }
}

/// The characteristics in a Read By Type Response, for `GATTClientEvent.characteristics`.
public struct GATTCharacteristics: ~Escapable {
  private let pdu: Span<UInt8>
  /// Bytes per characteristic: 7, 21, or 0 if this is not a Read By Type Response.
  private let size: Int
  /// Where the next one begins.
  private var offset: Int

  /// The characteristics in `pdu`; none if it is not a Read By Type Response.
  @_lifetime(copy pdu)
  public init(_ pdu: Span<UInt8>) {
    self.pdu = pdu
    size =
      pdu.count > 0 && pdu[unchecked: 0] == ATTOpcode.readByTypeResponse.rawValue ? Self.size(in: pdu) : 0
    offset = 2
  }

  /// The length of each characteristic in a Read By Type Response; 0 if the length cannot be one of a
  /// characteristic.
  static func size(in pdu: Span<UInt8>) -> Int {
    let size = pdu.count > 2 ? Int(pdu[unchecked: 1]) : 0
    return size == 7 || size == 21 ? size : 0
  }

  /// The next one, or `nil` at the end.
  @_lifetime(self: copy self)
  public mutating func next() -> GATTCharacteristic? {
    let start = offset
    guard size > 0, pdu.count &- start >= size else { return nil }
    offset &+= size
    let uuid: UUID128
    if size == 7 {
      uuid = UUID128(UUID16(pdu.u16(at: start &+ 5)))
    } else {
      let long = pdu.extracting(unchecked: Range(uncheckedBounds: (start &+ 5, start &+ 21)))
      uuid = UUID128(onAir: long) ?? UUID128(0, 0)
    }
    return GATTCharacteristic(
      declaration: pdu.u16(at: start), value: pdu.u16(at: start &+ 3), properties: pdu[unchecked: start &+ 2],
      uuid: uuid)
  }
}
