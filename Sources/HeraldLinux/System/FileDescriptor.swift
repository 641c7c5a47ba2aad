import Glibc

/// An open file, socket or device of this process, closed when its owner goes.
public struct FileDescriptor: ~Copyable {
  /// The system's number for it; -1 for none.
  public let number: Int32
  /// A peer that closed its socket would end the process with SIGPIPE, which only `send` can prevent.
  private let isSocket: Bool

  /// Takes over an open descriptor.
  public init(_ number: Int32) {
    self.number = number
    var state = stat()
    isSocket = number >= 0 && fstat(number, &state) == 0 && state.st_mode & S_IFMT == S_IFSOCK
  }

  /// The value -1, which is no open descriptor.
  public static var none: FileDescriptor { FileDescriptor(-1) }
  /// Whether there is a file behind it.
  public var isOpen: Bool { number >= 0 }

  deinit { if number >= 0 { close(number) } }

  /// Makes reads and writes return at once when they would wait.
  public func makeNonBlocking() {
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
  }

  /// Reads what is there. Bytes read; 0 if there is nothing now; -1 at the end, or when the line is broken.
  public func read(into buffer: inout MutableSpan<UInt8>) -> Int {
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

  /// Writes as many bytes as are taken at once: 0 if none are taken now, -1 when the line is broken.
  public func write(_ bytes: Span<UInt8>) -> Int {
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
