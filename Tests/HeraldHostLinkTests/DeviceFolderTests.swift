import Testing

@testable import HeraldHostLink

/// What a device calls itself must not lead out of the folder that a person named.
@Suite("Folders of devices")
struct DeviceFolderTests {
  @Test(
    "A serial number is a folder's name, and leads nowhere else",
    arguments: [
      ("5356dee2c5b85838", "5356dee2c5b85838"), ("AB-12_c.3", "AB-12_c.3"), ("..", "%2e."), (".", "%2e"),
      (".hidden", "%2ehidden"), ("../../etc/passwd", "%2e.%2f..%2fetc%2fpasswd"), ("/root", "%2froot"),
      ("a\u{0}b", "a%00b"), ("a\nb\u{1B}[2J", "a%0ab%1b%5b2J"), ("é", "%c3%a9"), ("a%2fb", "a%252fb"),
      ("C:\\x", "C%3a%5cx"), (" ", "%20"), ("-rf", "-rf"), ("~", "%7e"),
    ])
  func names(serial: String, name: String) {
    #expect(DeviceFolder.name(serial: serial, location: "usb:1-1") == name)
  }

  @Test("A device without a serial number is known by where it is connected")
  func location() {
    #expect(DeviceFolder.name(serial: "", location: "serial:/dev/ttyACM0") == "serial%3a%2fdev%2fttyACM0")
    #expect(DeviceFolder.name(serial: "", location: "") == "%")
  }

  @Test("Long names stay different, and short enough for any file system")
  func long() {
    let first = DeviceFolder.name(serial: String(repeating: "/", count: 5000) + "1", location: "")
    let second = DeviceFolder.name(serial: String(repeating: "/", count: 5000) + "2", location: "")
    #expect(first != second && first.utf8.count == 100 && second.utf8.count == 100)
    #expect(first.allSatisfy { $0.isASCII && $0 != "/" } && first.hasPrefix("%2f%2f"))
    #expect(DeviceFolder.name(serial: String(repeating: "a", count: 100), location: "").utf8.count == 100)
  }
}
