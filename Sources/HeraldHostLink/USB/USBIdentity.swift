/// The string descriptors of a USB device, safe to print; empty where it has none.
public struct USBIdentity: Equatable, Sendable, Codable {
  /// The manufacturer string.
  public var manufacturer = ""
  /// The product string; empty if the device has none.
  public var product = ""
  /// The serial number string.
  public var serial = ""

  /// An identity with all strings empty.
  public init() {}
}
