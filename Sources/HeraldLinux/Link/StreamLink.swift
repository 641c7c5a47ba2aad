import Glibc
import HeraldDeviceLink
import HeraldHAL

/// The device's management link over byte streams: a pseudo terminal in place of its serial port, or a TCP
/// port for up to four concurrent hosts. A fifth one takes the place of the one without a session whose last
/// request is the longest ago; if all have sessions, it waits.
package struct StreamLink: ~Copyable {
  private static let capacity = 4

  private let listener: FileDescriptor
  /// The far end of the pseudo terminal. It is kept open, as the near end would otherwise report a hang-up
  /// continuously while no host is connected.
  private let farEnd: FileDescriptor
  private let symbolicLink: String?
  private var sessions: [StreamSession] = []
  /// The address for hosts: the path of a terminal, or `HOST:PORT`.
  package let location: String

  /// Opens the link.
  package init(_ address: StreamLinkAddress) throws(SystemFailure) {
    switch address {
    case .tcp(let port):
      let any = try StreamSocket.resolve(host: "127.0.0.1", port: port)
      let socket = try StreamSocket.listen(on: any, called: "port \(port)")
      location = "127.0.0.1:\(StreamSocket.port(of: socket.number))"
      listener = socket
      farEnd = .none
      symbolicLink = nil
    case .pseudoTerminal(let path):
      let terminal = try PseudoTerminal.open()
      if let path { try PseudoTerminal.link(path, to: terminal.path) }
      listener = .none
      farEnd = FileDescriptor(terminal.far)
      symbolicLink = path
      location = path ?? terminal.path
      sessions = [StreamSession(FileDescriptor(terminal.near), at: .start)]
    }
    sessions.reserveCapacity(Self.capacity)
  }

  deinit { if let symbolicLink { unlink(symbolicLink) } }

  /// Adds the descriptors of the link to `polls`.
  package func prepare(_ polls: inout PollSet, at now: Instant) {
    // A host that waits for a free link would otherwise end each wait at once.
    if hasRoom(at: now) { polls.add(listener.number) }
    for session in sessions { polls.add(session.descriptor, write: session.wantsToWrite) }
  }

  /// Accepts new hosts and processes the requests of those connected, without blocking.
  package mutating func serve<Device: ManagedDevice & ~Copyable>(at now: Instant, device: inout Device) {
    while listener.isOpen, hasRoom(at: now) {
      let number = accept(listener.number, nil, nil)
      guard number >= 0 else { break }
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
      var on: Int32 = 1
      setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      if sessions.count == Self.capacity, let index = replaceable(at: now) { sessions.remove(at: index) }
      sessions.append(StreamSession(FileDescriptor(number), at: now))
    }
    var index = 0
    while index < sessions.count {
      if sessions[index].serve(at: now, device: &device) {
        index += 1
      } else {
        sessions.remove(at: index)
      }
    }
  }
}

extension StreamLink {
  private func hasRoom(at now: Instant) -> Bool {
    sessions.count < Self.capacity || replaceable(at: now) != nil
  }

  /// The host that is disconnected for another one.
  private func replaceable(at now: Instant) -> Int? {
    sessions.indices.filter { !sessions[$0].hasSession(at: now) }
      .min { sessions[$0].lastInput < sessions[$1].lastInput }
  }
}

/// Opens pseudo terminals in raw mode.
enum PseudoTerminal {
  /// The descriptors of both ends, and the path of the far end.
  struct Ends {
    let near: Int32
    let far: Int32
    let path: String
  }

  static func open() throws(SystemFailure) -> Ends {
    var near: Int32 = -1
    var far: Int32 = -1
    var settings = termios()
    cfmakeraw(&settings)
    settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
    settings.c_cc.6 = 1  // VMIN
    guard openpty(&near, &far, nil, &settings, nil) == 0 else {
      throw SystemFailure("open", "a pseudo terminal", code: errno, advice: "is /dev/pts mounted?")
    }
    var name = [CChar](repeating: 0, count: 64)
    ttyname_r(far, &name, name.count)
    let path = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    return Ends(near: near, far: far, path: path)
  }

  /// Creates a symbolic link from `path` to `terminal`. An existing symbolic link to a pseudo terminal, such
  /// as a killed process leaves, is replaced; any other file or link is an error.
  static func link(_ path: String, to terminal: String) throws(SystemFailure) {
    let folder = "/dev/pts/"
    var target = [UInt8](repeating: 0, count: folder.utf8.count)
    let count = target.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { readlink(path, $0, bytes.count) } ?? -1
    }
    if count == target.count, target.elementsEqual(folder.utf8) { unlink(path) }
    guard symlink(terminal, path) == 0 else { throw SystemFailure("make the link", path, code: errno) }
  }
}
