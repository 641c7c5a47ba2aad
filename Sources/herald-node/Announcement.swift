import HeraldConsole

/// Lines for the parent process, on standard output, unbuffered.
enum Announcement {
  /// Writes a line. The node does not wait for a reader: a line is left out while the pipe is full, and after
  /// output has failed, which is said once.
  static func say(_ line: String) {
    let hadFailed = Console.complaint != nil
    Console.line(line, patience: 0)
    if !hadFailed, let complaint = Console.complaint {
      Console.note("herald-node: \(complaint); the node goes on recording", patience: 0)
    }
  }
}
