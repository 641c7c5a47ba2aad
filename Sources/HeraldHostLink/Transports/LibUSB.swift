import CLibUSB
import Foundation
import HeraldText

/// A USB device in the system's list, whether or not this user may open it.
public struct USBListing: Equatable, Sendable {
  /// The port path `BUS-PORT.PORT…`, as in `/sys/bus/usb/devices`. It does not change with a reset.
  public let path: String
  /// The device file, whose number changes at every reset.
  public let node: String
  /// The USB vendor ID.
  public let vendorID: UInt16
  /// The USB product ID.
  public let productID: UInt16
  /// The device's strings; empty if they could not be read.
  public let identity: USBIdentity
  /// The Herald link; `nil` if it has none.
  public let link: HeraldUSBLink?
  /// Whether this user may read and write its device file.
  public let isAccessible: Bool
}

/// An open libusb context.
public final class LibUSB {
  /// The context that libusb's functions take.
  package let context: OpaquePointer?

  /// Opens the library. Fails if the system has no USB, as in many containers.
  public init() throws(HostLinkError) {
    var context: OpaquePointer?
    let code = libusb_init(&context)
    guard code == 0 else {
      let name = String(cString: libusb_error_name(code))
      throw HostLinkError(
        .link, "USB cannot be used on this computer (\(name))",
        advice: "plugged-in devices need /dev/bus/usb; USB/IP and serial lines work without it")
    }
    self.context = context
  }

  deinit { libusb_exit(context) }

  /// All devices with a Herald link, sorted by path.
  public func heraldDevices() -> [USBListing] {
    var found: [USBListing] = []
    forEachDevice { device in
      if let listing = Self.listing(of: device), listing.link != nil { found.append(listing) }
      return true
    }
    return found.sorted { $0.path.compare($1.path, options: .numeric) == .orderedAscending }
  }

  /// The port paths and device files of all devices with a Herald link, without reading their strings.
  func heraldLocations() -> [(path: String, node: String)] {
    var found: [(path: String, node: String)] = []
    forEachDevice { device in
      var descriptor = libusb_device_descriptor()
      if libusb_get_device_descriptor(device, &descriptor) == 0, Self.link(of: device, descriptor) != nil {
        found.append(Self.location(of: device))
      }
      return true
    }
    return found
  }

  /// Calls `body` with each device until it returns false.
  package func forEachDevice(_ body: (OpaquePointer) -> Bool) {
    var list: UnsafeMutablePointer<OpaquePointer?>?
    let count = libusb_get_device_list(context, &list)
    guard count >= 0, let list else { return }
    defer { libusb_free_device_list(list, 1) }
    for index in 0..<count {
      if let device = list[index], !body(device) { return }
    }
  }

  static func listing(of device: OpaquePointer) -> USBListing? {
    var descriptor = libusb_device_descriptor()
    guard libusb_get_device_descriptor(device, &descriptor) == 0 else { return nil }
    let (path, node) = location(of: device)
    let link = link(of: device, descriptor)
    var identity = USBIdentity()
    if link != nil { identity = Self.identity(of: device, path: path, descriptor) }
    return USBListing(
      path: path, node: node, vendorID: descriptor.idVendor, productID: descriptor.idProduct,
      identity: identity,
      link: link, isAccessible: access(node, R_OK | W_OK) == 0)
  }

  /// The port path of a device, and its device file.
  package static func location(of device: OpaquePointer) -> (path: String, node: String) {
    let bus = libusb_get_bus_number(device)
    let node = String(format: "/dev/bus/usb/%03d/%03d", Int(bus), Int(libusb_get_device_address(device)))
    var ports = [UInt8](repeating: 0, count: 8)
    let depth = libusb_get_port_numbers(device, &ports, Int32(ports.count))
    let path = "\(bus)-" + (depth > 0 ? ports[..<Int(depth)].map(String.init).joined(separator: ".") : "0")
    return (path, node)
  }

  /// Finds the link in the descriptors cached by the kernel, which can be read without permission for the
  /// device.
  private static func link(of device: OpaquePointer, _ descriptor: libusb_device_descriptor) -> HeraldUSBLink?
  {
    for configuration in configurations(of: device, descriptor) {
      if let found = configuration.heraldLink { return found }
    }
    return nil
  }

  /// The configurations of a device, from the descriptors cached by the kernel, which can be read without
  /// permission for the device.
  package static func configurations(of device: OpaquePointer, _ descriptor: libusb_device_descriptor)
    -> [USBConfiguration]
  {
    (0..<descriptor.bNumConfigurations).compactMap { index in
      var pointer: UnsafeMutablePointer<libusb_config_descriptor>?
      guard libusb_get_config_descriptor(device, index, &pointer) == 0, let pointer else { return nil }
      defer { libusb_free_config_descriptor(pointer) }
      return configuration(pointer.pointee)
    }
  }

  private static func configuration(_ parsed: libusb_config_descriptor) -> USBConfiguration {
    var interfaces: [USBInterface] = []
    for number in 0..<Int(parsed.bNumInterfaces) {
      let interface = parsed.interface[number]
      for alternate in 0..<Int(interface.num_altsetting) {
        let setting = interface.altsetting[alternate]
        var endpoints: [USBEndpointDescriptor] = []
        for index in 0..<Int(setting.bNumEndpoints) {
          let endpoint = setting.endpoint[index]
          endpoints.append(
            USBEndpointDescriptor(
              address: endpoint.bEndpointAddress, attributes: endpoint.bmAttributes,
              maximumPacket: Int(endpoint.wMaxPacketSize & 0x07FF)))
        }
        interfaces.append(
          USBInterface(
            number: setting.bInterfaceNumber, alternate: setting.bAlternateSetting,
            kind: USBInterfaceKind(
              setting.bInterfaceClass, setting.bInterfaceSubClass, setting.bInterfaceProtocol),
            nameString: setting.iInterface, endpoints: endpoints))
      }
    }
    return USBConfiguration(value: parsed.bConfigurationValue, interfaces: interfaces)
  }

  /// The device's strings: from the kernel, which reads them at enumeration, or from the device if it can be
  /// opened.
  package static func identity(
    of device: OpaquePointer, path: String, _ descriptor: libusb_device_descriptor
  ) -> USBIdentity {
    var identity = USBIdentity()
    func attribute(_ name: String) -> String {
      guard let data = FileManager.default.contents(atPath: "/sys/bus/usb/devices/\(path)/\(name)") else {
        return ""
      }
      let text = String(decoding: data.prefix(512), as: UTF8.self)
      return PrintableText.of(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }
    identity.manufacturer = attribute("manufacturer")
    identity.product = attribute("product")
    identity.serial = attribute("serial")
    guard identity.serial.isEmpty else { return identity }
    var handle: OpaquePointer?
    guard libusb_open(device, &handle) == 0, let handle else { return identity }
    defer { libusb_close(handle) }
    func text(_ index: UInt8) -> String {
      var buffer = [UInt8](repeating: 0, count: 256)
      guard index != 0 else { return "" }
      let count = libusb_get_string_descriptor_ascii(handle, index, &buffer, Int32(buffer.count))
      return count > 0 ? PrintableText.of(String(decoding: buffer[..<Int(count)], as: UTF8.self)) : ""
    }
    identity.manufacturer = text(descriptor.iManufacturer)
    identity.product = text(descriptor.iProduct)
    identity.serial = text(descriptor.iSerialNumber)
    return identity
  }

  /// The error for a libusb error code, with its recommended action.
  package static func error(_ code: Int32, _ what: String, node: String) -> HostLinkError {
    let name = String(cString: libusb_error_name(code))
    switch code {
    case LIBUSB_ERROR_ACCESS.rawValue:
      return HostLinkError(.permission, "no permission for \(node)", advice: udevAdvice)
    case LIBUSB_ERROR_NO_DEVICE.rawValue, LIBUSB_ERROR_NOT_FOUND.rawValue:
      return HostLinkError(.link, "\(what): the device is gone", advice: ByteStream.reconnectAdvice)
    case LIBUSB_ERROR_BUSY.rawValue:
      return HostLinkError(
        .busy, "\(node) is in use by another program or a kernel driver",
        advice: "close the other program and run the command again")
    case LIBUSB_ERROR_TIMEOUT.rawValue:
      return HostLinkError(
        .noAnswer, "\(what): the device does not answer", advice: "unplug it, plug it in and try again")
    case LIBUSB_ERROR_PIPE.rawValue:
      return HostLinkError(
        .protocolViolation, "\(what): the device refused the transfer",
        advice: "unplug it, plug it in and try again")
    default:
      return HostLinkError(.link, "\(what) (\(name))", advice: ByteStream.reconnectAdvice)
    }
  }

  /// The advice for a user without permission to open the device.
  public static let udevAdvice =
    "as root, put the lines that `herald-host udev-rule` prints into /etc/udev/rules.d/70-herald.rules, run "
    + "`udevadm control --reload` and plug the device in again"
}
