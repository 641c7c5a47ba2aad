import Glibc

/// Waits for the one host of a controller in this process.
package struct HostListener: ~Copyable {
  private let socket: FileDescriptor
  /// Where the host connects: `HOST:PORT`.
  package let location: String

  /// Opens the port, on the loopback interface.
  package init(_ address: HostAddress) throws(SystemFailure) {
    let any = try StreamSocket.resolve(host: "127.0.0.1", port: address.port)
    socket = try StreamSocket.listen(on: any, called: "port \(address.port)")
    location = "127.0.0.1:\(StreamSocket.port(of: socket.number))"
  }

  /// Blocks until a host has connected. No other host is accepted afterwards.
  package consuming func accept() throws(SystemFailure) -> HostStream {
    while true {
      var state = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
      _ = poll(&state, 1, -1)
      let number = Glibc.accept(socket.number, nil, nil)
      if number >= 0 { return HostStream(FileDescriptor(number)) }
      guard errno == EAGAIN || errno == EINTR || errno == ECONNABORTED else {
        throw SystemFailure("accept a host on", location, code: errno)
      }
    }
  }
}

/// The H4 byte stream from and to the host of a controller in this process.
package struct HostStream: ~Copyable {
  private let file: FileDescriptor

  init(_ file: consuming FileDescriptor) {
    file.makeNonBlocking()
    let number = file.number
    self.file = file
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    var on: Int32 = 1
    setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Reads what the host has sent; waits for it for at most this number of milliseconds of real time. Empty
  /// if it has sent nothing; `nil` when it has disconnected.
  package func read(within milliseconds: Int32) -> [UInt8]? {
    var state = pollfd(fd: file.number, events: Int16(POLLIN), revents: 0)
    guard poll(&state, 1, milliseconds) > 0 else { return [] }
    var buffer = [UInt8](repeating: 0, count: 1024)
    var span = buffer.mutableSpan
    let count = file.read(into: &span)
    return count < 0 ? nil : Array(buffer[..<count])
  }

  /// Writes all bytes; waits for as long as the host does not accept them. `false` when it has disconnected.
  package func write(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = file.write(bytes.span.extracting(sent...))
      guard count >= 0 else { return false }
      sent += count
      guard count == 0 else { continue }
      var state = pollfd(fd: file.number, events: Int16(POLLOUT), revents: 0)
      _ = poll(&state, 1, -1)
    }
    return true
  }
}
