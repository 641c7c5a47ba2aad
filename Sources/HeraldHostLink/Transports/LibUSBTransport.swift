import CLibUSB

/// SMP over the bulk endpoints of a device plugged into this computer.
public final class LibUSBTransport: SMPTransport {
  /// Where it leads.
  public let location: String
  /// Requests in flight.
  public let window = 4
  /// The device's texts.
  public let identity: USBIdentity

  private static let readSize = 16384
  private static let mostStalls = 3

  private let library: LibUSB
  private let node: String
  private let link: HeraldUSBLink
  private var handle: OpaquePointer?
  private var assembler = BulkPacketAssembler()
  private var stalls = 0

  /// Transfers that were no packet.
  public var damagedPackets: Int { assembler.damagedPackets }

  /// Opens the device that `listing` describes and claims its link.
  /// - Throws: `.permission`, `.busy` or `.link`, each with what to do.
  public init(_ library: LibUSB, _ listing: USBListing) throws(HostLinkError) {
    guard let link = listing.link else {
      throw HostLinkError(.noDevice, "the USB device \(listing.path) has no Herald link")
    }
    self.library = library
    self.link = link
    node = listing.node
    location = "usb:\(listing.path)"
    identity = listing.identity
    var handle: OpaquePointer?
    var code = LIBUSB_ERROR_NO_DEVICE.rawValue
    library.forEachDevice { device in
      guard let other = LibUSB.listing(of: device), other.path == listing.path, other.node == listing.node
      else {
        return true
      }
      code = libusb_open(device, &handle)
      return false
    }
    guard code == 0, let handle else {
      throw LibUSB.error(code, "opening \(listing.path) failed", node: node)
    }
    self.handle = handle
    libusb_set_auto_detach_kernel_driver(handle, 1)
    var active: Int32 = 0
    if libusb_get_configuration(handle, &active) != 0 || active != Int32(link.configuration) {
      code = libusb_set_configuration(handle, Int32(link.configuration))
    }
    if code == 0 { code = libusb_claim_interface(handle, Int32(link.interface)) }
    // Whoever had the device before may have left half a request or an answer: selecting the setting forgets both.
    if code == 0 { code = libusb_set_interface_alt_setting(handle, Int32(link.interface), 0) }
    guard code == 0 else { throw LibUSB.error(code, "claiming \(listing.path) failed", node: node) }
  }

  deinit { close() }

  /// Sends one packet, ended by an empty USB packet where its length is a multiple of the endpoint's.
  public func send(_ packet: [UInt8], by deadline: Deadline) throws(HostLinkError) {
    try write(packet, by: deadline)
    if packet.count % link.output.maximumPacket == 0 { try write([], by: deadline) }
  }

  private func write(_ bytes: [UInt8], by deadline: Deadline) throws(HostLinkError) {
    var buffer = bytes.isEmpty ? [0] : bytes
    var moved: Int32 = 0
    let code = libusb_bulk_transfer(
      handle, link.output.address, &buffer, Int32(bytes.count), &moved, Self.milliseconds(deadline))
    guard code == 0, Int(moved) == bytes.count else {
      if code == LIBUSB_ERROR_PIPE.rawValue { libusb_clear_halt(handle, link.output.address) }
      throw LibUSB.error(code, "sending to \(location) failed", node: node)
    }
  }

  /// The next packet.
  public func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: Self.readSize)
    repeat {
      var moved: Int32 = 0
      let code = libusb_bulk_transfer(
        handle, link.input.address, &buffer, Int32(buffer.count), &moved, Self.milliseconds(deadline))
      switch code {
      case 0: stalls = 0
      case LIBUSB_ERROR_TIMEOUT.rawValue:
        // What arrived before the time was up counts.
        guard moved > 0 else { return nil }
      case LIBUSB_ERROR_PIPE.rawValue where stalls < Self.mostStalls:
        stalls += 1
        libusb_clear_halt(handle, link.input.address)
        continue
      default: throw LibUSB.error(code, "reading from \(location) failed", node: node)
      }
      if let packet = assembler.append(Array(buffer[..<Int(moved)]), capacity: buffer.count) { return packet }
    } while !deadline.hasPassed
    return nil
  }

  /// libusb takes 0 for "for ever".
  private static func milliseconds(_ deadline: Deadline) -> UInt32 {
    UInt32(max(1, deadline.remainingMilliseconds))
  }

  /// Gives the device back.
  public func close() {
    guard let handle else { return }
    libusb_release_interface(handle, Int32(link.interface))
    libusb_close(handle)
    self.handle = nil
  }
}
