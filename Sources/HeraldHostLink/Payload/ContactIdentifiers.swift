import Foundation
import HeraldEmbedded

/// The contact identifiers that a device with a secret shows, for days of its key schedule: to find out whose
/// an identifier in a log is. Keys and identifiers are overwritten in memory at the end of the lifetime.
public struct ContactIdentifiers: ~Copyable {
  /// The days for which there are identifiers, counted from the epoch.
  public let days: ClosedRange<Int>
  private let keys: SecretMemory
  private let identifiers = SecretMemory(capacity: SimpleKeySchedule.periodsPerDay * 16)

  /// Derives the matching keys of days 0…2000.
  /// - Throws: `.usage` if the range is not within the schedule.
  public init(of secret: borrowing SimpleSecret, days: ClosedRange<Int>) throws(HostLinkError) {
    guard days.lowerBound >= 0, days.upperBound <= SimpleKeySchedule.lastDay else {
      throw HostLinkError(.usage, "days outside of the key schedule")
    }
    let keys = SecretMemory(capacity: days.count * SimpleKeySchedule.matchingKeySize)
    do throws(KeyScheduleError) { try Self.derive(secret, days, keys) } catch {
      throw HostLinkError(.usage, "no keys can be derived")
    }
    self.days = days
    self.keys = keys
  }

  private static func derive(
    _ secret: borrowing SimpleSecret, _ days: ClosedRange<Int>, _ keys: borrowing SecretMemory
  ) throws(KeyScheduleError) {
    var room = keys.bytes.mutableSpan
    try SimpleKeySchedule.deriveMatchingKeys(
      from: secret.bytes.span, first: days.lowerBound, last: days.upperBound, into: &room)
  }

  /// Calls `body` with the period, 0…239, and the 16 bytes of each identifier of a day, the first eight bytes
  /// in the first number, most significant first.
  public func forEach(day: Int, _ body: (Int, UInt64, UInt64) -> Void) {
    guard days.contains(day) else { return }
    var key: [32 of UInt8] = .init(repeating: 0)
    let start = (day - days.lowerBound) * SimpleKeySchedule.matchingKeySize
    for index in 0..<32 { key[index] = keys.bytes[start + index] }
    var room = identifiers.bytes.mutableSpan
    guard SimpleKeySchedule.contactIdentifiers(matchingKey: &key, into: &room) else { return }
    for period in 0..<SimpleKeySchedule.periodsPerDay {
      body(period, number(period * 16), number(period * 16 + 8))
    }
  }

  private func number(_ start: Int) -> UInt64 {
    identifiers.bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
