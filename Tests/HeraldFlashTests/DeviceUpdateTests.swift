import Foundation
import HeraldHostLink
import Testing

@testable import HeraldFlash

@Suite("The update of a running device")
struct DeviceUpdateTests {
  /// A folder as the kernel's with terminals, in which the USB device at port 1-2.3 has these numbers.
  private func terminals(_ vendor: String, _ product: String) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let device = folder.appending(path: "devices/1-2.3")
    let interface = device.appending(path: "1-2.3:1.0")
    let terminal = folder.appending(path: "tty/ttyACM7")
    for path in [interface, terminal] {
      try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
    }
    try "\(vendor)\n".write(to: device.appending(path: "idVendor"), atomically: true, encoding: .utf8)
    try "\(product)\n".write(to: device.appending(path: "idProduct"), atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(
      at: terminal.appending(path: "device"), withDestinationURL: interface)
    return folder
  }

  private func update(_ folder: URL, named: String? = nil) -> DeviceUpdate {
    DeviceUpdate(
      .serialNumber("BADGE-7"), FlashOptions(), bootLoader: named,
      terminals: folder.appending(path: "tty").path,
      patience: .zero)
  }

  @Test("The boot loader is the one at the device's USB port")
  func port() throws {
    let folder = try terminals("1915", "521f")
    defer { try? FileManager.default.removeItem(at: folder) }
    let update = update(folder)
    #expect(try update.bootLoaderLocation(of: "usb:1-2.3") == .port("1-2.3"))
    #expect(update.location(of: .port("1-2.3")) == "serial-dfu:/dev/ttyACM7")
    #expect(update.location(of: .port("1-2")) == nil)
  }

  @Test("Another USB device at the port is no boot loader")
  func otherDevice() throws {
    // The device itself, before it restarts.
    let folder = try terminals("1209", "0001")
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(update(folder).location(of: .port("1-2.3")) == nil)
    #expect(ProgrammingMethod.usbPort(of: "ttyACM7", in: folder.appending(path: "tty").path) == "1-2.3")
    #expect(ProgrammingMethod.usbPort(of: "ttyACM8", in: folder.appending(path: "tty").path) == nil)
  }

  @Test("At a USB/IP server the port of the boot loader has to be named, as that of a serial line or a drive")
  func named() throws {
    let folder = FileManager.default.temporaryDirectory
    #expect {
      try update(folder).bootLoaderLocation(of: "usbip://127.0.0.1/1-1")
    } throws: { ($0 as? FlashFailure)?.cause == .link(.usage) }
    #expect(
      try update(folder, named: "serial-dfu:/dev/ttyACM0").bootLoaderLocation(of: "usbip://127.0.0.1/1-1")
        == .named("serial-dfu:/dev/ttyACM0"))
    #expect {
      try update(folder, named: "probe:1").bootLoaderLocation(of: "usb:1-2.3")
    } throws: { ($0 as? FlashFailure)?.cause == .link(.usage) }
  }

  @Test("Without the device, the boot loader of an interrupted update is named")
  func absent() {
    let error = HostLinkError(.noDevice, "there is none", advice: "plug it in")
    let alone = RunningDevice.absent(error, bootLoaders: [])
    #expect((alone.what, alone.advice) == ("there is none", "plug it in"))
    let failure = RunningDevice.absent(error, bootLoaders: ["ttyACM7"])
    #expect(failure.cause == .link(.noDevice))
    #expect(failure.advice?.contains("--to serial-dfu:/dev/ttyACM7` continues") == true)
    let busy = RunningDevice.absent(HostLinkError(.busy, "in use"), bootLoaders: ["ttyACM7"])
    #expect((busy.cause, busy.what) == (.link(.busy), "in use"))
  }

  @Test("What a device has lost is named")
  func losses() {
    func state(_ serial: String) -> RunningDevice.State {
      RunningDevice.State(serial: serial, version: "1", board: "nrf52840-dongle", log: nil)
    }
    #expect(DeviceUpdate.loss(from: state("A"), to: state("A")) == nil)
    #expect(
      DeviceUpdate.loss(from: state("A"), to: state("B"))
        == "is another device: its serial number is B, not A")
  }
}
