import HeraldHAL

/// Storage of the matching keys of the remaining days: in RAM, or in flash where bits can be cleared without
/// an erasure.
public protocol MatchingKeyStore: ~Copyable {
  /// The first day of the window of days; meaningless while `dayCount` is 0.
  var firstDay: Int { get }
  /// How many days the window has; 0 without keys.
  var dayCount: Int { get }
  /// Copies the key of a day, which thereby becomes a used one. `false`, leaving `key` unchanged, if the
  /// day is outside the window or its key is erased.
  mutating func copyKey(ofDay day: Int, into key: inout [32 of UInt8]) -> Bool
  /// Overwrites the used keys of all days before `day`. Erased keys cannot be restored. A key that was never
  /// used reveals nothing about the past, and stays.
  mutating func wipeKeys(before day: Int)
  /// Whether the key of a day of the window is known to be erased, or damaged.
  func isMissing(_ day: Int) -> Bool
}

/// Matching keys in RAM: up to `days` of them, 32 bytes each. All zero bits while it has none.
public struct InlineMatchingKeys<let days: Int>: MatchingKeyStore, ~Copyable {
  private var keys: [days of [32 of UInt8]]
  /// The first day of the window.
  public private(set) var firstDay: Int
  /// How many days the window has, 0…`days`.
  public private(set) var dayCount: Int
  /// Which keys were copied.
  private var areUsed: [days of Bool]

  /// A store without keys.
  public init() {
    keys = .init(repeating: .init(repeating: 0))
    firstDay = 0
    dayCount = 0
    areUsed = .init(repeating: false)
  }

  /// Stores the keys of a window, 32 bytes a day, replacing all others. On an error nothing changes:
  /// `.keyLength` unless they are whole keys, `.emptyWindow` for none or a negative day, `.bufferTooSmall`
  /// for more than `days`, `.pastEnd` if the window exceeds the end of the schedule, `.zeroKey`.
  public mutating func provide(firstDay: Int, keys bytes: Span<UInt8>) throws(KeyScheduleError) {
    let size = SimpleKeySchedule.matchingKeySize
    let count = bytes.count / size
    guard bytes.count % size == 0 else { throw .keyLength }
    guard count > 0, firstDay >= 0 else { throw .emptyWindow }
    guard count <= days else { throw .bufferTooSmall }
    guard firstDay <= SimpleKeySchedule.lastDay &+ 1 &- count else { throw .pastEnd }
    for day in 0..<count {
      let key = bytes.extracting((day &* size)..<(day &* size &+ size))
      guard !key.isZeroInConstantTime else { throw .zeroKey }
    }
    wipeAll()
    for index in 0..<bytes.count { keys[index / size][index % size] = bytes[index] }
    self.firstDay = firstDay
    dayCount = count
  }

  /// Copies the key of a day.
  public mutating func copyKey(ofDay day: Int, into key: inout [32 of UInt8]) -> Bool {
    guard day >= firstDay, day &- firstDay < dayCount, !isMissing(day) else { return false }
    for index in 0..<32 { key[index] = keys[day &- firstDay][index] }
    areUsed[day &- firstDay] = true
    return true
  }

  /// Overwrites the used keys of all days before `day`.
  public mutating func wipeKeys(before day: Int) {
    for index in 0..<dayCount where areUsed[index] && firstDay &+ index < day {
      var all = keys.mutableSpan
      var key = all._mutatingExtracting(index..<(index &+ 1))
      key.wipe()
    }
  }

  /// Whether the key of a day of the window is erased.
  public func isMissing(_ day: Int) -> Bool {
    guard day >= firstDay, day &- firstDay < dayCount else { return false }
    var bits: UInt8 = 0
    for index in 0..<32 { bits |= keys[day &- firstDay][index] }
    return bits == 0
  }

  /// Overwrites all keys and clears the window.
  public mutating func wipeAll() {
    var all = keys.mutableSpan
    all.wipe()
    firstDay = 0
    dayCount = 0
    areUsed = .init(repeating: false)
  }
}
