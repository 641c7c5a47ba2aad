/// The address of a Bluetooth controller, as written in options.
package enum RadioAddress: Equatable, Sendable, CustomStringConvertible {
  /// H4 over a TCP connection: `tcp:HOST:PORT`.
  case tcp(host: String, port: UInt16)
  /// H4 over a Unix stream socket: `unix:PATH`.
  case unix(path: String)
  /// H4 over a serial line: `h4:/dev/ttyACM0[,BAUD][,noflow]`, by default 1,000,000 baud with RTS/CTS.
  case serial(path: String, baud: UInt32, flowControl: Bool)
  /// The Linux HCI user channel of adapter N: `hci:N`.
  case userChannel(adapter: UInt16)
  /// No controller, but the link layer of this process on a simulated 2.4 GHz medium: `air:SIMULATION:N`.
  case air(PhyAddress)

  /// Parses the written form. The error states what is invalid.
  package init(_ text: String) throws(SystemFailure) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let rest = parts.count == 2 ? parts[1] : ""
    switch parts[0] {
    case "tcp":
      self = try Self.tcp(rest, in: text)
    case "unix":
      // The path must fit into a socket address, including its final zero byte.
      guard !rest.isEmpty, rest.utf8.count < 108 else {
        throw Self.refused(text, "a socket's path has 1 to 107 bytes")
      }
      self = .unix(path: rest)
    case "h4":
      self = try Self.serial(rest, in: text)
    case "hci":
      guard let adapter = UInt16(rest), adapter < 0xFFFF else {
        throw Self.refused(text, "'\(rest)' is not the number of an adapter")
      }
      self = .userChannel(adapter: adapter)
    case "air":
      guard let address = try? PhyAddress(rest) else {
        throw Self.refused(text, "'\(rest)' is not the name of a simulation and the number of a device")
      }
      self = .air(address)
    default:
      throw Self.refused(text, "'\(parts[0])' is not a way to a controller")
    }
  }

  private static func tcp(_ rest: String, in text: String) throws(SystemFailure) -> RadioAddress {
    guard let colon = rest.lastIndex(of: ":"), let port = UInt16(rest[rest.index(after: colon)...]), port > 0
    else {
      throw refused(text, "it needs a port between 1 and 65535")
    }
    var host = String(rest[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard !host.isEmpty else { throw refused(text, "it needs a host") }
    return .tcp(host: host, port: port)
  }

  private static func serial(_ rest: String, in text: String) throws(SystemFailure) -> RadioAddress {
    let fields = rest.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard let path = fields.first, !path.isEmpty else {
      throw refused(text, "it needs the path of a serial line")
    }
    var baud: UInt32 = 1_000_000
    var flowControl = true
    for field in fields.dropFirst() {
      if field == "noflow" {
        flowControl = false
      } else if let rate = UInt32(field), SerialLine.speed(rate) != nil {
        baud = rate
      } else {
        throw refused(text, "'\(field)' is neither a baud rate of this system nor 'noflow'")
      }
    }
    return .serial(path: path, baud: baud, flowControl: flowControl)
  }

  private static func refused(_ text: String, _ reason: String) -> SystemFailure {
    SystemFailure(
      "use", "'\(text)' as a radio", reason: reason,
      advice:
        "the forms are tcp:HOST:PORT, unix:PATH, h4:/dev/ttyACM0[,BAUD][,noflow], hci:N and air:SIMULATION:N")
  }

  /// Advice for a controller that is present but does not respond.
  package var whatToCheck: String {
    switch self {
    case .tcp, .unix: "is what listens there a controller that speaks HCI with H4 framing, and nobody else's?"
    case .serial(_, let baud, let flowControl):
      "does it speak H4, at \(baud) baud, \(flowControl ? "with" : "without") flow control (RTS/CTS)? "
        + "The form is h4:PATH,BAUD[,noflow]"
    case .userChannel: "check `dmesg` for errors of the adapter"
    case .air: "is the medium running?"
    }
  }

  /// The written form.
  package var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    case .serial(let path, let baud, let flowControl): "h4:\(path),\(baud)\(flowControl ? "" : ",noflow")"
    case .userChannel(let adapter): "hci:\(adapter)"
    case .air(let address): "air:\(address)"
    }
  }
}
