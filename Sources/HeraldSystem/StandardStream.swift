import Glibc
import Synchronization

/// Standard output or standard error of this process.
///
/// Writing does not trap, and no signal ends the process: the first failure of a stream is remembered, and
/// what follows on that stream is left out. A program asks for `failure` when it ends.
package enum StandardStream: Int32, CaseIterable, Sendable {
  /// Results.
  case output = 1
  /// Messages.
  case error = 2

  private static let failures = Mutex<[StandardStream: Int32]>([:])
  /// The streams whose reader did not read in time.
  private static let stalled = Mutex<Set<StandardStream>>([])

  /// Prepares all three streams. Programs call it before they open any file.
  ///
  /// A stream that was closed when the process started stays one that cannot be used, and does not leave its
  /// number to the next file that is opened.
  package static func prepare() {
    for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 {
      // `open` returns the lowest free number, which is `number`. Opened for reading, output fails (`EBADF`).
      _ = open("/dev/null", O_RDONLY)
    }
    // Unlike SIG_IGN, a handler does not pass on to the programs that this one starts.
    signal(SIGPIPE) { _ in }
  }

  /// The number of the error (`errno`) with which writing failed; `nil` if it has not.
  package var failure: Int32? { Self.failures.withLock { $0[self] } }

  /// Whether one of the two could not be written.
  package static var hasFailed: Bool { failures.withLock { !$0.isEmpty } }

  /// Writes all bytes. With `patience`, in milliseconds, they are left out, which is no failure, if a pipe is
  /// full and nobody reads it in this time; after that, until somebody reads, at once.
  package func write(_ bytes: UnsafeRawBufferPointer, patience: Int32? = nil) {
    guard failure == nil else { return }
    var state = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
    if let patience {
      let isStalled = Self.stalled.withLock { $0.contains(self) }
      guard poll(&state, 1, isStalled ? 0 : patience) != 0 else {
        Self.stalled.withLock { _ = $0.insert(self) }
        return
      }
      Self.stalled.withLock { _ = $0.remove(self) }
    }
    var done = 0
    while done < bytes.count {
      let count = Glibc.write(rawValue, bytes.baseAddress.map { $0 + done }, bytes.count - done)
      if count > 0 {
        done += count
        continue
      }
      let code = count < 0 ? errno : EIO
      if code == EINTR { continue }
      if code == EAGAIN, poll(&state, 1, -1) >= 0 || errno == EINTR { continue }
      fail(code)
      return
    }
  }

  /// Writes all bytes.
  package func write(_ bytes: [UInt8], patience: Int32? = nil) {
    bytes.withUnsafeBytes { write($0, patience: patience) }
  }

  /// Writes text.
  package func write(_ text: String, patience: Int32? = nil) { write(Array(text.utf8), patience: patience) }

  /// Closes the stream: some media report only then that they are full. Nothing can be written afterwards.
  package func close() {
    if Glibc.close(rawValue) != 0, errno != EBADF, errno != EINTR { fail(errno) }
  }

  private func fail(_ code: Int32) {
    Self.failures.withLock { if $0[self] == nil { $0[self] = code } }
  }

  /// What could not be written, and why; `nil` if everything was.
  package var complaint: (what: String, advice: String)? {
    guard let failure else { return nil }
    let name = self == .output ? "standard output" : "standard error"
    let reason = String(cString: strerror(failure))
    return switch failure {
    case EPIPE: ("\(name) cannot be written: \(reason)", "the program that reads it has ended")
    case EBADF: ("\(name) cannot be written: it is closed", "leave it open, or send it to /dev/null")
    case ENOSPC, EDQUOT:
      ("\(name) cannot be written: \(reason)", "free space where it goes to, then run the same command again")
    default: ("\(name) cannot be written: \(reason)", "check where it goes to")
    }
  }
}
