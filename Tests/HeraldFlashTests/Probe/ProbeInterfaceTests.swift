import HeraldHostLink
import Testing

@testable import HeraldFlash

@Suite("Finding a probe's interface")
struct ProbeInterfaceTests {
  /// A micro:bit's configuration, as USB 2.0, 9.6 and HID 1.11 write it: a drive, HID with CMSIS-DAP 1,
  /// vendor specific with CMSIS-DAP 2.
  private static let bytes: [UInt8] = [
    0x09, 0x02, 0x57, 0x00, 0x03, 0x01, 0x00, 0x80, 0xFA,  // configuration 1 of 87 bytes
    0x09, 0x04, 0x00, 0x00, 0x02, 0x08, 0x06, 0x50, 0x04,  // mass storage
    0x07, 0x05, 0x81, 0x02, 0x40, 0x00, 0x00, 0x07, 0x05, 0x01, 0x02, 0x40, 0x00, 0x00,
    0x09, 0x04, 0x03, 0x00, 0x02, 0x03, 0x00, 0x00, 0x05,  // HID
    0x09, 0x21, 0x00, 0x01, 0x00, 0x01, 0x22, 0x21, 0x00,
    0x07, 0x05, 0x84, 0x03, 0x40, 0x00, 0x01, 0x07, 0x05, 0x04, 0x03, 0x40, 0x00, 0x01,
    0x09, 0x04, 0x04, 0x00, 0x02, 0xFF, 0x00, 0x00, 0x06,  // vendor specific
    0x07, 0x05, 0x05, 0x02, 0x00, 0x02, 0x00, 0x07, 0x05, 0x86, 0x02, 0x00, 0x02, 0x00,
  ]

  private static func find(_ names: [UInt8: String], product: String = "") throws -> ProbeInterface? {
    let parsed = USBConfiguration(bytes.span)
    return ProbeInterface.find(in: try #require(parsed), product: product) { names[$0] ?? "" }
  }

  @Test("Bulk endpoints before HID reports, by the interface's name")
  func version2() throws {
    let found = try #require(try Self.find([5: "CMSIS-DAP v1", 6: "CMSIS-DAP v2"]))
    #expect(!found.isHID)
    #expect(found.configuration == 1 && found.number == 4)
    #expect(found.input.address == 0x86 && found.output?.address == 0x05)
    #expect(found.output?.maximumPacket == 512)
  }

  @Test("HID by its name, or by that of the device")
  func version1() throws {
    for found in [
      try Self.find([5: "BBC CMSIS-DAP"]), try Self.find([:], product: "BBC micro:bit CMSIS-DAP"),
    ] {
      #expect(found?.isHID == true)
      #expect(found?.number == 3 && found?.input.address == 0x84 && found?.output?.address == 0x04)
    }
  }

  @Test("Other interfaces of the same kinds are none")
  func others() throws {
    #expect(try Self.find([4: "CMSIS-DAP", 5: "WebUSB", 6: "WebUSB"], product: "BBC micro:bit") == nil)
  }

  @Test(
    "A report is always full; a bulk transfer does not end with a full USB packet, unless the probe's packets are that long"
  )
  func framing() throws {
    let bulk = try #require(try Self.find([6: "CMSIS-DAP v2"]))
    #expect(bulk.framed([1, 2], packetSize: 1024) == [1, 2])
    let full = [UInt8](repeating: 7, count: 512)
    #expect(bulk.framed(full, packetSize: 1024) == full + [0])
    #expect(bulk.framed(full, packetSize: 512) == full)
    let reports = try #require(try Self.find([5: "CMSIS-DAP v1"]))
    #expect(reports.framed([1, 2], packetSize: 64) == [1, 2] + [UInt8](repeating: 0, count: 62))
  }

  @Test("What a person means by an address")
  func addresses() throws {
    #expect(try ProbeAddress("HERALD0001") == .serialNumber("HERALD0001"))
    #expect(try ProbeAddress("usb:1-2.3") == .usb(path: "1-2.3"))
    #expect(
      try ProbeAddress("usbip://localhost:3240/1-1") == .usbip(host: "localhost", port: 3240, busID: "1-1"))
    #expect(try ProbeAddress("usbip://localhost") == .usbip(host: "localhost", port: nil, busID: nil))
    for text in ["", "serial:/dev/ttyACM0", "usb:", "a/b"] {
      let error = #expect(throws: HostLinkError.self) { try ProbeAddress(text) }
      #expect(error?.cause == .usage)
    }
  }
}
