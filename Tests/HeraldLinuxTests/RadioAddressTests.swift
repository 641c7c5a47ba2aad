import Testing

@testable import HeraldLinux

@Suite("Radio addresses")
struct RadioAddressTests {
  @Test(
    "are read and written",
    arguments: [
      ("tcp:127.0.0.1:9700", RadioAddress.tcp(host: "127.0.0.1", port: 9700)),
      ("tcp:[::1]:1", .tcp(host: "::1", port: 1)),
      ("tcp:controller.example:65535", .tcp(host: "controller.example", port: 65535)),
      ("unix:/tmp/bt-server-le", .unix(path: "/tmp/bt-server-le")),
      ("h4:/dev/ttyACM0,1000000", .serial(path: "/dev/ttyACM0", baud: 1_000_000, flowControl: true)),
      ("h4:/dev/ttyUSB1,115200,noflow", .serial(path: "/dev/ttyUSB1", baud: 115_200, flowControl: false)),
      ("hci:0", .userChannel(adapter: 0)),
      ("air:run1:2", .air(PhyAddress(simulation: "run1", device: 2))),
    ])
  func roundTrip(text: String, address: RadioAddress) throws {
    #expect(try RadioAddress(text) == address)
    #expect(address.description == text)
  }

  @Test("have a speed and flow control unless told otherwise")
  func defaults() throws {
    #expect(
      try RadioAddress("h4:/dev/ttyACM0")
        == .serial(path: "/dev/ttyACM0", baud: 1_000_000, flowControl: true))
  }

  @Test(
    "that make no sense are refused with the forms there are",
    arguments: [
      "", "tcp", "tcp:", "tcp:host", "tcp:host:", "tcp:host:0", "tcp:host:65536", "tcp::1", "unix:", "h4:",
      "h4:/dev/tty,12345", "h4:/dev/tty,fast", "hci:", "hci:x", "hci:-1", "hci:65535", "usb:1", ":",
      "air", "air:", "air:run1", "air:run1:x", "air::0", "air:a/b:0",
    ])
  func refused(text: String) {
    do {
      _ = try RadioAddress(text)
      Issue.record("'\(text)' was taken")
    } catch {
      #expect(error.description.contains("hci:N and air:SIMULATION:N"))
      #expect(error.description.hasPrefix("cannot use '\(text)' as a radio: "))
    }
  }

  @Test("hold no path a socket address has no room for")
  func longPath() {
    #expect(throws: SystemFailure.self) { try RadioAddress("unix:/" + String(repeating: "a", count: 107)) }
    #expect(throws: Never.self) { try RadioAddress("unix:/" + String(repeating: "a", count: 106)) }
  }

  @Test("a controller that is silent: what to check, with the speed and flow control in use")
  func whatToCheck() throws {
    let line = try RadioAddress("h4:/dev/ttyS0,115200,noflow").whatToCheck
    #expect(line.contains("H4") && line.contains("115200 baud") && line.contains("without flow control"))
    #expect(try RadioAddress("h4:/dev/ttyS0").whatToCheck.contains("with flow control"))
    #expect(try RadioAddress("tcp:localhost:1").whatToCheck.contains("H4"))
    #expect(try RadioAddress("hci:0").whatToCheck.contains("dmesg"))
  }
}
