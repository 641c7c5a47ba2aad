import HeraldHAL

/// The endpoints of a controller on USB beside the control endpoint, which takes the commands (Core
/// Specification, Vol 4, Part B, 2.1.1).
extension USBEndpoint {
  /// Events, to the host.
  public static var hciEvents: Self { Self(rawValue: 0x81) }
  /// ACL data, to the host.
  public static var hciDataIn: Self { Self(rawValue: 0x82) }
  /// ACL data, from the host.
  public static var hciDataOut: Self { Self(rawValue: 0x02) }
}

/// The descriptors of a Bluetooth controller on USB (Core Specification, Vol 4, Part B, 2; USB 2.0, 9.6).
///
/// One interface, as LE has no synchronous data: the interface with the isochronous endpoints, 1, does not
/// exist. The endpoint of events has packets of 64 bytes in place of the 16 that the specification suggests:
/// every advertising report fits into one.
public enum HCIUSBDescriptors: USBDescription {
  /// pid.codes.
  public static var vendor: UInt16 { 0x1209 }
  /// A number of pid.codes for tests, until one is registered. It differs from that of the management link.
  public static var product: UInt16 { 0x0002 }

  /// The device descriptor: class wireless controller, RF controller, Bluetooth.
  public static let device: [18 of UInt8] = [
    18, 1, 0x00, 0x02, 0xE0, 0x01, 0x01, 64, 0x09, 0x12, 0x02, 0x00, 0x00, 0x01, 1, 2, 3, 1,
  ]

  /// The configuration with all that is in it: bus-powered, 100 mA.
  public static let configuration: [39 of UInt8] = [
    9, 2, 39, 0, 1, 1, 0, 0x80, 50,
    9, 4, 0, 0, 3, 0xE0, 0x01, 0x01, 0,
    7, 5, 0x81, 3, 64, 0, 1,
    7, 5, 0x82, 2, 64, 0, 0,
    7, 5, 0x02, 2, 64, 0, 0,
  ]

  public static func writeDescriptor(
    _ kind: UInt8, _ number: UInt8, into packet: inout USBResponsePacket
  ) -> Bool {
    switch (kind, number) {
    case (USBDescriptorKind.device, 0): packet.bytes(device.span)
    case (USBDescriptorKind.configuration, 0): packet.bytes(configuration.span)
    case (USBDescriptorKind.string, USBStringIndex.manufacturer): packet.string("Herald Embedded")
    case (USBDescriptorKind.string, USBStringIndex.product): packet.string("Herald Bluetooth LE Controller")
    default: return false
    }
    return true
  }

  public static var interfaceCount: UInt16 { 1 }

  public static func bit(ofEndpoint address: UInt16) -> UInt8? {
    switch address {
    case UInt16(USBEndpoint.hciEvents.rawValue): 1 << 0
    case UInt16(USBEndpoint.hciDataIn.rawValue): 1 << 1
    case UInt16(USBEndpoint.hciDataOut.rawValue): 1 << 2
    default: nil
    }
  }

  public static func bits(ofInterface number: UInt16) -> UInt8 { 0b111 }
}
