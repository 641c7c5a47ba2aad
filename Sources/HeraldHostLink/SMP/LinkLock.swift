import Foundation

/// A recursive lock on a link, which only one thread uses at a time.
///
/// A thread that ends the session claims the link permanently: other threads then block until the process
/// ends.
final class LinkLock: @unchecked Sendable {
  private let condition = MonotonicCondition()
  private var owner: pthread_t?
  private var depth = 0
  private var isClaimed = false

  /// Acquires the link; blocks while another thread holds it.
  func take() {
    condition.lock()
    defer { condition.unlock() }
    let thread = pthread_self()
    while owner != thread, owner != nil || isClaimed { condition.wait() }
    owner = thread
    depth += 1
  }

  /// Releases the link.
  func give() {
    condition.lock()
    defer { condition.unlock() }
    depth -= 1
    guard depth == 0 else { return }
    owner = nil
    condition.broadcast()
  }

  /// Releases the link to a thread that claims it, unless this thread has acquired it more than once, as when
  /// it opens a session.
  func giveWay() {
    condition.lock()
    let isWanted = isClaimed && depth == 1
    condition.unlock()
    guard isWanted else { return }
    give()
    take()
  }

  /// Acquires the link permanently as soon as its holder releases it or gives way; `false` if that takes
  /// longer than `timeout`.
  func claim(within timeout: TimeInterval) -> Bool {
    let limit = Deadline.after(.milliseconds(Int64(timeout * 1000)))
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
