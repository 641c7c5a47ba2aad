import Glibc

/// Stream sockets by host and port, or by path.
enum StreamSocket {
  /// A resolved socket address of any family, so that reconnecting requires no name resolution.
  struct Address: Sendable {
    var storage = sockaddr_storage()
    var length: socklen_t = 0
    var family: Int32 { Int32(storage.ss_family) }

    func with<T>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> T) -> T {
      withUnsafePointer(to: storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
      }
    }
  }

  /// Resolves a host and port.
  static func resolve(host: String, port: UInt16, passive: Bool = false) throws(SystemFailure) -> Address {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    if passive { hints.ai_flags = AI_PASSIVE }
    var list: UnsafeMutablePointer<addrinfo>?
    let outcome = getaddrinfo(host, String(port), &hints, &list)
    guard outcome == 0, let first = list else {
      throw SystemFailure("find", host, reason: String(cString: gai_strerror(outcome)))
    }
    var address = Address()
    address.length = first.pointee.ai_addrlen
    memcpy(&address.storage, first.pointee.ai_addr, Int(address.length))
    freeaddrinfo(list)
    return address
  }

  /// The address of a path.
  static func unix(_ path: String) -> Address {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { target in
      for (index, byte) in path.utf8.prefix(target.count - 1).enumerated() { target[index] = byte }
    }
    var address = Address()
    address.length = socklen_t(MemoryLayout<sockaddr_un>.size)
    memcpy(&address.storage, &name, MemoryLayout<sockaddr_un>.size)
    return address
  }

  /// Starts to connect without blocking. Returns the socket, or the system's error number.
  static func startConnecting(to address: Address) -> Result<Int32, Outcome> {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let number = socket(address.family, type, 0)
    guard number >= 0 else { return .failure(Outcome(code: errno)) }
    var on: Int32 = 1
    setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    let outcome = address.with { connect(number, $0, $1) }
    guard outcome == 0 || errno == EINPROGRESS else {
      let code = errno
      close(number)
      return .failure(Outcome(code: code))
    }
    return .success(number)
  }

  /// The state of connecting: 0 if connected, `EINPROGRESS` if pending, else the system's error number.
  static func connectOutcome(_ number: Int32) -> Int32 {
    var state = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
    guard poll(&state, 1, 0) > 0 else { return EINPROGRESS }
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
    return code
  }

  /// Opens a listening socket; `name` is used in errors.
  static func listen(on address: Address, called name: String) throws(SystemFailure) -> FileDescriptor {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let file = FileDescriptor(socket(address.family, type, 0))
    guard file.isOpen else { throw SystemFailure("open a socket for", name, code: errno) }
    let number = file.number
    var on: Int32 = 1
    setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard address.with({ bind(number, $0, $1) }) == 0, Glibc.listen(number, 4) == 0 else {
      throw SystemFailure(
        "listen on", name, code: errno,
        advice: errno == EADDRINUSE
          ? "another program has this port: name another, or 0 for any free one" : "")
    }
    return file
  }

  /// The local port of a socket.
  static func port(of number: Int32) -> UInt16 {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let outcome = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &length) }
    }
    guard outcome == 0 else { return 0 }
    // The port has the same offset, in network byte order, for IPv4 and IPv6.
    return withUnsafeBytes(of: address) { UInt16($0[2]) << 8 | UInt16($0[3]) }
  }

  /// A system error number as an `Error`.
  struct Outcome: Error { let code: Int32 }
}
