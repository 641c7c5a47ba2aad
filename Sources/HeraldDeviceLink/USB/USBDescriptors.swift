import HeraldHAL

/// The descriptors of the device (USB 2.0, 9.6; USB 3.2, 9.6.2 for the BOS; CDC 1.2 and PSTN 1.2 for the
/// serial port; docs/wire-formats.md).
///
/// One configuration with two functions: the management link, one interface, vendor-specific, two bulk
/// endpoints; and a serial port (CDC-ACM), two interfaces with three endpoints, for programs without support
/// for the former. Its protocol is 0, not 1 ("AT commands"): so hosts do not take it for a modem.
public enum USBDescriptors: USBDescription {
  /// pid.codes.
  public static var vendor: UInt16 { 0x1209 }
  /// A number of pid.codes for tests, until one is registered.
  public static var product: UInt16 { 0x0001 }
  /// The link's class: vendor-specific.
  public static var linkClass: UInt8 { 0xFF }
  /// The link's subclass.
  public static var linkSubclass: UInt8 { 0x48 }
  /// The link's protocol: SMP packets.
  public static var linkProtocol: UInt8 { 0x01 }
  /// Bytes of the longest packet on every endpoint but `serialState`, which has 16.
  public static var packetSize: Int { 64 }

  /// bRequest of the request for the Microsoft set, wIndex 7.
  static var microsoftRequest: UInt8 { 0x20 }
  /// wIndex of that request.
  static var microsoftSetIndex: UInt16 { 7 }

  /// The index of a string, beside those of `USBStringIndex`.
  enum Text {
    static var link: UInt8 { 4 }
    static var serialPort: UInt8 { 5 }
  }

  /// The number of an interface.
  enum Interface {
    static var link: UInt16 { 0 }
    static var serialControl: UInt16 { 1 }
    static var serialData: UInt16 { 2 }
  }

  /// The device descriptor. Version 2.01, so that hosts request the BOS; the class means that there are
  /// functions of more than one interface. Windows remembers the Microsoft set by vendor, product and
  /// bcdDevice: bcdDevice is incremented whenever the interfaces change.
  public static let device: [18 of UInt8] = [
    18, 1, 0x01, 0x02, 0xEF, 0x02, 0x01, 64, 0x09, 0x12, 0x01, 0x00, 0x00, 0x02, 1, 2, 3, 1,
  ]

  /// The configuration with all that is in it: bus-powered, 100 mA.
  public static let configuration: [98 of UInt8] = [
    9, 2, 98, 0, 3, 1, 0, 0x80, 50,
    // The management link.
    9, 4, 0, 0, 2, 0xFF, 0x48, 0x01, 4,
    7, 5, 0x01, 2, 64, 0, 0,
    7, 5, 0x81, 2, 64, 0, 0,
    // The serial port: two interfaces from 1 on.
    8, 11, 1, 2, 0x02, 0x02, 0x00, 5,
    9, 4, 1, 0, 1, 0x02, 0x02, 0x00, 5,
    // CDC 1.20; no call management; line coding, line state and serial state; control interface 1, data
    // interface 2.
    5, 0x24, 0x00, 0x20, 0x01,
    5, 0x24, 0x01, 0x00, 2,
    4, 0x24, 0x02, 0x02,
    5, 0x24, 0x06, 1, 2,
    7, 5, 0x83, 3, 16, 0, 16,
    9, 4, 2, 0, 2, 0x0A, 0x00, 0x00, 0,
    7, 5, 0x02, 2, 64, 0, 0,
    7, 5, 0x82, 2, 64, 0, 0,
  ]

  /// The binary object store: WebUSB 1.0 (request 0x21, no landing page: each of its requests is refused),
  /// and Microsoft's descriptors 2.0 from Windows 8.1 on.
  public static let bos: [57 of UInt8] = [
    5, 15, 57, 0, 2,
    24, 16, 5, 0, 0x38, 0xB6, 0x08, 0x34, 0xA9, 0x09, 0xA0, 0x47, 0x8B, 0xFD, 0xA0, 0x76, 0x88, 0x15, 0xB6,
    0x65,
    0x00, 0x01, 0x21, 0,
    28, 16, 5, 0, 0xDF, 0x60, 0xDD, 0xD8, 0x89, 0x45, 0xC7, 0x4C, 0x9C, 0xD2, 0x65, 0x9D, 0x9E, 0x64, 0x8A,
    0x9F,
    0x00, 0x00, 0x03, 0x06, 178, 0, 0x20, 0,
  ]

  /// Microsoft's descriptor set up to its text: WinUSB is the driver of the function that begins with
  /// interface 0, which programs find by an interface GUID. The serial port has Windows' own driver.
  ///
  /// The configuration is requested by its index, 0, as Windows does.
  private static let microsoftSet: [54 of UInt8] = [
    10, 0, 0, 0, 0x00, 0x00, 0x03, 0x06, 178, 0,
    // Configuration, function.
    8, 0, 1, 0, 0, 0, 168, 0,
    8, 0, 2, 0, 0, 0, 160, 0,
    // Compatible ID: WINUSB.
    20, 0, 3, 0, 0x57, 0x49, 0x4E, 0x55, 0x53, 0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    // Registry property: several strings, the name of 42 bytes.
    132, 0, 4, 0, 7, 0, 42, 0,
  ]

  /// Writes Microsoft's descriptor set.
  public static func writeVendorResponse(into packet: inout USBResponsePacket) {
    packet.bytes(microsoftSet.span)
    packet.utf16("DeviceInterfaceGUIDs")
    packet.u16(0)
    packet.u16(80)
    packet.utf16("{12B5411F-163C-43C4-A1E9-592AA4754B28}")
    packet.u16(0)
    packet.u16(0)
  }

  public static func writeDescriptor(
    _ kind: UInt8, _ number: UInt8, into packet: inout USBResponsePacket
  ) -> Bool {
    switch (kind, number) {
    case (USBDescriptorKind.device, 0): packet.bytes(device.span)
    case (USBDescriptorKind.configuration, 0):
      // One by one: a span of a constant this long is one of a copy on the stack.
      for index in 0..<98 { packet.u8(configuration[index]) }
    case (USBDescriptorKind.bos, 0): packet.bytes(bos.span)
    case (USBDescriptorKind.string, _):
      guard let text = text(number) else { return false }
      packet.string(text)
    default: return false
    }
    return true
  }

  public static var interfaceCount: UInt16 { 3 }

  public static func bit(ofEndpoint address: UInt16) -> UInt8? {
    switch address {
    case UInt16(USBEndpoint.linkOut.rawValue): return 1 << 0
    case UInt16(USBEndpoint.linkIn.rawValue): return 1 << 1
    case UInt16(USBEndpoint.serialOut.rawValue): return 1 << 2
    case UInt16(USBEndpoint.serialIn.rawValue): return 1 << 3
    case UInt16(USBEndpoint.serialState.rawValue): return 1 << 4
    default: return nil
    }
  }

  public static func bits(ofInterface number: UInt16) -> UInt8 {
    switch number {
    case Interface.link: 0b0_0011
    case Interface.serialControl: 0b1_0000
    default: 0b0_1100
    }
  }

  /// The constant text of a string; `nil` for the others, and where there is none.
  static func text(_ number: UInt8) -> StaticString? {
    switch number {
    case USBStringIndex.manufacturer: "Herald Embedded"
    case USBStringIndex.product: "Herald Wearable"
    case Text.link: "Herald management (SMP)"
    case Text.serialPort: "Herald management (SMP, serial)"
    default: nil
    }
  }
}
