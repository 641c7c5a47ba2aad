import Foundation

/// Lets one thread at a time use a link. A thread may take it several times, and gives it back as often.
///
/// A thread that is to end the session claims the link for good: whoever wants it after that waits until the
/// process has ended.
final class LinkLock: @unchecked Sendable {
  private let condition = NSCondition()
  private var owner: pthread_t?
  private var depth = 0
  private var isClaimed = false

  /// Waits for the link.
  func take() {
    condition.lock()
    defer { condition.unlock() }
    let thread = pthread_self()
    while owner != thread, owner != nil || isClaimed { condition.wait() }
    owner = thread
    depth += 1
  }

  /// Gives it back.
  func give() {
    condition.lock()
    defer { condition.unlock() }
    depth -= 1
    guard depth == 0 else { return }
    owner = nil
    condition.broadcast()
  }

  /// Gives the link to a thread that claims it, unless this one has it more than once: then it is in the
  /// middle of opening a session.
  func giveWay() {
    condition.lock()
    let isWanted = isClaimed && depth == 1
    condition.unlock()
    guard isWanted else { return }
    give()
    take()
  }

  /// Takes the link for good as soon as who has it gives it back or gives way; `false` if that takes longer
  /// than `timeout`.
  func claim(within timeout: TimeInterval) -> Bool {
    let limit = Date(timeIntervalSinceNow: timeout)
    condition.lock()
    defer { condition.unlock() }
    isClaimed = true
    while owner != nil {
      guard condition.wait(until: limit) else { break }
    }
    guard owner == nil else { return false }
    owner = pthread_self()
    depth = 1
    return true
  }
}
