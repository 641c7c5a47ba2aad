import CLibUSB

/// SMP over the bulk endpoints of a device connected to this computer.
public final class LibUSBTransport: SMPTransport {
  /// The location of the device.
  public let location: String
  /// The maximum number of outstanding requests.
  public let window = 8
  /// The device's strings.
  public let identity: USBIdentity

  private static let readSize = 16384
  /// The number of pending reads, and the maximum numbers of pending writes and of stalls.
  private static let readsQueued = 4
  private static let mostWrites = 24
  private static let mostStalls = 12

  private let library: LibUSB
  private let node: String
  private let link: HeraldUSBLink
  private var handle: OpaquePointer?
  private var transfers: LibUSBTransfers?
  private var assembler = BulkPacketAssembler()
  private var stalls = 0

  /// The number of transfers that were not valid packets.
  public var damagedPackets: Int { assembler.damagedPackets }

  /// Opens the device in `listing` and claims its link.
  /// - Throws: `.permission`, `.busy` or `.link`, each with the recommended action.
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
    // An earlier program may have left an incomplete request or a response: selecting the setting discards
    // both.
    if code == 0 { code = libusb_set_interface_alt_setting(handle, Int32(link.interface), 0) }
    guard code == 0 else { throw LibUSB.error(code, "claiming \(listing.path) failed", node: node) }
    let transfers = LibUSBTransfers(
      library.context, handle, input: link.input.address, output: link.output.address)
    self.transfers = transfers
    for _ in 0..<Self.readsQueued { try begin(transfers.read(upTo: Self.readSize), "reading from") }
  }

  deinit { close() }

  /// Sends one packet, terminated by an empty USB packet if its length is a multiple of the endpoint's packet
  /// size.
  public func send(_ packet: [UInt8], by deadline: Deadline) throws(HostLinkError) {
    guard let transfers else { throw closed }
    guard transfers.wait(forWrites: Self.mostWrites - 2, by: deadline) else {
      throw LibUSB.error(LIBUSB_ERROR_TIMEOUT.rawValue, "sending to \(location) failed", node: node)
    }
    try begin(transfers.write(packet), "sending to")
    if packet.count % link.output.maximumPacket == 0 { try begin(transfers.write([]), "sending to") }
  }

  /// The next packet.
  public func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8]? {
    guard let transfers else { throw closed }
    while let outcome = transfers.next(by: deadline) {
      switch outcome {
      case .read(let bytes):
        stalls = 0
        try begin(transfers.read(upTo: Self.readSize), "reading from")
        if let packet = assembler.append(bytes, capacity: Self.readSize) { return packet }
      case .failed(LIBUSB_ERROR_PIPE.rawValue, let isRead) where stalls < Self.mostStalls:
        stalls += 1
        libusb_clear_halt(handle, isRead ? link.input.address : link.output.address)
        if isRead { try begin(transfers.read(upTo: Self.readSize), "reading from") }
      case .failed(let code, let isRead):
        throw LibUSB.error(
          code, isRead ? "reading from \(location) failed" : "sending to \(location) failed", node: node)
      }
    }
    return nil
  }

  private func begin(_ code: Int32, _ what: String) throws(HostLinkError) {
    guard code == 0 else { throw LibUSB.error(code, "\(what) \(location) failed", node: node) }
  }

  private var closed: HostLinkError { HostLinkError(.link, "\(location) is closed") }

  /// Releases the device.
  public func close() {
    guard let handle else { return }
    transfers?.cancel()
    transfers = nil
    libusb_release_interface(handle, Int32(link.interface))
    libusb_close(handle)
    self.handle = nil
  }
}
