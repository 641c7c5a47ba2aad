/// The texts by which a device introduces itself over USB, safe to print; empty where it has none.
public struct USBIdentity: Equatable, Sendable, Codable {
  /// Who made it.
  public var manufacturer = ""
  /// The product string; empty if the device has none.
  public var product = ""
  /// Which one it is.
  public var serial = ""

  /// No texts.
  public init() {}
}
