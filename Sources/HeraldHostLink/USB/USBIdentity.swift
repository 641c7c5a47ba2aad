/// The string descriptors of a USB device, sanitised for display; empty if it has none.
public struct USBIdentity: Equatable, Sendable, Codable {
  /// The manufacturer string.
  public var manufacturer = ""
  /// The product string; empty if the device has none.
  public var product = ""
  /// The serial number string.
  public var serial = ""

  /// Creates an identity with all strings empty.
  public init() {}
}
