import CLibUSB
import Foundation
import HeraldHostLink
import HeraldText

/// A probe that is plugged into this computer, as the system lists it.
struct ProbeListing: Equatable {
  /// Where it is plugged in: `BUS-PORT.PORT…`.
  let path: String
  /// The probe's device file.
  let node: String
  /// USB vendor and product.
  let vendorID: UInt16
  let productID: UInt16
  /// The probe's USB strings.
  let identity: USBIdentity
  /// The interface for CMSIS-DAP.
  let interface: ProbeInterface

  /// The probes that are plugged in, by their places; what they are is in the kernel's files, which need no
  /// permission to read.
  static func all(_ library: LibUSB) -> [ProbeListing] {
    var found: [ProbeListing] = []
    library.forEachDevice { device in
      if let listing = of(device) { found.append(listing) }
      return true
    }
    return found.sorted { $0.path.compare($1.path, options: .numeric) == .orderedAscending }
  }

  static func of(_ device: OpaquePointer) -> ProbeListing? {
    var descriptor = libusb_device_descriptor()
    guard libusb_get_device_descriptor(device, &descriptor) == 0 else { return nil }
    let (path, node) = LibUSB.location(of: device)
    for configuration in LibUSB.configurations(of: device, descriptor) {
      // Most devices have neither kind of interface: their strings are not requested.
      guard configuration.interfaces.contains(where: { [0xFF, 3].contains($0.kind.interfaceClass) }) else {
        continue
      }
      let identity = LibUSB.identity(of: device, path: path, descriptor)
      for interface in configuration.interfaces {
        let folder = "\(path):\(configuration.value).\(interface.number)"
        let one = USBConfiguration(value: configuration.value, interfaces: [interface])
        let name = { (index: UInt8) in Self.name(index, of: device, folder) }
        if let found = ProbeInterface.find(in: one, product: identity.product, name: name), !found.isHID {
          return ProbeListing(
            path: path, node: node, vendorID: descriptor.idVendor, productID: descriptor.idProduct,
            identity: identity, interface: found)
        }
      }
      if let found = ProbeInterface.find(in: configuration, product: identity.product, name: { _ in "" }) {
        return ProbeListing(
          path: path, node: node, vendorID: descriptor.idVendor, productID: descriptor.idProduct,
          identity: identity, interface: found)
      }
    }
    return nil
  }

  /// The name of an interface: from the kernel, which read it at enumeration, or from the device if it can be
  /// opened.
  private static func name(_ index: UInt8, of device: OpaquePointer, _ folder: String) -> String {
    guard index != 0 else { return "" }
    if let data = FileManager.default.contents(atPath: "/sys/bus/usb/devices/\(folder)/interface") {
      return String(decoding: data.prefix(256), as: UTF8.self)
    }
    var handle: OpaquePointer?
    guard libusb_open(device, &handle) == 0, let handle else { return "" }
    defer { libusb_close(handle) }
    var text = [UInt8](repeating: 0, count: 256)
    let count = libusb_get_string_descriptor_ascii(handle, index, &text, Int32(text.count))
    return count > 0 ? String(decoding: text[..<Int(count)], as: UTF8.self) : ""
  }

  /// The advice for a user without permission to open it.
  var permissionAdvice: String {
    "as root, put SUBSYSTEM==\"usb\", ATTR{idVendor}==\"\(vendorID.hexadecimal(4))\", "
      + "ATTR{idProduct}==\"\(productID.hexadecimal(4))\", TAG+=\"uaccess\" into /etc/udev/rules.d/70-probe.rules, run "
      + "`udevadm control --reload` and plug the probe in again"
  }
}

/// A probe that is plugged into this computer.
final class LibUSBProbePipe: ProbePipe {
  let location: String
  let identity: USBIdentity

  private static let readSize = 16384
  private static let sendTimeout: UInt32 = 5000

  private let library: LibUSB
  private let listing: ProbeListing
  private var handle: OpaquePointer?
  private var buffer = [UInt8](repeating: 0, count: LibUSBProbePipe.readSize)

  /// Opens the probe that `listing` describes and claims its interface.
  init(_ library: LibUSB, _ listing: ProbeListing) throws(HostLinkError) {
    self.library = library
    self.listing = listing
    location = "probe:usb:\(listing.path)"
    identity = listing.identity
    var handle: OpaquePointer?
    var code = LIBUSB_ERROR_NO_DEVICE.rawValue
    library.forEachDevice { device in
      guard LibUSB.location(of: device) == (listing.path, listing.node) else { return true }
      code = libusb_open(device, &handle)
      return false
    }
    if code == 0, let handle {
      self.handle = handle
      libusb_set_auto_detach_kernel_driver(handle, 1)
      var active: Int32 = 0
      if libusb_get_configuration(handle, &active) != 0
        || active != Int32(listing.interface.configuration)
      {
        code = libusb_set_configuration(handle, Int32(listing.interface.configuration))
      }
      if code == 0 { code = libusb_claim_interface(handle, Int32(listing.interface.number)) }
    }
    guard code == 0 else { throw error(code, "opening \(location) failed") }
    discardOldAnswers()
  }

  deinit { close() }

  /// A previous program may have left a response in the probe.
  private func discardOldAnswers() {
    for _ in 0..<64 {
      guard transfer(listing.interface.input, count: Self.readSize, timeout: 20).code == 0 else { return }
    }
  }

  private func error(_ code: Int32, _ what: String) -> HostLinkError {
    let error = LibUSB.error(code, what, node: listing.node)
    guard error.cause == .permission else { return error }
    return HostLinkError(.permission, error.what, advice: listing.permissionAdvice)
  }

  private func transfer(_ endpoint: USBEndpointDescriptor, count: Int, timeout: UInt32) -> (
    code: Int32, count: Int
  ) {
    var moved: Int32 = 0
    let code =
      listing.interface.isHID
      ? libusb_interrupt_transfer(handle, endpoint.address, &buffer, Int32(count), &moved, timeout)
      : libusb_bulk_transfer(handle, endpoint.address, &buffer, Int32(count), &moved, timeout)
    return (code, Int(moved))
  }

  func send(_ packet: [UInt8], packetSize: Int) throws(HostLinkError) {
    guard let handle else { throw HostLinkError(.link, "\(location) is closed") }
    var bytes = listing.interface.framed(packet, packetSize: packetSize)
    guard bytes.count <= buffer.count else {
      throw error(LIBUSB_ERROR_OVERFLOW.rawValue, "sending to \(location) failed")
    }
    var code: Int32
    var sent: Int
    if let output = listing.interface.output {
      buffer.replaceSubrange(0..<bytes.count, with: bytes)
      (code, sent) = transfer(output, count: bytes.count, timeout: Self.sendTimeout)
    } else {
      let setup = USBSetupPacket.setReport(
        interface: listing.interface.number, length: UInt16(clamping: bytes.count))
      code = libusb_control_transfer(
        handle, setup.requestType, setup.request, setup.value, setup.index, &bytes, setup.length,
        Self.sendTimeout)
      sent = Int(max(0, code))
      code = min(0, code)
    }
    if code == 0, sent < bytes.count { code = LIBUSB_ERROR_IO.rawValue }
    guard code == 0 else { throw error(code, "sending to \(location) failed") }
  }

  func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8] {
    guard handle != nil else { throw HostLinkError(.link, "\(location) is closed") }
    let wait = deadline.remaining.components
    let milliseconds = wait.seconds * 1000 + wait.attoseconds / 1_000_000_000_000_000
    let (code, count) = transfer(
      listing.interface.input,
      count: listing.interface.isHID ? listing.interface.input.maximumPacket : Self.readSize,
      timeout: UInt32(clamping: max(1, milliseconds)))
    guard code == 0 else { throw error(code, "reading from \(location) failed") }
    return Array(buffer[..<count])
  }

  func close() {
    guard let handle else { return }
    libusb_release_interface(handle, Int32(listing.interface.number))
    libusb_close(handle)
    self.handle = nil
  }
}
