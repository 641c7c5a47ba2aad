import HeraldBluetooth
import HeraldHAL

/// A command packet as it goes out, header first; room for the longest command of this module (46 bytes).
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

  /// Becomes vendor command number `index` of the transport; `false` if that has no more, or gives fewer
  /// bytes than a command's header and type have.
  @inlinable
  mutating func takeVendorCommand<Transport: ControllerTransport & ~Copyable>(
    _ index: Int, of transport: inout Transport
  ) -> Bool {
    var buffer = bytes.mutableSpan
    let written = transport.vendorCommand(index, into: &buffer)
    guard written >= 4, written <= 48 else { return false }
    length = UInt8(truncatingIfNeeded: written)
    return true
  }

  /// Appends one byte. What has no room is dropped.
  @inline(never)
  public mutating func u8(_ value: UInt8) {
    guard length < 48 else { return }
    bytes[unchecked: Int(length)] = value
    length &+= 1
  }

  /// Appends two bytes, little-endian.
  @inline(never)
  public mutating func u16(_ value: UInt16) {
    u8(UInt8(truncatingIfNeeded: value))
    u8(UInt8(truncatingIfNeeded: value &>> 8))
  }

  /// Appends four bytes, little-endian.
  public mutating func u32(_ value: UInt32) {
    u16(UInt16(truncatingIfNeeded: value))
    u16(UInt16(truncatingIfNeeded: value &>> 16))
  }

  /// Appends the six bytes of an address in on-air order.
  public mutating func deviceAddress(_ address: DeviceAddress) {
    u32(address.low)
    u16(address.high)
  }

  /// Appends `count` zeros, which are there already.
  public mutating func zeros(_ count: UInt8) { length = min(length &+ count, 48) }

  /// Appends advertising data. Extended commands state how long their parameters are by them; the others have
  /// room for 31 bytes, of which what is not used is zero.
  mutating func append(_ data: Span<UInt8>, isExtended: Bool) {
    for index in 0..<data.count { u8(data[unchecked: index]) }
    if isExtended {
      bytes[3] = length &- 4
    } else {
      length = 36
    }
  }
}
