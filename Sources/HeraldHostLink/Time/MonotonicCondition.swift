import Foundation

/// A lock with a condition whose waits end by the monotonic clock: a step of this computer's date does not
/// shorten or prolong them, as it does with `NSCondition`.
public final class MonotonicCondition: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  /// A condition for which nobody waits.
  public init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Acquires the lock.
  public func lock() { pthread_mutex_lock(mutex) }

  /// Releases the lock.
  public func unlock() { pthread_mutex_unlock(mutex) }

  /// Calls `work` with the lock.
  public func withLock<Result>(_ work: () throws -> Result) rethrows -> Result {
    lock()
    defer { unlock() }
    return try work()
  }

  /// Waits, with the lock, for `broadcast`.
  public func wait() { pthread_cond_wait(condition, mutex) }

  /// Waits, with the lock, for `broadcast`, at most until `deadline`; `false` if it has passed.
  public func wait(until deadline: Deadline) -> Bool {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let milliseconds = Int(deadline.remainingMilliseconds)
    var end = timespec(
      tv_sec: now.tv_sec + milliseconds / 1000, tv_nsec: now.tv_nsec + milliseconds % 1000 * 1_000_000)
    if end.tv_nsec >= 1_000_000_000 {
      end.tv_sec += 1
      end.tv_nsec -= 1_000_000_000
    }
    return pthread_cond_timedwait(condition, mutex, &end) != ETIMEDOUT
  }

  /// Ends all waits.
  public func broadcast() { pthread_cond_broadcast(condition) }
}
