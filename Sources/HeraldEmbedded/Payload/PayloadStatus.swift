/// The status of the payload that a device offers.
public struct PayloadStatus: Equatable, BitwiseCopyable, Sendable {
  /// The payload family; `none` if unknown or without a payload.
  public var family = StoredPayloadFamily.none
  /// Whether it is offered, or the reason why not; `offered` for families without keys.
  public var state = SimplePayloadStatus.offered
  /// The number of keys for today and later days that are stored, of all without a date; `nil` for families
  /// without keys.
  public var keyCount: Int?
  /// When the day of the last of these keys ends, seconds since 1970-01-01T00:00:00Z; if there is none, the
  /// end of the window that was provided. `nil` for families without keys.
  public var until: UInt64?

  /// The status of a family without keys.
  public init(_ family: StoredPayloadFamily = .none) { self.family = family }
}

/// The storage of payloads that hosts send to a device.
public protocol PayloadStorage: ~Copyable {
  /// The header of a payload that was stored since the last call; `nil` if it is unchanged. The empty header
  /// if there is none, or it is damaged.
  mutating func takeNewPayload() -> StoredPayloadHeader?
  /// Reads bytes behind the header, from `offset` on. `false` if they do not exist, or the memory fails.
  mutating func readPayload(offset: Int, into bytes: inout MutableSpan<UInt8>) -> Bool
  /// Copies the key of day `index` of the window, which is day `day` of the schedule, and marks it as used.
  /// `false` if it is erased or damaged.
  mutating func copyDayKey(_ index: Int, day: Int, into key: inout [32 of UInt8]) -> Bool
  /// Whether that key is neither erased nor damaged.
  mutating func hasDayKey(_ index: Int, day: Int) -> Bool
  /// Erases the used keys among those of the first `count` days of the window.
  mutating func wipeDayKeys(_ count: Int)
}
