import Glibc

/// An open file, socket or device of this process, closed when the value is destroyed.
package struct FileDescriptor: ~Copyable {
  /// The descriptor's number; -1 if there is none.
  package let number: Int32
  /// Sockets are written with `send`, which alone can suppress the SIGPIPE caused by a peer that has closed
  /// its end.
  private let isSocket: Bool

  /// Takes ownership of an open descriptor.
  package init(_ number: Int32) {
    self.number = number
    var state = stat()
    isSocket = number >= 0 && fstat(number, &state) == 0 && state.st_mode & S_IFMT == S_IFSOCK
  }

  /// The value without a descriptor.
  package static var none: FileDescriptor { FileDescriptor(-1) }
  /// Whether there is a descriptor.
  package var isOpen: Bool { number >= 0 }

  deinit { if number >= 0 { close(number) } }

  /// Makes reads and writes non-blocking.
  package func makeNonBlocking() {
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
  }

  /// The bytes of a file or of a pipe, at most `limit`.
  /// - Throws: `SystemFailure` if it cannot be read, or has more bytes.
  package static func contents(of path: String, atMost limit: Int) throws(SystemFailure) -> [UInt8] {
    let file = FileDescriptor(open(path, O_RDONLY | O_CLOEXEC))
    guard file.isOpen else { throw SystemFailure("read", path, code: errno) }
    // One byte more, so that a file that is too large is found.
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count < bytes.count {
      let more = bytes[count...].withUnsafeMutableBytes { Glibc.read(file.number, $0.baseAddress, $0.count) }
      if more == 0 { break }
      if more < 0, errno != EINTR { throw SystemFailure("read", path, code: errno) }
      count += max(0, more)
    }
    guard count <= limit else {
      throw SystemFailure("use", path, reason: "it has more than \(limit) bytes")
    }
    return Array(bytes[..<count])
  }

  /// Reads available bytes. Returns their number; 0 if there are none; -1 at the end of the file or on an
  /// error.
  package func read(into buffer: inout MutableSpan<UInt8>) -> Int {
    guard !buffer.isEmpty else { return 0 }
    let number = number
    while true {
      let count = buffer.withUnsafeMutableBufferPointer { Glibc.read(number, $0.baseAddress, $0.count) }
      if count > 0 { return count }
      if count == 0 { return -1 }
      if errno == EINTR { continue }
      return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1
    }
  }

  /// Writes as many bytes as are accepted without blocking. Returns their number, possibly 0; -1 on an error.
  package func write(_ bytes: Span<UInt8>) -> Int {
    guard !bytes.isEmpty else { return 0 }
    let (number, isSocket) = (number, isSocket)
    while true {
      let count = bytes.withUnsafeBufferPointer {
        isSocket
          ? send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          : Glibc.write(number, $0.baseAddress, $0.count)
      }
      if count >= 0 { return count }
      if errno == EINTR { continue }
      return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1
    }
  }
}
