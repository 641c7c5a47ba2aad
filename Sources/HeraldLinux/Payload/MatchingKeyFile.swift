import Foundation
import HeraldEmbedded

/// The keys of a simple payload, as a host hands them out: never the secret, only the days that are left.
///
/// A text file. `country`, `state`, `first-day` and, if it is not the phones', `epoch` (Unix seconds) each on a line with their
/// number; then the matching key of each day on a line of its own, 64 hexadecimal digits. `#` begins a comment.
struct MatchingKeyFile {
  private let path: String
  private(set) var country: UInt16 = 0
  private(set) var state: UInt16 = 0
  private(set) var epoch = KeyScheduleEpoch.phones
  private(set) var firstDay = -1
  private(set) var keys: [UInt8] = []

  init(_ path: String) throws(SystemFailure) {
    self.path = path
    guard access(path, R_OK) == 0 else {
      throw SystemFailure("read", path, code: errno, advice: "simple:FILE names a file with matching keys")
    }
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw SystemFailure("read", path, reason: "it is no text")
    }
    var number = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      number += 1
      let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
      guard !words.isEmpty else { continue }
      guard take(words) else { throw SystemFailure("use", path, reason: "line \(number) makes no sense") }
    }
    guard firstDay >= 0 else { throw SystemFailure("use", path, reason: "it has no line `first-day N`") }
  }

  /// The keys, ready for use.
  func makeStore() throws(SystemFailure) -> InlineMatchingKeys<90> {
    var store = InlineMatchingKeys<90>()
    do throws(KeyScheduleError) { try store.provide(firstDay: firstDay, keys: keys.span) } catch {
      throw SystemFailure("use", path, reason: Self.words(for: error))
    }
    return store
  }

  private mutating func take(_ words: [Substring]) -> Bool {
    switch (words[0], words.count) {
    case ("country", 2):
      guard let value = UInt16(words[1]) else { return false }
      country = value
    case ("state", 2):
      guard let value = UInt16(words[1]) else { return false }
      state = value
    case ("epoch", 2):
      guard let value = UInt64(words[1]) else { return false }
      epoch = KeyScheduleEpoch(unixSeconds: value)
    case ("first-day", 2):
      guard let value = UInt16(words[1]) else { return false }
      firstDay = Int(value)
    case (let digits, 1) where digits.utf8.count == 64:
      var rest = digits
      while !rest.isEmpty {
        guard let byte = UInt8(rest.prefix(2), radix: 16) else { return false }
        keys.append(byte)
        rest = rest.dropFirst(2)
      }
    default: return false
    }
    return true
  }

  /// Why keys were refused.
  private static func words(for error: KeyScheduleError) -> String {
    switch error {
    case .pastEnd: "its last day lies behind day 2000, where the schedule ends: a new epoch is needed"
    case .emptyWindow: "it has no keys"
    case .bufferTooSmall: "it has keys of more than 90 days"
    case .zeroKey: "one of its keys is all zeros"
    case .keyLength, .secretLength, .beforeEpoch: "its keys are not 32 bytes each"
    }
  }
}
