import Foundation

/// Helpers for system calls.
enum SystemCall {
  /// The system's text for an `errno` value.
  static func text(of code: Int32) -> String { String(cString: strerror(code)) }

  /// Repeats `call` while a signal interrupts it.
  static func retrying(_ call: () -> Int) -> Int {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  /// Writes all of `bytes` to an open file; `path` is used in the error.
  static func writeAll(
    _ bytes: [UInt8], to descriptor: Int32, at path: String
  ) throws(HostLinkError) {
    var written = 0
    while written < bytes.count {
      let count = retrying {
        bytes.withUnsafeBytes {
          Foundation.write(descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written)
        }
      }
      guard count > 0 else {
        throw .system(
          .storage, "\(path) cannot be written", code: errno,
          advice: errno == EPIPE
            ? "the program that reads it has ended" : "check the disk; what is there is kept")
      }
      written += count
    }
  }
}

/// A deadline on the monotonic clock.
public struct Deadline: Sendable, Comparable {
  private let instant: ContinuousClock.Instant

  /// The time `duration` from now.
  public static func after(_ duration: Duration) -> Deadline {
    Deadline(instant: ContinuousClock.now.advanced(by: duration))
  }

  /// The remaining time; zero after the deadline.
  public var remaining: Duration { max(.zero, ContinuousClock.now.duration(to: instant)) }
  /// Whether the deadline has passed.
  public var hasPassed: Bool { ContinuousClock.now >= instant }

  /// The remaining time in milliseconds, rounded up so that a wait does not end before the deadline.
  var remainingMilliseconds: Int32 {
    let left = remaining.components
    let milliseconds = left.seconds * 1000 + (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(clamping: milliseconds)
  }

  /// Whether `left` is earlier than `right`.
  public static func < (left: Deadline, right: Deadline) -> Bool { left.instant < right.instant }
}
