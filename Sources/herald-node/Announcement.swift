import Glibc

/// Lines for the parent process, on standard output, unbuffered.
enum Announcement {
  static func say(_ line: String) {
    // Output must not block the node: a line is omitted if the pipe is not writable or has no reader. A
    // writable pipe accepts at least one line.
    var state = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
    guard poll(&state, 1, 0) > 0 else { return }
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
  }
}
