/// One attribute of a GATT table: eight bytes of integers, so that a table is a constant in flash.
///
/// The attribute's handle is its index in the table plus one. Values and 128-bit types are in the table's
/// byte blob.
public struct AttributeRecord: Equatable, BitwiseCopyable, Sendable {
  /// The 16-bit UUID of its type, or with `Flags.longType` the offset of a 128-bit UUID in the blob (16
  /// bytes, on-air order).
  public let type: UInt16
  /// Position of a constant value in the blob.
  public let valueOffset: UInt16
  /// How many bytes a constant value has; for a dynamic attribute, the longest value that may be written,
  /// 0…512.
  public let valueLength: UInt16
  /// The permissions, and the location of the value.
  public let flags: Flags
  /// The meaning of a dynamic attribute to the table's owner, or the slot of a client characteristic
  /// configuration.
  public let tag: UInt8

  /// Bits of a record. Not an `OptionSet`, whose array literal would bring in the allocator.
  public struct Flags: Equatable, BitwiseCopyable, RawRepresentable, Sendable {
    public let rawValue: UInt8
    @inline(__always)
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The attribute can be read.
    @inline(__always) public static var read: Flags { Flags(rawValue: 0x01) }
    /// The attribute can be written with response, by Write Request and by prepared writes.
    @inline(__always) public static var write: Flags { Flags(rawValue: 0x02) }
    /// The attribute can be written without response, by Write Command.
    @inline(__always) public static var writeCommand: Flags { Flags(rawValue: 0x04) }
    /// The attribute's value is supplied and taken by `AttributeValues`.
    @inline(__always) public static var dynamic: Flags { Flags(rawValue: 0x10) }
    /// The attribute is a client characteristic configuration: two bits per connection, kept by the server.
    @inline(__always) public static var configuration: Flags { Flags(rawValue: 0x20) }
    /// The attribute's type is a 128-bit UUID in the blob.
    @inline(__always) public static var longType: Flags { Flags(rawValue: 0x80) }
    /// The bits of both.
    @inline(__always)
    public func union(_ other: Flags) -> Flags { Flags(rawValue: rawValue | other.rawValue) }
    /// Whether all bits of `other` are set.
    @inline(__always)
    public func contains(_ other: Flags) -> Bool { rawValue & other.rawValue == other.rawValue }
  }

  /// Initialises each member.
  @inline(__always)
  public init(type: UInt16, valueOffset: UInt16, valueLength: UInt16, flags: Flags, tag: UInt8) {
    self.type = type
    self.valueOffset = valueOffset
    self.valueLength = valueLength
    self.flags = flags
    self.tag = tag
  }

  /// The declaration of a primary service whose UUID (`length` 2 or 16 bytes, on-air order) is at `offset` of
  /// the blob.
  @inline(__always)
  public static func primaryService(at offset: UInt16, _ length: UInt16) -> Self {
    Self(type: 0x2800, valueOffset: offset, valueLength: length, flags: .read, tag: 0)
  }

  /// The declaration of a characteristic. At `offset` of the blob: properties (1 byte), handle of the value
  /// (2 bytes, little-endian), UUID (2 or 16 bytes, on-air order), so `length` is 5 or 19 (Vol 3, Part G,
  /// 3.3.1).
  @inline(__always)
  public static func characteristic(at offset: UInt16, _ length: UInt16) -> Self {
    Self(type: 0x2803, valueOffset: offset, valueLength: length, flags: .read, tag: 0)
  }

  /// A readable constant of 16-bit type, `length` bytes at `offset` of the blob.
  @inline(__always)
  public static func constant(_ type: UInt16, at offset: UInt16, _ length: UInt16) -> Self {
    Self(type: type, valueOffset: offset, valueLength: length, flags: .read, tag: 0)
  }

  /// A value of 16-bit type that is supplied at run time; `access` is `read`, `write`, `writeCommand` or a
  /// union of them, and `longest` the longest value that may be written, 0…512.
  @inline(__always)
  public static func value(_ type: UInt16, _ access: Flags, longest: UInt16 = 0, tag: AttributeTag) -> Self {
    Self(
      type: type, valueOffset: 0, valueLength: longest, flags: Flags(rawValue: access.rawValue | 0x10),
      tag: tag.rawValue)
  }

  /// A value of 128-bit type that is supplied at run time; its UUID is at `typeOffset` of the blob.
  @inline(__always)
  public static func value(
    typeAt typeOffset: UInt16, _ access: Flags, longest: UInt16 = 0, tag: AttributeTag
  ) -> Self {
    Self(
      type: typeOffset, valueOffset: 0, valueLength: longest, flags: Flags(rawValue: access.rawValue | 0x90),
      tag: tag.rawValue)
  }

  /// A client characteristic configuration descriptor (0x2902). `slot` is its number among the table's, 0…7;
  /// `allowed` is what its characteristic's properties offer.
  @inline(__always)
  public static func configuration(slot: UInt8, allowing allowed: ClientConfiguration) -> Self {
    Self(
      type: 0x2902, valueOffset: UInt16(allowed.rawValue), valueLength: 2, flags: Flags(rawValue: 0x23),
      tag: slot)
  }
}

/// The meaning of a dynamic attribute. The table's owner chooses the values.
public struct AttributeTag: Hashable, BitwiseCopyable, RawRepresentable, Sendable {
  /// The number.
  public let rawValue: UInt8
  /// The tag with this number.
  @inline(__always)
  public init(rawValue: UInt8) { self.rawValue = rawValue }
}
