import Glibc

/// Lines of a descriptor that the process does not own, such as standard input, of any length.
///
/// Reading never waits, and takes at most 4096 bytes at a time, so that continuous input does not block other
/// work. The descriptor stays as it is and stays open: others may share it.
public struct LineInput: ~Copyable {
  /// What came in.
  public enum Line: Equatable, Sendable {
    /// A line without its end.
    case text([UInt8])
    /// A line of more than `LineInput.longestLine` bytes, whose bytes are gone.
    case tooLong
  }

  /// The most bytes a line may have.
  public static var longestLine: Int { 2048 }

  private let descriptor: Int32
  private var pending: [UInt8] = []
  private var isTooLong = false
  /// Whether more may come.
  public private(set) var isOpen = true
  /// How many lines have come in.
  public private(set) var lineCount = 0

  /// Lines from `descriptor`.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
    // Reading from a terminal would stop a process that is not in its foreground.
    signal(SIGTTIN, SIG_IGN)
  }

  /// Waits for lines, if any may come now. A terminal is left alone while another process has its foreground.
  public func prepare(_ polls: inout PollSet) {
    if isOpen, isOurs { polls.add(descriptor) }
  }

  private var isOurs: Bool {
    let foreground = tcgetpgrp(descriptor)
    return foreground < 0 || foreground == getpgrp()
  }

  /// Takes in what is there and gives `take` every line that is complete. At the end of the input also what
  /// came after the last line's end.
  public mutating func read(_ take: (Line) -> Void) {
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
