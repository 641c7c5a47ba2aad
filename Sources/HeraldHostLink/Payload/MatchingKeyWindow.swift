import Foundation
import HeraldEmbedded

/// The data with which a device offers the simple payload for a number of days: the matching key of each day,
/// the country and state, and the first day.
///
/// A key is valid for one day only, so that a stolen device discloses nothing about earlier days. The keys
/// are overwritten in memory at the end of the owner's lifetime.
public struct MatchingKeyWindow: ~Copyable {
  /// The maximum number of days that a device accepts.
  public static let mostDays = 90

  /// ISO 3166-1 numeric country code.
  public let country: UInt16
  /// The state within the country, 0 for all of it.
  public let state: UInt16
  /// The start of day 0.
  public let epoch: KeyScheduleEpoch
  /// The number of the first day, counted from the epoch.
  public let firstDay: Int
  /// The number of days: 1…90.
  public let dayCount: Int
  private let keys: SecretMemory
  /// The keys, 32 bytes each.
  var keyBytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(keys.bytes) }

  /// Derives the keys of `days` days, the first of which is the one that `unixSeconds` is in.
  /// - Throws: `.usage` if the window is invalid: no days or more than 90, days before the epoch or past the
  ///   end of the schedule.
  public init(
    of secret: borrowing SimpleSecret, country: UInt16, state: UInt16, from unixSeconds: UInt64, days: Int,
    epoch: KeyScheduleEpoch = .phones
  ) throws(HostLinkError) {
    guard (1...Self.mostDays).contains(days) else {
      throw HostLinkError(
        .usage, "\(days) days of keys", advice: "a device takes keys of 1 to \(Self.mostDays) days")
    }
    guard max(unixSeconds, epoch.unixSeconds) <= UTCTimestamp.latest / 1000 else {
      throw HostLinkError(.usage, "the date is too late")
    }
    let first = try Self.day(of: unixSeconds, in: epoch)
    let derived = try Self.keys(of: secret, days: days, from: first, epoch)
    (self.country, self.state, self.epoch, firstDay, dayCount) = (country, state, epoch, first, days)
    keys = derived
  }

  private static func day(of unixSeconds: UInt64, in epoch: KeyScheduleEpoch) throws(HostLinkError) -> Int {
    do throws(KeyScheduleError) { return try epoch.moment(at: unixSeconds).day } catch {
      throw refusal(error, from: unixSeconds, epoch)
    }
  }

  private static func keys(
    of secret: borrowing SimpleSecret, days: Int, from first: Int, _ epoch: KeyScheduleEpoch
  ) throws(HostLinkError) -> SecretMemory {
    let memory = SecretMemory(capacity: days * SimpleKeySchedule.matchingKeySize)
    do throws(KeyScheduleError) {
      try derive(secret.bytes, first, first + days - 1, into: memory.bytes)
    } catch {
      throw refusal(error, from: epoch.unixSeconds + UInt64(first) * 86_400, epoch)
    }
    return memory
  }

  private static func derive(
    _ secret: UnsafeBufferPointer<UInt8>, _ first: Int, _ last: Int,
    into keys: UnsafeMutableBufferPointer<UInt8>
  ) throws(KeyScheduleError) {
    var room = keys.mutableSpan
    try SimpleKeySchedule.deriveMatchingKeys(from: secret.span, first: first, last: last, into: &room)
  }

  /// The times of the start of the first day and of the end of the last, in seconds since
  /// 1970-01-01T00:00:00Z.
  public var unixSeconds: Range<UInt64> {
    let start = epoch.unixSeconds + UInt64(firstDay) * 86_400
    return start..<start + UInt64(dayCount) * 86_400
  }

  /// Writes the file that `herald-node --payload simple:KEYFILE` reads, accessible to its owner only.
  public func write(to path: String) throws(HostLinkError) {
    let size = SimpleKeySchedule.matchingKeySize
    var text = SecretMemory(capacity: 256 + dayCount * (2 * size + 1))
    text.append("country \(country)\nstate \(state)\n")
    if epoch != .phones { text.append("epoch \(epoch.unixSeconds)\n") }
    text.append("first-day \(firstDay)\n")
    for day in 0..<dayCount {
      for byte in keys.bytes[day * size..<(day + 1) * size] { text.append(hexadecimal: byte) }
      text.append("\n")
    }
    try PrivateFile.write(text.used, to: path, replacing: true)
  }

  /// Whether a file that begins so is such a file.
  public static func isFile(_ start: [UInt8]) -> Bool {
    let lines = start.prefix(256).split(separator: 0x0A)
    return lines.first?.starts(with: "country ".utf8) == true
      && lines.contains { $0.starts(with: "first-day ".utf8) }
  }

  private static func refusal(
    _ error: KeyScheduleError, from unixSeconds: UInt64, _ epoch: KeyScheduleEpoch
  ) -> HostLinkError {
    switch error {
    case .pastEnd:
      let end = epoch.unixSeconds + UInt64(SimpleKeySchedule.lastDay) * 86_400
      return HostLinkError(
        .usage, "the key schedule of the epoch \(date(epoch.unixSeconds)) ends with day 2000, \(date(end))",
        advice:
          "agree on a new epoch with the service that verifies the identifiers, and set it: --epoch \(date(unixSeconds))"
      )
    case .beforeEpoch:
      return HostLinkError(
        .usage, "\(date(unixSeconds)) lies before the epoch, \(date(epoch.unixSeconds))",
        advice: "take a later --from or an earlier --epoch")
    case .secretLength, .emptyWindow, .bufferTooSmall, .keyLength, .zeroKey:
      return HostLinkError(.usage, "no keys can be derived")
    }
  }

  private static func date(_ unixSeconds: UInt64) -> String {
    String(UTCTimestamp.text(min(unixSeconds, UTCTimestamp.latest / 1000) * 1000).prefix(10))
  }
}
