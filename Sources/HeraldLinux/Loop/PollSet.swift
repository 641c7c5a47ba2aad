import Glibc
import HeraldHAL

/// The descriptors an event loop waits for, gathered anew before each wait. Allocates once, when it is made.
public struct PollSet: ~Copyable {
  private static let capacity = 32
  private let entries = UnsafeMutablePointer<pollfd>.allocate(capacity: capacity)
  private var count = 0

  /// An empty set.
  public init() {}

  deinit { entries.deallocate() }

  /// Whether nothing is waited for.
  public var isEmpty: Bool { count == 0 }

  /// Empties the set.
  public mutating func removeAll() { count = 0 }

  /// Waits for `descriptor` to have something to read, unless that is not wanted, and with `write` for it to
  /// take bytes. Does nothing for -1, or when there are 32 already: what is not waited for is still served
  /// when something else wakes the loop.
  public mutating func add(_ descriptor: Int32, read: Bool = true, write: Bool = false) {
    guard descriptor >= 0, count < Self.capacity else { return }
    let events = (read ? POLLIN : 0) | (write ? POLLOUT : 0)
    entries[count] = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    count += 1
  }

  /// Waits until something happens, or until `deadline`. A signal ends the wait, too.
  public mutating func wait(until deadline: Instant, from now: Instant) {
    let milliseconds = deadline == .never ? -1 : Int32(min(deadline.since(now).milliseconds, 3_600_000))
    _ = poll(entries, nfds_t(count), milliseconds)
  }
}
