import Glibc

/// Lines of any length from a descriptor that is not owned by the process, such as standard input.
///
/// Reading does not block and processes at most 4096 bytes at a time, so that continuous input does not delay
/// other work. The flags of the descriptor are not changed and it is not closed, as other processes may share
/// it.
package struct LineInput: ~Copyable {
  /// A line of input.
  package enum Line: Equatable, Sendable {
    /// A line without its line terminator.
    case text([UInt8])
    /// A line of more than `LineInput.longestLine` bytes, which was discarded.
    case tooLong
  }

  /// The maximum length of a line in bytes.
  package static var longestLine: Int { 2048 }

  private let descriptor: Int32
  private var pending: [UInt8] = []
  private var isTooLong = false
  /// Whether the end of the input has not been reached.
  package private(set) var isOpen = true
  /// The number of lines read.
  package private(set) var lineCount = 0

  /// Reads lines from `descriptor`.
  package init(descriptor: Int32) {
    self.descriptor = descriptor
    // Reading from a terminal would stop a process that is not in its foreground.
    signal(SIGTTIN, SIG_IGN)
  }

  /// Adds the descriptor to `polls` while input is open. A terminal is not read while another process is in
  /// its foreground.
  package func prepare(_ polls: inout PollSet) {
    if isOpen, isOurs { polls.add(descriptor) }
  }

  private var isOurs: Bool {
    let foreground = tcgetpgrp(descriptor)
    return foreground < 0 || foreground == getpgrp()
  }

  /// Reads available bytes and calls `take` for each complete line, and at the end of the input for an
  /// unterminated last line.
  package mutating func read(_ take: (Line) -> Void) {
    guard isOpen, isOurs else { return }
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&state, 1, 0) > 0 else { return }
    var buffer: [4096 of UInt8] = .init(repeating: 0)
    var bytes = buffer.mutableSpan
    let count = bytes.withUnsafeMutableBufferPointer { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else {
      isOpen = false
      if !pending.isEmpty || isTooLong { end(take) }
      return
    }
    for index in 0..<count { self.take(bytes[index], take) }
  }

  private mutating func take(_ byte: UInt8, _ take: (Line) -> Void) {
    if byte == UInt8(ascii: "\n") {
      end(take)
    } else if pending.count < Self.longestLine {
      pending.append(byte)
    } else {
      isTooLong = true
    }
  }

  private mutating func end(_ take: (Line) -> Void) {
    lineCount += 1
    take(isTooLong ? .tooLong : .text(pending))
    pending.removeAll(keepingCapacity: true)
    isTooLong = false
  }
}
