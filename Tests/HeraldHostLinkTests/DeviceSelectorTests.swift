import Testing

@testable import HeraldHostLink

@Suite("Device selector")
struct DeviceSelectorTests {
  @Test("Every form of --device")
  func forms() throws {
    #expect(try DeviceSelector("usbip://box/1-1") == .usbip(host: "box", port: nil, busID: "1-1"))
    #expect(try DeviceSelector("usbip://box:99") == .usbip(host: "box", port: 99, busID: nil))
    #expect(try DeviceSelector("usbip://[::1]:99/1-1") == .usbip(host: "::1", port: 99, busID: "1-1"))
    #expect(try DeviceSelector("serial:/dev/ttyACM0") == .serial(path: "/dev/ttyACM0"))
    #expect(try DeviceSelector("/dev/pts/0") == .serial(path: "/dev/pts/0"))
    #expect(try DeviceSelector("serial:tcp:box:7") == .serialTCP(host: "box", port: 7))
    #expect(try DeviceSelector("usb:1-2.3") == .usb(path: "1-2.3"))
    #expect(try DeviceSelector("ble:0123") == .bluetooth(serial: "0123", address: nil))
    let address = try #require(BluetoothAddress("C0:11:22:33:44:55"))
    #expect(
      try DeviceSelector("ble:0123@c0:11:22:33:44:55") == .bluetooth(serial: "0123", address: address))
    #expect(try DeviceSelector("ble:0123@c0:11:22:33:44:55").text == "ble:0123@C0:11:22:33:44:55")
    #expect(try DeviceSelector("0123456789AB") == .serialNumber("0123456789AB"))
  }

  @Test(
    "What is no device is refused with the form that was meant",
    arguments: [
      "", "usbip://", "usbip://box:0/1-1", "usbip://box:99999", "serial:tty", "serial:tcp:box", "usb:1",
      "dev/tty", "http://x", "ble:", "ble:@C0:11:22:33:44:55", "ble:12@", "ble:12@C0:11:22:33:44",
      "ble:C0:11:22:33:44:55", "ble:1/2",
    ])
  func refused(_ text: String) {
    #expect(throws: HostLinkError.self) { try DeviceSelector(text) }
  }
}
