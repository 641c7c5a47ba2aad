import HeraldHostLink

/// A probe that a USB/IP server offers.
final class USBIPProbePipe: ProbePipe {
  let location: String
  let identity: USBIdentity

  private static let readSize = 16384

  private let connection: USBIPConnection
  private let interface: ProbeInterface
  private var writes: Set<UInt32> = []

  /// Imports `busID` over a fresh connection and enumerates it.
  /// - Throws: `.noDevice` if it is no probe.
  init(connection: USBIPConnection, busID: String, location: String, by deadline: Deadline)
    throws(HostLinkError)
  {
    self.connection = connection
    self.location = location
    _ = try connection.importDevice(busID: busID, by: deadline)
    let (descriptor, configuration) = try connection.descriptors(at: location, by: deadline)
    let identity = try connection.identity(descriptor, by: deadline)
    self.identity = identity
    let languages = try? connection.control(.descriptor(type: 3, index: 0, length: 255), by: deadline)
    let language = languages.flatMap { USBString.firstLanguage($0.span) } ?? 0x0409
    let found = ProbeInterface.find(in: configuration, product: identity.product) { index in
      guard index != 0,
        let bytes = try? connection.control(
          .descriptor(type: 3, index: index, language: language, length: 255), by: deadline)
      else { return "" }
      return USBString.text(bytes.span)
    }
    guard let found else {
      throw HostLinkError(
        .noDevice, "\(location) is a USB device without a CMSIS-DAP interface",
        advice: "`herald-flash list` says what is there")
    }
    interface = found
    _ = try connection.control(.setConfiguration(found.configuration), by: deadline)
  }

  func send(_ packet: [UInt8], packetSize: Int) throws(HostLinkError) {
    let deadline = Deadline.after(.seconds(5))
    let bytes = interface.framed(packet, packetSize: packetSize)
    if let output = interface.output {
      writes.insert(try connection.submit(endpoint: output.address, data: bytes, by: deadline))
    } else {
      writes.insert(
        try connection.submit(
          endpoint: 0, setup: .setReport(interface: interface.number, length: UInt16(clamping: bytes.count)),
          data: bytes, by: deadline))
    }
    _ = try connection.submit(endpoint: interface.input.address, length: Self.readSize, by: deadline)
  }

  func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8] {
    while let completion = try connection.nextCompletion(by: deadline) {
      let isRead = !writes.contains(completion.sequence)
      if completion.status == USBIPConnection.timeout, isRead {
        _ = try connection.submit(endpoint: interface.input.address, length: Self.readSize, by: deadline)
        continue
      }
      guard completion.status == 0 else {
        throw HostLinkError(
          .link, "\(location) ended a USB transfer with status \(completion.status)",
          advice: "unplug the probe, plug it in and run the command again")
      }
      if writes.remove(completion.sequence) == nil { return completion.data }
    }
    throw HostLinkError(
      .noAnswer, "the probe \(location) does not answer",
      advice: "unplug the probe, plug it in and run the command again")
  }

  func close() { connection.close() }
}
