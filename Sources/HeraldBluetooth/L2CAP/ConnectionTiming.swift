/// The timing of a connection as a peripheral requests it (L2CAP Connection Parameter Update Request, Core
/// Specification, Vol 3, Part A, 4.20) and as HCI encodes it (LE Connection Update, Vol 4, Part E, 7.8.18).
public struct ConnectionTiming: Hashable, BitwiseCopyable, Sendable {
  /// Shortest interval between connection events, in units of 1.25 ms, 6…3,200.
  public let intervalMin: UInt16
  /// Longest interval between connection events, in units of 1.25 ms, 6…3,200.
  public let intervalMax: UInt16
  /// How many connection events the peripheral may skip, 0…499.
  public let latency: UInt16
  /// Supervision timeout in units of 10 ms, 10…3,200.
  public let timeout: UInt16

  /// Initialises each member.
  public init(intervalMin: UInt16, intervalMax: UInt16, latency: UInt16, timeout: UInt16) {
    self.intervalMin = intervalMin
    self.intervalMax = intervalMax
    self.latency = latency
    self.timeout = timeout
  }

  /// The timing of an L2CAP Connection Parameter Update Request, which has twelve bytes.
  package init(request pdu: Span<UInt8>) {
    self.init(
      intervalMin: pdu.u16(at: 4), intervalMax: pdu.u16(at: 6), latency: pdu.u16(at: 8),
      timeout: pdu.u16(at: 10))
  }

  /// Whether all are in range and the timeout is longer than twice the longest silence the latency allows
  /// (Vol 3, Part A, 4.20; Vol 4, Part E, 7.8.18).
  public var isValid: Bool {
    guard intervalMin >= 6, intervalMin <= intervalMax, intervalMax <= 3200, latency <= 499,
      timeout >= 10, timeout <= 3200
    else { return false }
    // timeout · 10 ms > (1 + latency) · intervalMax · 1.25 ms · 2, in units of 2.5 ms.
    return UInt32(timeout) &* 4 > (1 &+ UInt32(latency)) &* UInt32(intervalMax)
  }
}
