import Glibc

/// What the process tells the program that started it: a line on standard output, at once.
enum Announcement {
  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    // Nobody may be listening; that is no reason to stop.
    _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
  }
}
