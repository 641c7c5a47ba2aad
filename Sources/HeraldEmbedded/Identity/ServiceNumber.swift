/// The number that an additional service has in the log and in live events, 0…239.
public struct ServiceNumber: RawRepresentable, Equatable, BitwiseCopyable, Sendable {
  /// The number.
  public let rawValue: UInt8
  /// The service with this number; numbers above 239 count as 239.
  public init(rawValue: UInt8) { self.rawValue = min(rawValue, 239) }

  /// The first number that is not assigned (docs/log-format.md).
  public static var firstFree: ServiceNumber { ServiceNumber(rawValue: 2) }
}
