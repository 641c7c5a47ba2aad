import Foundation
import HeraldText

/// A device that was found, with its value for `--device`.
public struct FoundDevice: Equatable, Sendable {
  /// The value for `--device`.
  public let location: String
  /// The device's USB strings.
  public let identity: USBIdentity
  /// The USB vendor ID.
  public let vendorID: UInt16
  /// The USB product ID.
  public let productID: UInt16
  /// The reason why it cannot be used now; `nil` if it can.
  public let obstacle: HostLinkError?
}

/// A device with an open transport.
public struct OpenDevice {
  /// The transport for packets.
  public let transport: any SMPTransport
  /// The device's USB strings; empty over serial lines, where `DeviceClient.information` returns them.
  public let identity: USBIdentity

  /// Initialises each member.
  public init(transport: any SMPTransport, identity: USBIdentity) {
    self.transport = transport
    self.identity = identity
  }
}

/// Finds devices and opens them.
public enum DeviceDirectory {
  /// The timeout for connecting and enumerating.
  public static let timeout = Duration.seconds(5)

  /// All devices connected to this computer, including those that this user may not open.
  public static func usbDevices() throws(HostLinkError) -> [FoundDevice] {
    try LibUSB().heraldDevices().map { listing in
      FoundDevice(
        location: "usb:\(listing.path)", identity: listing.identity, vendorID: listing.vendorID,
        productID: listing.productID,
        obstacle: listing.isAccessible
          ? nil : HostLinkError(.permission, "no permission for \(listing.node)", advice: LibUSB.udevAdvice))
    }
  }

  /// All Herald devices of the USB/IP server `HOST` or `HOST:PORT`.
  public static func usbipDevices(server: String) throws(HostLinkError) -> [FoundDevice] {
    let (host, port) = try address(of: server)
    return try usbipDevices(host: host, port: port)
  }

  /// The selectors of the Herald devices of the USB/IP server `HOST` or `HOST:PORT`. No device is opened.
  public static func usbipSelectors(server: String) throws(HostLinkError) -> [DeviceSelector] {
    let (host, port) = try address(of: server)
    let deadline = Deadline.after(timeout)
    let connection = try USBIPConnection(host: host, port: port, by: deadline)
    defer { connection.close() }
    let found = try connection.listDevices(by: deadline).filter { $0.interfaces.contains(.herald) }
    return found.map { .usbip(host: host, port: port, busID: $0.busID) }
  }

  /// The host and port in `HOST` or `HOST:PORT`.
  /// - Throws: `.usage` for any other text.
  public static func address(of server: String) throws(HostLinkError) -> (host: String, port: UInt16?) {
    guard let address = DeviceSelector.hostAndPort(server[...]) else {
      throw HostLinkError(
        .usage, "\(PrintableText.of(server)) is no host", advice: "the form is HOST or HOST:PORT")
    }
    return address
  }

  /// All Herald devices of a USB/IP server. One that is in use is included, without its strings.
  public static func usbipDevices(host: String, port: UInt16?) throws(HostLinkError) -> [FoundDevice] {
    let deadline = Deadline.after(timeout)
    let connection = try USBIPConnection(host: host, port: port, by: deadline)
    let devices = try connection.listDevices(by: deadline)
    connection.close()
    var found: [FoundDevice] = []
    // For all devices of the server: less than a query may take, so that those that have answered are listed.
    let limit = Deadline.after(timeout)
    for device in devices where device.interfaces.contains(.herald) {
      let shownHost = host.contains(":") ? "[\(host)]" : host
      let location = "usbip://\(shownHost)\(port.map { ":\($0)" } ?? "")/\(device.busID)"
      var identity = USBIdentity()
      var obstacle: HostLinkError?
      do {
        let transport = try USBIPTransport(host: host, port: port, busID: device.busID, by: limit)
        identity = transport.identity
        transport.close()
      } catch {
        obstacle = error
      }
      found.append(
        FoundDevice(
          location: location, identity: identity, vendorID: device.vendorID, productID: device.productID,
          obstacle: obstacle))
    }
    return found
  }

  /// Opens the selected device, or, without a selector, the only one connected to this computer. One over
  /// Bluetooth is opened by the program that has the controller, and refused here.
  public static func open(_ selector: DeviceSelector?) throws(HostLinkError) -> OpenDevice {
    switch selector {
    case .usbip(let host, let port, let busID):
      let transport = try importDevice(host: host, port: port, busID: busID)
      return OpenDevice(transport: transport, identity: transport.identity)
    case .serial(let path):
      let stream = try ByteStream.openTerminal(path)
      return OpenDevice(
        transport: SerialTransport(stream: stream, location: "serial:\(path)"), identity: USBIdentity())
    case .serialTCP(let host, let port):
      let stream = try ByteStream.connect(host: host, port: port, by: .after(timeout))
      return OpenDevice(
        transport: SerialTransport(stream: stream, location: "serial:tcp:\(host):\(port)"),
        identity: USBIdentity())
    case .bluetooth(let serial, _):
      throw HostLinkError(
        .usage, "ble:\(PrintableText.of(serial)) needs a Bluetooth controller",
        advice: "use a command that has --controller")
    case .usb(let path):
      return try openUSB("at usb:\(path)") { $0.path == path }
    case .serialNumber(let serial):
      return try openUSB("with serial number \(PrintableText.of(serial))") { $0.identity.serial == serial }
    case nil:
      return try openUSB("plugged into this computer") { _ in true }
    }
  }

  private static func openUSB(_ which: String, _ matches: (USBListing) -> Bool) throws(HostLinkError)
    -> OpenDevice
  {
    let library = try LibUSB()
    let found = library.heraldDevices().filter(matches)
    guard let listing = found.first else {
      throw HostLinkError(
        .noDevice, "there is no Herald device \(which)",
        advice: "plug it in, or name one with --device (`herald-host devices` lists what is there)")
    }
    guard found.count == 1 else {
      let list = found.map { "usb:\($0.path) (\($0.identity.serial))" }.joined(separator: ", ")
      throw HostLinkError(
        .severalDevices, "there are \(found.count) Herald devices \(which): \(list)",
        advice: "choose one with --device")
    }
    let transport = try LibUSBTransport(library, listing)
    return OpenDevice(transport: transport, identity: transport.identity)
  }

  /// Imports the selected device, or the only one. A server may detect with a delay that the former client
  /// has disconnected: the import of a device in use is repeated.
  private static func importDevice(host: String, port: UInt16?, busID: String?) throws(HostLinkError)
    -> USBIPTransport
  {
    let deadline = Deadline.after(timeout)
    let wanted: String
    if let busID { wanted = busID } else { wanted = try onlyDevice(host: host, port: port, by: deadline) }
    for _ in 0..<10 {
      do {
        return try USBIPTransport(host: host, port: port, busID: wanted, by: deadline)
      } catch {
        guard error.cause == .busy else { throw error }
        usleep(50_000)
      }
    }
    return try USBIPTransport(host: host, port: port, busID: wanted, by: deadline)
  }

  /// The bus id of the only Herald device of a server.
  private static func onlyDevice(host: String, port: UInt16?, by deadline: Deadline) throws(HostLinkError)
    -> String
  {
    let connection = try USBIPConnection(host: host, port: port, by: deadline)
    defer { connection.close() }
    let found = try connection.listDevices(by: deadline).filter { $0.interfaces.contains(.herald) }
    let title = "the USB/IP server \(PrintableText.of(host))"
    guard let first = found.first else {
      throw HostLinkError(.noDevice, "\(title) has no Herald device", advice: "start one there")
    }
    guard found.count == 1 else {
      let list = found.map(\.busID).joined(separator: ", ")
      throw HostLinkError(
        .severalDevices, "\(title) has \(found.count) Herald devices: \(list)",
        advice: "choose one with --device usbip://HOST/BUSID")
    }
    return first.busID
  }
}
