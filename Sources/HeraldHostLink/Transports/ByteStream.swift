import Foundation
import HeraldText

/// A connected socket or terminal line: an ordered byte stream with deadlines. It is non-blocking internally,
/// and used from one thread.
public final class ByteStream {
  private var descriptor: Int32
  private let isSocket: Bool
  /// The name of the peer, for messages.
  public let name: String

  /// Takes ownership of an open descriptor and makes it non-blocking.
  public init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
    var kind = stat()
    isSocket = fstat(descriptor, &kind) == 0 && kind.st_mode & S_IFMT == S_IFSOCK
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  deinit { close() }

  /// Closes the line. May be called more than once.
  public func close() {
    guard descriptor >= 0 else { return }
    _ = Foundation.close(descriptor)
    descriptor = -1
  }

  /// Waits until the line can be read or written; `false` if that does not happen before `deadline`.
  private func wait(for events: Int32, until deadline: Deadline) throws(HostLinkError) -> Bool {
    guard descriptor >= 0 else { throw HostLinkError(.link, "\(name) is closed") }
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
      let ready = poll(&entry, 1, deadline.remainingMilliseconds)
      if ready > 0 { return true }
      if ready == 0 { return false }
      if errno != EINTR { throw .system(.link, "waiting for \(name) failed", code: errno) }
    }
  }

  /// Writes all of `bytes`; throws `.link` if the line is closed or does not accept them before `deadline`.
  public func write(_ bytes: [UInt8], by deadline: Deadline) throws(HostLinkError) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        let start = buffer.baseAddress.map { $0 + sent }
        return isSocket
          ? send(descriptor, start, bytes.count - sent, Int32(MSG_NOSIGNAL))
          : Foundation.write(descriptor, start, bytes.count - sent)
      }
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        guard try wait(for: Int32(POLLOUT), until: deadline) else {
          throw HostLinkError(
            .link, "\(name) accepts no more bytes", advice: "check that the device is running, then try again"
          )
        }
      } else if errno != EINTR {
        throw .system(.link, "writing to \(name) failed", code: errno, advice: Self.reconnectAdvice)
      }
    }
  }

  /// Reads 1 to `limit` bytes, as soon as there are any; empty if none arrives before `deadline`. Throws
  /// `.link` if the other end has closed.
  public func read(upTo limit: Int, by deadline: Deadline) throws(HostLinkError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: limit)
    while true {
      guard try wait(for: Int32(POLLIN), until: deadline) else { return [] }
      let count = buffer.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, limit) }
      if count > 0 { return Array(buffer[..<count]) }
      // A terminal whose other end is closed reports EIO, a socket an end of file.
      if count == 0 || errno == EIO || errno == ECONNRESET {
        throw HostLinkError(.link, "\(name) was closed by the other side", advice: Self.reconnectAdvice)
      }
      if errno != EAGAIN && errno != EINTR {
        throw .system(.link, "reading from \(name) failed", code: errno, advice: Self.reconnectAdvice)
      }
    }
  }

  static let reconnectAdvice = "reconnect the device and run the command again"
}

extension ByteStream {
  /// Connects to `host` (a name or an address) over TCP. Throws `.link` if none of its addresses accepts
  /// before `deadline`.
  public static func connect(host: String, port: UInt16, by deadline: Deadline) throws(HostLinkError)
    -> ByteStream
  {
    let name = "\(PrintableText.of(host)):\(port)"
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let failure = getaddrinfo(host, String(port), &hints, &list)
    guard failure == 0 else {
      throw HostLinkError(
        .link, "there is no host \(PrintableText.of(host)) (\(String(cString: gai_strerror(failure))))",
        advice: "check the name in --device")
    }
    defer { freeaddrinfo(list) }
    var code: Int32 = ECONNREFUSED
    var entry = list
    while let candidate = entry {
      defer { entry = candidate.pointee.ai_next }
      let descriptor = socket(
        candidate.pointee.ai_family, candidate.pointee.ai_socktype, candidate.pointee.ai_protocol)
      guard descriptor >= 0 else {
        code = errno
        continue
      }
      let stream = ByteStream(descriptor: descriptor, name: name)
      if Foundation.connect(descriptor, candidate.pointee.ai_addr, candidate.pointee.ai_addrlen) != 0 {
        code = errno
        guard code == EINPROGRESS else { continue }
        guard try stream.wait(for: Int32(POLLOUT), until: deadline) else {
          code = ETIMEDOUT
          continue
        }
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        guard code == 0 else { continue }
      }
      var on: Int32 = 1
      setsockopt(
        descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      return stream
    }
    throw .system(
      .link, "no connection to \(name)", code: code,
      advice: "check that the device's program is running there and listening on that port")
  }

  /// Connects to the Unix stream socket at `path`.
  public static func connect(path: String) throws(HostLinkError) -> ByteStream {
    let name = PrintableText.of(path, limit: 256)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard path.utf8.count < room else {
      throw HostLinkError(
        .usage, "\(name) is too long for a socket's path", advice: "it has at most \(room - 1) bytes")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .system(.link, "no socket can be made", code: errno) }
    let outcome = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard outcome == 0 else {
      let code = errno
      Foundation.close(descriptor)
      throw .system(
        code == EACCES ? .permission : .link, "no connection to \(name)", code: code,
        advice: "check the path, and that the program listening there is running and belongs to you")
    }
    return ByteStream(descriptor: descriptor, name: name)
  }

  /// Opens a terminal line (tty or pty) in raw mode for exclusive use.
  public static func openTerminal(_ path: String, baud: speed_t = speed_t(B115200)) throws(HostLinkError)
    -> ByteStream
  {
    let name = PrintableText.of(path, limit: 256)
    let descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT, ENODEV, ENXIO:
        throw HostLinkError(
          .noDevice, "there is no serial line \(name)",
          advice: "plug the device in, or list lines with `ls /dev/tty*`")
      case EACCES, EPERM:
        throw HostLinkError(
          .permission, "no permission for \(name)",
          advice: "add yourself to the group that owns it (`ls -l \(name)`; often dialout) and log in again")
      case EBUSY: throw HostLinkError(.busy, "\(name) is in use by another program", advice: "close it there")
      default: throw .system(.link, "\(name) cannot be opened", code: errno)
      }
    }
    let stream = ByteStream(descriptor: descriptor, name: name)
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0 else {
      throw HostLinkError(
        .usage, "\(name) is not a serial line", advice: "name a tty, or a TCP stream as serial:tcp:HOST:PORT")
    }
    cfmakeraw(&settings)
    settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
    cfsetspeed(&settings, baud)
    guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else {
      throw .system(.link, "\(name) cannot be set to raw mode", code: errno)
    }
    return stream
  }
}
