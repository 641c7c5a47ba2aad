import Glibc
import HeraldDeviceLink
import HeraldHAL
import HeraldLinux
import Testing

@Suite("USB/IP over TCP")
struct USBIPSocketTests {
  @Test("serves a client on a port of its own, and waits for what that needs")
  func socket() throws {
    var usb = try USBIPDevice(port: 0, serialNumber: "0123456789AB")
    var device = TestDevice()
    let number = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let client = FileDescriptor(number)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = usb.port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let outcome = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(outcome == 0)
    client.makeNonBlocking()
    let request = hex("0111 8005 00000000")
    let sent = client.write(request.span)
    #expect(sent == request.count)
    var reply: [UInt8] = []
    var polls = PollSet()
    for _ in 0..<100 where reply.count < 336 {
      polls.removeAll()
      usb.prepare(&polls)
      polls.add(number)
      polls.wait(until: Instant(milliseconds: 100), from: .start)
      usb.serve(at: .start, device: &device)
      var chunk = [UInt8](repeating: 0, count: 1024)
      var room = chunk.mutableSpan
      let count = client.read(into: &room)
      reply += chunk[..<max(0, count)]
    }
    #expect(reply.count == 336)
    #expect(Array(reply.prefix(12)) == hex("0111 0005 00000000 00000001"))
  }

  @Test("says that its port is taken")
  func taken() throws {
    let first = try USBIPDevice(port: 0, serialNumber: "1")
    let port = first.port
    #expect(throws: SystemFailure.self) { _ = try USBIPDevice(port: port, serialNumber: "2").port }
    check(first.port == port)
  }
}
