/// Whether a debugger that is connected to a device's chip can read its memory, as the device says.
public enum DeviceDebugPort: String, Sendable, Codable {
  /// It can.
  case open
  /// It cannot.
  case closed
  /// The device does not say it.
  case unknown

  /// As text.
  public var words: String {
    switch self {
    case .open: "open (`herald-flash lock` closes it)"
    case .closed: "closed"
    case .unknown: "not known"
    }
  }
}
