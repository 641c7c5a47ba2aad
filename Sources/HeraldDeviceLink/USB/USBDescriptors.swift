import HeraldEmbedded

/// What the device says it is (USB 2.0, 9.6; USB 3.2, 9.6.2 for the BOS; docs/wire-formats.md).
///
/// One configuration with one interface: the management link, vendor-specific, two bulk endpoints. An interface that is added goes
/// behind it in `configuration`; with a second one the device is composite, and `microsoftSet` then needs its two
/// features wrapped in a configuration and a function subset, which a device with one interface must not have.
public enum USBDescriptors {
  /// pid.codes.
  public static var vendor: UInt16 { 0x1209 }
  /// A number of pid.codes for tests, until one is registered.
  public static var product: UInt16 { 0x0001 }
  /// The interface's class: vendor-specific.
  public static var linkClass: UInt8 { 0xFF }
  /// The interface's subclass.
  public static var linkSubclass: UInt8 { 0x48 }
  /// The interface's protocol: SMP packets.
  public static var linkProtocol: UInt8 { 0x01 }
  /// Bytes of the longest packet on every endpoint.
  public static var packetSize: Int { 64 }

  /// The value that selects the one configuration.
  static var configurationValue: UInt8 { 1 }
  /// bRequest of the request for `microsoftSet`, wIndex 7.
  static var microsoftRequest: UInt8 { 0x20 }
  /// wIndex of that request.
  static var microsoftSetIndex: UInt16 { 7 }
  /// bRequest of WebUSB's requests. There is no landing page, so each of them is refused.
  static var webRequest: UInt8 { 0x21 }
  /// Bytes of `writeMicrosoftSet`.
  static var microsoftSetSize: UInt16 { 162 }

  /// Which descriptor: the high byte of wValue in Get Descriptor.
  enum Kind {
    static var device: UInt8 { 1 }
    static var configuration: UInt8 { 2 }
    static var string: UInt8 { 3 }
    static var bos: UInt8 { 15 }
  }

  /// Which string.
  enum Text {
    static var languages: UInt8 { 0 }
    static var manufacturer: UInt8 { 1 }
    static var product: UInt8 { 2 }
    static var serialNumber: UInt8 { 3 }
    static var link: UInt8 { 4 }
  }

  /// The device descriptor. Version 2.01, so that hosts ask for the BOS.
  public static let device: [18 of UInt8] = [
    18, 1, 0x01, 0x02, 0, 0, 0, 64, 0x09, 0x12, 0x01, 0x00, 0x00, 0x01, 1, 2, 3, 1,
  ]

  /// The configuration with all that is in it: bus-powered, 100 mA.
  public static let configuration: [32 of UInt8] = [
    9, 2, 32, 0, 1, 1, 0, 0x80, 50,
    9, 4, 0, 0, 2, 0xFF, 0x48, 0x01, 4,
    7, 5, 0x01, 2, 64, 0, 0,
    7, 5, 0x81, 2, 64, 0, 0,
  ]

  /// The binary object store: WebUSB 1.0, and Microsoft's descriptors 2.0 from Windows 8.1 on.
  public static let bos: [57 of UInt8] = [
    5, 15, 57, 0, 2,
    24, 16, 5, 0, 0x38, 0xB6, 0x08, 0x34, 0xA9, 0x09, 0xA0, 0x47, 0x8B, 0xFD, 0xA0, 0x76, 0x88, 0x15, 0xB6,
    0x65,
    0x00, 0x01, 0x21, 0,
    28, 16, 5, 0, 0xDF, 0x60, 0xDD, 0xD8, 0x89, 0x45, 0xC7, 0x4C, 0x9C, 0xD2, 0x65, 0x9D, 0x9E, 0x64, 0x8A,
    0x9F,
    0x00, 0x00, 0x03, 0x06, 162, 0, 0x20, 0,
  ]

  /// Microsoft's descriptor set: WinUSB is its driver, and programs find it by this interface GUID.
  @_lifetime(writer: copy writer)
  static func writeMicrosoftSet(_ writer: inout ByteWriter) {
    writer.u16(10)
    writer.u16(0)
    writer.u32(0x0603_0000)
    writer.u16(microsoftSetSize)
    // Compatible ID.
    writer.u16(20)
    writer.u16(3)
    writer.text("WINUSB")
    writer.u16(0)
    writer.u64(0)
    // Registry property, several strings.
    writer.u16(132)
    writer.u16(4)
    writer.u16(7)
    writer.u16(42)
    writer.utf16("DeviceInterfaceGUIDs")
    writer.u16(0)
    writer.u16(80)
    writer.utf16("{12B5411F-163C-43C4-A1E9-592AA4754B28}")
    writer.u32(0)
  }

  /// The string descriptor of a text constant.
  @_lifetime(writer: copy writer)
  static func write(_ text: StaticString, _ writer: inout ByteWriter) {
    writer.u8(UInt8(truncatingIfNeeded: 2 &+ 2 &* text.utf8CodeUnitCount))
    writer.u8(Kind.string)
    writer.utf16(text)
  }
}

extension ByteWriter {
  /// Appends an ASCII constant in UTF-16, little-endian.
  @_lifetime(self: copy self)
  fileprivate mutating func utf16(_ text: StaticString) {
    guard text.hasPointerRepresentation else { return }
    for index in 0..<text.utf8CodeUnitCount { u16(UInt16(text.utf8Start[index])) }
  }
}
