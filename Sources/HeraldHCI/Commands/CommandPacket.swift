import HeraldEmbedded

/// A command packet as it goes out, header first; room for the longest command of this module (46 bytes).
///
/// A packet is written once, into fresh zeros. Everything that appends is inlined: then each field's place is known when
/// the program is compiled, no check for room is left, and constants next to each other become one store. Two dozen
/// commands written by calls, with a check at each field, took more than twice as much flash.
public struct CommandPacket: BitwiseCopyable, Sendable {
  @usableFromInline var bytes: [48 of UInt8]
  /// How many of the bytes are in use; 0 until a command is written.
  @usableFromInline var length: UInt8

  /// Nothing yet.
  @inlinable
  public init() {
    bytes = .init(repeating: 0)
    length = 0
  }

  /// How many bytes the packet has; 0 until a command is written.
  @inlinable
  public var count: Int { Int(length) }

  /// The bytes; empty until a command is written.
  @inlinable
  public var span: Span<UInt8> {
    @_lifetime(borrow self) borrowing get { bytes.span.extracting(0..<count) }
  }

  /// The command's opcode.
  var opcode: Opcode { Opcode(UInt16(bytes[1]) | UInt16(bytes[2]) &<< 8) }

  /// The header: packet type and opcode. The length follows from `end`.
  @inline(__always)
  mutating func begin(_ opcode: Opcode) {
    length = 0
    u8(PacketType.command)
    u16(opcode.rawValue)
    zeros(1)
  }

  /// Puts the length of the parameters into the header.
  @inline(__always)
  mutating func end() { bytes[3] = length &- 4 }

  /// Appends one byte. What has no room is dropped.
  @inline(__always)
  public mutating func u8(_ value: UInt8) {
    guard length < 48 else { return }
    bytes[unchecked: Int(length)] = value
    length &+= 1
  }

  /// Appends two bytes, little-endian.
  @inline(__always)
  public mutating func u16(_ value: UInt16) {
    u8(UInt8(truncatingIfNeeded: value))
    u8(UInt8(truncatingIfNeeded: value &>> 8))
  }

  /// Appends four bytes, little-endian.
  @inline(never)
  public mutating func u32(_ value: UInt32) {
    u16(UInt16(truncatingIfNeeded: value))
    u16(UInt16(truncatingIfNeeded: value &>> 16))
  }

  /// Appends the six bytes of an address in on-air order.
  @inline(never)
  public mutating func deviceAddress(_ address: DeviceAddress) {
    u32(address.low)
    u16(address.high)
  }

  /// Appends `count` zeros, which are there already.
  @inline(__always)
  public mutating func zeros(_ count: UInt8) { length = min(length &+ count, 48) }

  /// Appends bytes, as many as there is room for.
  @inline(__always)
  mutating func append(_ data: Span<UInt8>) {
    var index = 0
    while index < data.count {
      u8(data[unchecked: index])
      index &+= 1
    }
  }
}
