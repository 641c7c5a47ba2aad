/// SMP over the bulk endpoints of a device exported by a USB/IP server, with standard enumeration.
public final class USBIPTransport: SMPTransport {
  /// The location of the device.
  public let location: String
  /// The maximum number of outstanding requests.
  public let window = 8
  /// The device's strings.
  public let identity: USBIdentity
  /// The device descriptor.
  public let descriptor: USBDeviceDescriptor

  private static let readSize = 16384
  private static let readsQueued = 2
  private static let mostStalls = 3
  /// The maximum number of already received transfers that are processed after a deadline.
  private static let mostLate = 64
  /// The timeout of the steps after a transfer: a new read, and clearing a stall.
  private static let timeout = Duration.seconds(2)

  private let connection: USBIPConnection
  private let link: HeraldUSBLink
  private var reads: Set<UInt32> = []
  private var stalls = 0
  private var assembler = BulkPacketAssembler()

  /// The number of transfers that were not valid packets.
  public var damagedPackets: Int { assembler.damagedPackets }
  /// The number of bytes received from the server.
  public var receivedBytes: Int { connection.receivedBytes }

  /// Imports `busID` from the server at `host` and enumerates it.
  public convenience init(host: String, port: UInt16?, busID: String, by deadline: Deadline)
    throws(HostLinkError)
  {
    let location = "usbip://\(host)\(port.map { ":\($0)" } ?? "")/\(busID)"
    let connection = try USBIPConnection(host: host, port: port, by: deadline)
    try self.init(connection: connection, busID: busID, location: location, by: deadline)
  }

  /// Imports `busID` over a new connection and enumerates it.
  public init(connection: USBIPConnection, busID: String, location: String, by deadline: Deadline)
    throws(HostLinkError)
  {
    self.connection = connection
    self.location = location
    _ = try connection.importDevice(busID: busID, by: deadline)
    let (descriptor, configuration) = try connection.descriptors(at: location, by: deadline)
    self.descriptor = descriptor
    guard let link = configuration.heraldLink else {
      throw HostLinkError(
        .noDevice, "\(location) is a USB device without a Herald link",
        advice: "`herald-host devices` lists the devices that have one")
    }
    self.link = link
    identity = try connection.identity(descriptor, by: deadline)
    _ = try connection.control(.setConfiguration(link.configuration), by: deadline)
    for _ in 0..<Self.readsQueued { try queueRead(by: deadline) }
  }

  private func queueRead(by deadline: Deadline) throws(HostLinkError) {
    reads.insert(
      try connection.submit(endpoint: link.input.address, length: Self.readSize, by: deadline))
  }

  /// Sends one packet, terminated by an empty USB packet if its length is a multiple of the endpoint's packet
  /// size.
  public func send(_ packet: [UInt8], by deadline: Deadline) throws(HostLinkError) {
    _ = try connection.submit(endpoint: link.output.address, data: packet, by: deadline)
    if packet.count % link.output.maximumPacket == 0 {
      _ = try connection.submit(endpoint: link.output.address, by: deadline)
    }
  }

  /// The next packet.
  public func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8]? {
    var late = 0
    while late < Self.mostLate, let completion = try connection.nextCompletion(by: deadline) {
      // A device that continuously sends invalid transfers does not extend the deadline.
      if deadline.hasPassed { late += 1 }
      let wasRead = reads.remove(completion.sequence) != nil
      guard completion.status == 0 else {
        try recover(
          from: completion.status, wasRead: wasRead, by: max(deadline, .after(Self.timeout)))
        continue
      }
      guard wasRead else { continue }
      stalls = 0
      try queueRead(by: max(deadline, .after(Self.timeout)))
      if let packet = assembler.append(completion.data, capacity: Self.readSize) { return packet }
    }
    return nil
  }

  /// Clears a stalled endpoint. A read that the server gave up is begun again; a request that it did not
  /// deliver has no response, and is repeated after its timeout. Any other status ends the link.
  private func recover(from status: Int32, wasRead: Bool, by deadline: Deadline) throws(HostLinkError) {
    if status == USBIPConnection.timeout {
      if wasRead { try queueRead(by: deadline) }
      return
    }
    stalls += 1
    guard status == -32, stalls <= Self.mostStalls else {
      throw HostLinkError(
        .link, "\(location) ended a USB transfer with status \(status)", advice: ByteStream.reconnectAdvice)
    }
    let endpoint = wasRead ? link.input.address : link.output.address
    _ = try connection.control(.clearHalt(endpoint: endpoint), by: deadline)
    if wasRead { try queueRead(by: deadline) }
  }

  /// Releases the device.
  public func close() { connection.close() }
}
