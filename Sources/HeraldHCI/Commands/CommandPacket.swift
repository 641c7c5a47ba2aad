import HeraldBluetooth
import HeraldHAL

/// A command packet as it is sent, header first; room for the longest command of this module (46 bytes).
public struct CommandPacket: BitwiseCopyable, Sendable {
  var bytes: [48 of UInt8]
  /// How many of the bytes are in use; 0 until a command is written.
  var length: UInt8

  /// Empty.
  public init() {
    bytes = .init(repeating: 0)
    length = 0
  }

  /// How many bytes the packet has; 0 until a command is written.
  public var count: Int { Int(length) }

  /// The bytes; empty until a command is written.
  public var span: Span<UInt8> {
    @_lifetime(borrow self) borrowing get { bytes.span.extracting(0..<count) }
  }

  /// The command's opcode.
  var opcode: Opcode { Opcode(UInt16(bytes[1]) | UInt16(bytes[2]) &<< 8) }

  /// Becomes vendor command number `index` of the transport; `false` if there are no more, or it has fewer
  /// bytes than a command's header and type have.
  mutating func takeVendorCommand<Transport: ControllerTransport & ~Copyable>(
    _ index: Int, of transport: inout Transport
  ) -> Bool {
    var buffer = bytes.mutableSpan
    let written = transport.vendorCommand(index, into: &buffer)
    guard written >= 4, written <= 48 else { return false }
    length = UInt8(truncatingIfNeeded: written)
    return true
  }

  /// Appends one byte. Dropped if there is no room.
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

  /// Appends `count` zeros; the bytes are zero already.
  public mutating func zeros(_ count: UInt8) { length = min(length &+ count, 48) }

  /// Appends advertising data. The parameter length of extended commands depends on it; the others have 31
  /// bytes, of which the unused ones are zero.
  mutating func append(_ data: Span<UInt8>, isExtended: Bool) {
    for index in 0..<data.count { u8(data[unchecked: index]) }
    if isExtended {
      bytes[3] = length &- 4
    } else {
      length = 36
    }
  }
}
