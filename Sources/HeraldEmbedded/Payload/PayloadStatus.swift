/// The status of the payload that a device offers.
public struct PayloadStatus: Equatable, BitwiseCopyable, Sendable {
  /// The payload family; `none` if unknown or without a payload.
  public var family = StoredPayloadFamily.none
  /// When the last day of its keys ends, seconds since 1970-01-01T00:00:00Z; `nil` for families without keys.
  public var until: UInt64?
  /// For how many days it is offered, today included; `nil` if it is not, and for families without keys.
  public var daysLeft: Int?

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
  /// Copies the key of day `index` of the window, which is day `day` of the schedule. `false` if it is erased
  /// or damaged.
  mutating func copyDayKey(_ index: Int, day: Int, into key: inout [32 of UInt8]) -> Bool
  /// Erases the keys of the first `count` days of the window.
  mutating func wipeDayKeys(_ count: Int)
}
