/// Whether a debugger that is connected to a device's chip can read its memory, as the device says.
public enum DeviceDebugPort: String, Sendable, Codable {
  /// A debugger can read the device's memory.
  case open
  /// A debugger cannot read the device's memory.
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
