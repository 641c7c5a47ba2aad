/// One characteristic a discovery found.
public struct GATTCharacteristic: Equatable, BitwiseCopyable, Sendable {
  /// The handle of its declaration.
  public let declaration: UInt16
  /// The handle of its value.
  public let value: UInt16
  /// Its properties (Core Specification, Vol 3, Part G, 3.3.1.1): 0x02 read, 0x04 write without response, 0x08 write,
  /// 0x10 notify, 0x20 indicate.
  public let properties: UInt8
  /// Its type; a 16-bit UUID in its 128-bit form.
  public let uuid: UUID128

  /// Stated one by one.
  public init(declaration: UInt16, value: UInt16, properties: UInt8, uuid: UUID128) {
    self.declaration = declaration
    self.value = value
    self.properties = properties
    self.uuid = uuid
  }
}

/// The characteristics in a Read By Type Response, for `GATTClientEvent.characteristics`.
public struct GATTCharacteristics: ~Escapable {
  private var reader: ByteReader
  /// Bytes per characteristic: 7, 21, or 0 if this is no such response.
  let size: Int

  /// Those in `pdu`; none if it is no such response.
  @_lifetime(copy pdu)
  public init(_ pdu: Span<UInt8>) {
    var reader = ByteReader(pdu)
    var size = 0
    if reader.u8() == ATTOpcode.readByTypeResponse.rawValue, let length = reader.u8(),
      length == 7 || length == 21
    {
      size = Int(length)
    }
    self.reader = reader
    self.size = size
  }

  /// The next one, or `nil` at the end.
  @_lifetime(self: copy self)
  public mutating func next() -> GATTCharacteristic? {
    guard size > 0, reader.remaining >= size, let declaration = reader.u16(), let properties = reader.u8(),
      let value = reader.u16()
    else { return nil }
    let uuid: UUID128
    if size == 7 {
      guard let short = reader.u16() else { return nil }
      uuid = UUID128(UUID16(short))
    } else {
      guard let long = reader.uuid128() else { return nil }
      uuid = long
    }
    return GATTCharacteristic(declaration: declaration, value: value, properties: properties, uuid: uuid)
  }

  /// Whether the response is whole: at least one characteristic and no bytes over.
  var isWhole: Bool { size > 0 && reader.remaining >= size && reader.remaining % size == 0 }
}
