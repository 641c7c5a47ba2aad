import HeraldHostLink
import HeraldText

extension ProgrammingMethod {
  /// CMSIS-DAP debug probes, on USB or exported by USB/IP servers.
  package static let probe = ProgrammingMethod(
    .probe, form: "SERIAL-NUMBER, probe:usb:BUS-PORT or probe:usbip://HOST[:PORT][/BUSID]",
    find: { options in ProbeAddress.found(options) },
    open: { (text: String, options: FlashOptions) throws(FlashFailure) -> any Programmer in
      do throws(HostLinkError) {
        return try ProbeAddress(text).open(options)
      } catch {
        throw FlashFailure(error, state: .untouched)
      }
    })
}

/// A probe selection, the value after `probe:`.
enum ProbeAddress: Equatable {
  /// `usb:BUS-PORT`: the probe plugged in there.
  case usb(path: String)
  /// `usbip://HOST[:PORT][/BUSID]`: a probe of a USB/IP server; without a bus id, the only device there.
  case usbip(host: String, port: UInt16?, busID: String?)
  /// Anything else: the probe with this serial number.
  case serialNumber(String)

  /// - Throws: `.usage`.
  init(_ text: String) throws(HostLinkError) {
    switch try DeviceSelector(text) {
    case .usb(let path): self = .usb(path: path)
    case .usbip(let host, let port, let busID): self = .usbip(host: host, port: port, busID: busID)
    case .serialNumber(let serial): self = .serialNumber(serial)
    case .serial, .serialTCP, .bluetooth:
      throw HostLinkError(
        .usage, "\(PrintableText.of(text)) is no debug probe",
        advice: "name its serial number, usb:BUS-PORT or usbip://HOST/BUSID")
    }
  }

  /// The probe there, opened.
  func open(_ options: FlashOptions) throws(HostLinkError) -> any Programmer {
    switch self {
    case .usb(let path):
      return try Self.open("at \(path)", options) { $0.path == path }
    case .serialNumber(let serial):
      return try Self.open("with the serial number \(PrintableText.of(serial))", options) {
        $0.identity.serial == serial
      }
    case .usbip(let host, let port, let busID):
      let deadline = Deadline.after(.seconds(5))
      var chosen = busID
      if chosen == nil {
        let list = try USBIPConnection(host: host, port: port, by: deadline)
        let devices = try list.listDevices(by: deadline).filter(\.mayBeProbe)
        list.close()
        guard devices.count == 1 else {
          throw HostLinkError(
            devices.isEmpty ? .noDevice : .severalDevices,
            "the USB/IP server \(PrintableText.of(host)) has \(devices.count) devices that can be a debug probe",
            advice: "name one: probe:usbip://HOST:PORT/BUSID")
        }
        chosen = devices[0].busID
      }
      return try Self.open(host: host, port: port, busID: chosen ?? "", options, by: deadline)
    }
  }

  private static func open(
    _ description: String, _ options: FlashOptions, where matches: (ProbeListing) -> Bool
  ) throws(HostLinkError) -> any Programmer {
    let library = try LibUSB()
    let found = ProbeListing.all(library).filter(matches)
    guard found.count == 1 else {
      throw HostLinkError(
        found.isEmpty ? .noDevice : .severalDevices,
        found.isEmpty
          ? "there is no debug probe \(description)" : "there are \(found.count) debug probes \(description)",
        advice: "`herald-flash list` says what is there")
    }
    return ProbeProgrammer(
      try LibUSBProbePipe(library, found[0]), readsBack: options.readsBack, clock: options.clock)
  }

  private static func open(
    host: String, port: UInt16?, busID: String, _ options: FlashOptions, by deadline: Deadline
  ) throws(HostLinkError) -> ProbeProgrammer {
    let selector = DeviceSelector.usbip(host: host, port: port, busID: busID)
    let pipe = try USBIPProbePipe(
      connection: USBIPConnection(host: host, port: port, by: deadline), busID: busID,
      location: "probe:\(selector.text)", by: deadline)
    return ProbeProgrammer(pipe, readsBack: options.readsBack, clock: options.clock)
  }

  // MARK: Finding

  /// The probes that are plugged in, and those of the servers in `options`.
  static func found(_ options: FlashOptions) -> [FoundBoard] {
    var found: [FoundBoard] = []
    if let library = try? LibUSB() {
      for listing in ProbeListing.all(library) {
        found.append(
          board("probe:usb:\(listing.path)") { () throws(HostLinkError) in
            ProbeProgrammer(
              try LibUSBProbePipe(library, listing), readsBack: false, clock: options.clock)
          })
      }
    }
    for server in options.usbipServers { found += boards(on: server, options) }
    return found
  }

  private static func boards(on server: String, _ options: FlashOptions) -> [FoundBoard] {
    guard let (host, port) = DeviceSelector.hostAndPort(server[...]) else { return [] }
    let deadline = Deadline.after(.seconds(5))
    guard let list = try? USBIPConnection(host: host, port: port, by: deadline) else { return [] }
    let devices = ((try? list.listDevices(by: deadline)) ?? []).filter(\.mayBeProbe)
    list.close()
    // For all devices of a server, which may have many that do not answer.
    let limit = Deadline.after(.seconds(15))
    return devices.compactMap { device in
      let selector = DeviceSelector.usbip(host: host, port: port, busID: device.busID)
      let found = board("probe:\(selector.text)") { () throws(HostLinkError) in
        try open(host: host, port: port, busID: device.busID, options, by: min(limit, .after(.seconds(5))))
      }
      return found.obstacle?.cause == .link(.noDevice) ? nil : found
    }
  }

  private static func board(
    _ location: String, _ open: () throws(HostLinkError) -> ProbeProgrammer
  ) -> FoundBoard {
    do throws(HostLinkError) {
      let programmer = try open()
      defer { programmer.close() }
      do throws(FlashFailure) {
        return FoundBoard(location: location, identification: try programmer.identify())
      } catch {
        return FoundBoard(location: location, obstacle: error)
      }
    } catch {
      return FoundBoard(location: location, obstacle: FlashFailure(error, state: .untouched))
    }
  }
}

extension USBIPExportedDevice {
  /// Whether it has an interface of the kinds that probes have: vendor specific without a subclass, or HID.
  fileprivate var mayBeProbe: Bool {
    interfaces.contains { $0.interfaceClass == 0xFF && $0.subclass == 0 || $0.interfaceClass == 3 }
  }
}
