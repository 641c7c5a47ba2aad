/// The code of an HCI command: group in the top six bits, command in the lower ten (Vol 4, Part E, 5.4.1).
public struct Opcode: Hashable, BitwiseCopyable, RawRepresentable, Sendable {
  /// The 16 bits.
  public let rawValue: UInt16
  /// The opcode with these bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// The opcode with these bits.
  public init(_ value: UInt16) { rawValue = value }

  /// No command: a controller uses it to change the number of commands it accepts (Vol 4, Part E, 7.7.14).
  public static var none: Opcode { Opcode(0) }

  /// HCI_Reset (Vol 4, Part E, 7.3.2).
  static var reset: Opcode { Opcode(0x0C03) }
}
