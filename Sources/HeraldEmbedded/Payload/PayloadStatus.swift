/// What there is to say about the payload a device offers.
public struct PayloadStatus: Equatable, BitwiseCopyable, Sendable {
  /// The payload family; `none` if unknown or without a payload.
  public var family = StoredPayloadFamily.none
  /// When the last day of its keys is over, seconds since 1970-01-01T00:00:00Z; `nil` of families without
  /// keys.
  public var until: UInt64?
  /// For how many days it is offered, today included; `nil` if it is not, and of families without keys.
  public var daysLeft: Int?

  /// Of a family without keys.
  public init(_ family: StoredPayloadFamily = .none) { self.family = family }
}

/// Where payloads are stored that hosts push to a device.
public protocol PayloadStorage: ~Copyable {
  /// What the payload is that came to be there since this was asked last; `nil` if it is the same. That of
  /// none if there is none, or it is damaged.
  mutating func takeNewPayload() -> StoredPayloadHeader?
  /// Reads bytes behind the header, from `offset` on. `false` if they are not there, or the memory fails.
  mutating func readPayload(offset: Int, into bytes: inout MutableSpan<UInt8>) -> Bool
  /// Copies the key of day `index` of the window, which is day `day` of the schedule. `false` if it is wiped
  /// or damaged.
  mutating func copyDayKey(_ index: Int, day: Int, into key: inout [32 of UInt8]) -> Bool
  /// Wipes the keys of the first `count` days of the window.
  mutating func wipeDayKeys(_ count: Int)
}
