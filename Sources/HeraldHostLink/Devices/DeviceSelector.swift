import HeraldText

/// A device selection, the value of `--device`.
public enum DeviceSelector: Equatable, Sendable {
  /// `usbip://HOST[:PORT][/BUSID]`: a device of a USB/IP server; without a bus ID, its only one.
  case usbip(host: String, port: UInt16?, busID: String?)
  /// `serial:/dev/…`, or an absolute path alone: a tty or pty.
  case serial(path: String)
  /// `serial:tcp:HOST:PORT`: a serial line inside a TCP stream.
  case serialTCP(host: String, port: UInt16)
  /// `usb:BUS-PORT`: the device connected to this port.
  case usb(path: String)
  /// `ble:SERIAL[@ADDRESS]`: the device with this serial number, over Bluetooth; with an address only the one
  /// that advertises with it.
  case bluetooth(serial: String, address: BluetoothAddress?)
  /// Anything else: the device with this serial number.
  case serialNumber(String)

  /// Parses the value of `--device`.
  /// - Throws: `.usage`, with the recognised form and the error in it.
  public init(_ text: String) throws(HostLinkError) {
    func rest(_ prefix: String) -> Substring? { text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : nil }
    func refuse(_ form: String) -> HostLinkError {
      HostLinkError(.usage, "\(PrintableText.of(text)) names no device", advice: "the form is \(form)")
    }
    if let rest = rest("usbip://") {
      let form = "usbip://HOST[:PORT]/BUSID, such as usbip://localhost/1-1"
      let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard let server = Self.hostAndPort(parts[0]) else { throw refuse(form) }
      let busID = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
      guard busID.map({ !$0.contains("/") && $0.utf8.count < 32 }) ?? true else { throw refuse(form) }
      self = .usbip(host: server.host, port: server.port, busID: busID)
    } else if let rest = rest("serial:tcp:") {
      guard let server = Self.hostAndPort(rest), let port = server.port else {
        throw refuse("serial:tcp:HOST:PORT, such as serial:tcp:localhost:9000")
      }
      self = .serialTCP(host: server.host, port: port)
    } else if let rest = rest("serial:") {
      guard rest.hasPrefix("/") else { throw refuse("serial:/dev/NAME, such as serial:/dev/ttyACM0") }
      self = .serial(path: String(rest))
    } else if text.hasPrefix("/") {
      self = .serial(path: text)
    } else if let rest = rest("usb:") {
      guard rest.split(separator: "-").count == 2 else { throw refuse("usb:BUS-PORT, such as usb:1-2.3") }
      self = .usb(path: String(rest))
    } else if let rest = rest("ble:") {
      let form = "ble:SERIAL or ble:SERIAL@ADDRESS, such as ble:5356dee2c5b85838@C0:11:22:33:44:55"
      let parts = rest.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
      guard let serial = parts.first, !serial.isEmpty, !serial.contains("/"), !serial.contains(":") else {
        throw refuse(form)
      }
      let address = parts.count > 1 ? BluetoothAddress(parts[1]) : nil
      guard parts.count == 1 || address != nil else { throw refuse(form) }
      self = .bluetooth(serial: String(serial), address: address)
    } else {
      guard !text.isEmpty, !text.contains("/"), !text.contains(":") else {
        throw refuse(
          "usbip://HOST/BUSID, /dev/NAME, serial:tcp:HOST:PORT, usb:BUS-PORT, ble:SERIAL or a serial number")
      }
      self = .serialNumber(text)
    }
  }

  /// The value for `--device`, sanitised for display.
  public var text: String {
    switch self {
    case .usbip(let host, let port, let busID):
      let server = host.contains(":") ? "[\(host)]" : host
      return PrintableText.of(
        "usbip://\(server)\(port.map { ":\($0)" } ?? "")\(busID.map { "/\($0)" } ?? "")")
    case .serial(let path): return PrintableText.of("serial:\(path)", limit: 256)
    case .serialTCP(let host, let port): return PrintableText.of("serial:tcp:\(host):\(port)")
    case .usb(let path): return PrintableText.of("usb:\(path)")
    case .bluetooth(let serial, let address):
      return PrintableText.of("ble:\(serial)\(address.map { "@\($0.text)" } ?? "")")
    case .serialNumber(let serial): return PrintableText.of(serial)
    }
  }

  /// `HOST`, `HOST:PORT` or `[ADDRESS]:PORT`.
  public static func hostAndPort(_ text: Substring) -> (host: String, port: UInt16?)? {
    var host = text
    var port: Substring?
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      host = text[text.index(after: text.startIndex)..<end]
      let tail = text[text.index(after: end)...]
      guard tail.isEmpty || tail.hasPrefix(":") else { return nil }
      port = tail.isEmpty ? nil : tail.dropFirst()
    } else if let colon = text.lastIndex(of: ":") {
      host = text[..<colon]
      port = text[text.index(after: colon)...]
    }
    guard !host.isEmpty else { return nil }
    guard let port else { return (String(host), nil) }
    guard let number = UInt16(port), number > 0 else { return nil }
    return (String(host), number)
  }
}
