import Glibc
import HeraldHAL

/// The descriptors that an event loop waits for, collected anew before each wait. Memory is allocated only at
/// creation.
package struct PollSet: ~Copyable {
  private static let capacity = 32
  private let entries = UnsafeMutablePointer<pollfd>.allocate(capacity: capacity)
  private var count = 0

  /// An empty set.
  package init() {}

  deinit { entries.deallocate() }

  /// Whether the set is empty.
  package var isEmpty: Bool { count == 0 }

  /// Empties the set.
  package mutating func removeAll() { count = 0 }

  /// Adds `descriptor`, to wait until it is readable if `read`, and writable if `write`. No effect for -1, or
  /// when the set has 32 descriptors: one that is omitted is still served when another one ends the wait.
  package mutating func add(_ descriptor: Int32, read: Bool = true, write: Bool = false) {
    guard descriptor >= 0, count < Self.capacity else { return }
    let events = (read ? POLLIN : 0) | (write ? POLLOUT : 0)
    entries[count] = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    count += 1
  }

  /// Waits until a descriptor is ready, a signal arrives, or `deadline`.
  package mutating func wait(until deadline: Instant, from now: Instant) {
    let milliseconds = deadline == .never ? -1 : Int32(min(deadline.since(now).milliseconds, 3_600_000))
    _ = poll(entries, nfds_t(count), milliseconds)
  }
}
