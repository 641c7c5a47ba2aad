import Glibc

/// What the process tells the program that started it: a line on standard output, at once.
enum Announcement {
  static func say(_ line: String) {
    // Nobody may be listening, or listen for a while: that is no reason to stop, or to wait. A pipe that can
    // be written to takes as much as any line has.
    var state = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
    guard poll(&state, 1, 0) > 0 else { return }
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
  }
}
