/// The number a controller gives to a connection, 0x0000…0x0EFF.
public struct ConnectionHandle: Hashable, BitwiseCopyable, RawRepresentable, Sendable {
  /// The number.
  public let rawValue: UInt16
  /// The connection with this number; only the lower twelve bits count.
  public init(rawValue: UInt16) { self.rawValue = rawValue & 0x0FFF }
}
