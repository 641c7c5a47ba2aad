import Glibc
import Testing

@testable import HeraldLinux

@Suite("The host of a controller")
struct HostListenerTests {
  @Test("The place is tcp:PORT")
  func place() throws {
    #expect(try HostAddress("tcp:6402").port == 6402)
    #expect(try HostAddress("tcp:0").description == "tcp:0")
  }

  @Test(
    "Other words are refused",
    arguments: ["", "tcp", "tcp:", "tcp:65536", "tcp:-1", "tcp:host:1", "unix:a", "pty"])
  func refused(text: String) {
    #expect(throws: SystemFailure.self) { try HostAddress(text) }
  }

  /// A connected socket, as the host has it.
  private func connect(to place: String) throws -> FileDescriptor {
    let port = try #require(place.split(separator: ":").last.flatMap { UInt16($0) })
    let number = try StreamSocket.startConnecting(to: StreamSocket.resolve(host: "127.0.0.1", port: port))
      .get()
    return FileDescriptor(number)
  }

  @Test("Bytes go both ways; the end of the connection is noticed")
  func stream() throws {
    let listener = try HostListener(HostAddress("tcp:0"))
    let host = try connect(to: listener.location)
    let stream = try listener.accept()
    let (nothing, sent) = (stream.read(within: 0), host.write([1, 2, 3].span))
    #expect(nothing == [] && sent == 3)
    let (received, isWritten) = (stream.read(within: 1000), stream.write([4, 5]))
    #expect(received == [1, 2, 3] && isWritten)
    var buffer = [UInt8](repeating: 0, count: 8)
    var span = buffer.mutableSpan
    var state = pollfd(fd: host.number, events: Int16(POLLIN), revents: 0)
    poll(&state, 1, 1000)
    let count = host.read(into: &span)
    #expect(count == 2 && buffer[0] == 4 && buffer[1] == 5)
    shutdown(host.number, Int32(SHUT_RDWR))
    let end = stream.read(within: 1000)
    #expect(end == nil)
  }

  @Test("A port in use is refused with advice")
  func inUse() throws {
    let listener = try HostListener(HostAddress("tcp:0"))
    let port = try #require(listener.location.split(separator: ":").last)
    do {
      _ = try HostListener(HostAddress("tcp:\(port)"))
      Issue.record("two listeners on one port")
    } catch { #expect(error.advice.contains("0 for any")) }
  }
}
