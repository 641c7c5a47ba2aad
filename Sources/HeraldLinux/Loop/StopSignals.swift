import Glibc

/// Converts SIGTERM and SIGINT to a descriptor for an event loop: a pipe that becomes readable.
package struct StopSignals: ~Copyable {
  /// The end of the pipe that the signal handler writes to. A signal handler can access only global
  /// variables.
  nonisolated(unsafe) private static var writingEnd: Int32 = -1
  private let reading: FileDescriptor
  private let writing: FileDescriptor

  /// Installs the handlers of both signals. At most one instance per process.
  package init() throws(SystemFailure) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemFailure("open", "a pipe", code: errno) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    reading = FileDescriptor(ends[0])
    writing = FileDescriptor(ends[1])
    Self.writingEnd = ends[1]
    for number in [SIGTERM, SIGINT] {
      signal(number) { _ in
        let saved = errno
        var byte: UInt8 = 1
        _ = Glibc.write(StopSignals.writingEnd, &byte, 1)
        errno = saved
      }
    }
  }

  deinit {
    signal(SIGTERM, SIG_DFL)
    signal(SIGINT, SIG_DFL)
    Self.writingEnd = -1
  }

  /// The descriptor for `poll(2)`.
  package var descriptor: Int32 { reading.number }

  /// Whether one of the signals has been received.
  package var isRaised: Bool {
    var state = pollfd(fd: reading.number, events: Int16(POLLIN), revents: 0)
    return poll(&state, 1, 0) > 0
  }
}
