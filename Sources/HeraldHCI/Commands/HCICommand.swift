import HeraldEmbedded

/// One HCI command: its opcode and how its parameters are written.
public protocol HCICommand: BitwiseCopyable {
  /// The opcode.
  static var opcode: Opcode { get }
  /// Appends the parameters, in the order and byte order of the specification.
  func write(into packet: inout CommandPacket)
}

/// A command of which only the opcode goes out. The opcode is a value, so one type serves all of them.
public struct PlainCommand: BitwiseCopyable {
  /// The opcode.
  public let opcode: Opcode
  /// The command with this opcode and no parameters.
  @inlinable
  public init(_ opcode: Opcode) { self.opcode = opcode }

  /// Writes the whole H4 packet into a fresh `packet`.
  @inline(never)
  public func packet(into packet: inout CommandPacket) {
    packet.begin(opcode)
    packet.end()
  }
}

extension HCICommand {
  /// Writes the whole H4 packet (type 0x01, opcode, length, parameters) into a fresh `packet`.
  public func packet(into packet: inout CommandPacket) {
    packet.begin(Self.opcode)
    write(into: &packet)
    packet.end()
  }
}
