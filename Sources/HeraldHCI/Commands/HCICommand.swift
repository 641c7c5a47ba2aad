import HeraldEmbedded

/// One HCI command: its opcode and how its parameters are written.
public protocol HCICommand: BitwiseCopyable {
  /// The opcode.
  static var opcode: Opcode { get }
  /// Appends the parameters, in the order and byte order of the specification.
  @_lifetime(writer: copy writer)
  func write(into writer: inout ByteWriter)
}

/// A command of which only the opcode goes out. The opcode is a value, so one type serves all of them.
public struct PlainCommand: BitwiseCopyable {
  /// The opcode.
  public let opcode: Opcode
  /// The command with this opcode and no parameters.
  @inlinable
  public init(_ opcode: Opcode) { self.opcode = opcode }

  /// Writes the whole H4 packet to the front of `buffer`. Returns its length, 4, or 0 if the buffer is shorter.
  public func packet(into buffer: consuming MutableSpan<UInt8>) -> Int {
    var writer = beginCommand(opcode, in: buffer)
    return endCommand(&writer)
  }
}

extension HCICommand {
  /// Writes the whole H4 packet (type 0x01, opcode, length, parameters) to the front of `buffer`. Returns its length,
  /// or 0 if it does not fit. The longest command of this module takes 46 bytes.
  public func packet(into buffer: consuming MutableSpan<UInt8>) -> Int {
    var writer = beginCommand(Self.opcode, in: buffer)
    write(into: &writer)
    return endCommand(&writer)
  }
}

/// A writer behind the header of a command packet. The two ends of every command are not inlined: there are two dozen.
@inline(never)
@_lifetime(copy buffer)
func beginCommand(_ opcode: Opcode, in buffer: consuming MutableSpan<UInt8>) -> ByteWriter {
  var writer = ByteWriter(buffer)
  writer.u8(PacketType.command)
  writer.u16(opcode.rawValue)
  writer.u8(0)
  return writer
}

/// Puts the length into the header. Returns the packet's length, 0 if it did not fit.
@inline(never)
@_lifetime(writer: copy writer)
func endCommand(_ writer: inout ByteWriter) -> Int {
  guard !writer.overflowed else { return 0 }
  writer.patch(UInt8(truncatingIfNeeded: writer.count &- 4), at: 3)
  return writer.count
}
