/// The value of a client characteristic configuration descriptor (Vol 3, Part G, 3.3.3.3).
public struct ClientConfiguration: Hashable, BitwiseCopyable, RawRepresentable, Sendable {
  /// Bit 0: notifications, bit 1: indications.
  public let rawValue: UInt8
  @inline(__always)
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// Neither; the initial value of every connection.
  @inline(__always) public static var none: Self { Self(rawValue: 0) }
  /// Notifications.
  @inline(__always) public static var notifications: Self { Self(rawValue: 1) }
  /// Indications.
  @inline(__always) public static var indications: Self { Self(rawValue: 2) }
  /// Notifications and indications.
  @inline(__always) public static var both: Self { Self(rawValue: 3) }
}
