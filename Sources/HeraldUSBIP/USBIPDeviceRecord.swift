/// A device as a server describes it, without its interfaces.
public struct USBIPDeviceRecord: Equatable, Sendable {
  /// Bytes of a record.
  public static let size = 312
  /// Bytes of the record of an interface: class, subclass, protocol and a zero.
  public static let interfaceSize = 4

  private static let pathSize = 256

  /// Where the server has it, at most 255 bytes.
  public var path: [UInt8] = []
  /// What an import names it by, at most 31 bytes of ASCII.
  public var busIdentifier: [UInt8] = []
  /// The number of its bus.
  public var bus: UInt32 = 0
  /// The device's number on that bus.
  public var number: UInt32 = 0
  /// 1 low, 2 full, 3 high, 5 super.
  public var speed: UInt32 = 0
  /// USB vendor.
  public var vendor: UInt16 = 0
  /// USB product.
  public var product: UInt16 = 0
  /// `bcdDevice`.
  public var release: UInt16 = 0
  /// Class, subclass and protocol.
  public var kind: (UInt8, UInt8, UInt8) = (0, 0, 0)
  /// `bConfigurationValue` of the configuration that is set; 0 for none.
  public var configuration: UInt8 = 0
  /// How many configurations it has.
  public var configurationCount: UInt8 = 0
  /// How many records of interfaces follow in a list of devices.
  public var interfaceCount: UInt8 = 0

  /// A record of zeros.
  public init() {}

  /// The record in the first 312 bytes; `nil` if there are fewer.
  public init?(_ bytes: Span<UInt8>) {
    guard bytes.count >= Self.size else { return nil }
    path = USBIPOperation.busIdentifier(bytes.extracting(0..<Self.pathSize))
    busIdentifier = USBIPOperation.busIdentifier(bytes.extracting(256..<288))
    bus = bytes.bigEndian32(288)
    number = bytes.bigEndian32(292)
    speed = bytes.bigEndian32(296)
    vendor = bytes.bigEndian16(300)
    product = bytes.bigEndian16(302)
    release = bytes.bigEndian16(304)
    kind = (bytes[306], bytes[307], bytes[308])
    configuration = bytes[309]
    configurationCount = bytes[310]
    interfaceCount = bytes[311]
  }

  /// As it is sent: 312 bytes.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.size)
    bytes.append(padded: path, to: Self.pathSize)
    bytes.append(padded: busIdentifier, to: USBIP.busIdentifierSize)
    for number in [bus, number, speed] { bytes.appendBigEndian(number) }
    for number in [vendor, product, release] { bytes.appendBigEndian(number) }
    bytes += [kind.0, kind.1, kind.2, configuration, configurationCount, interfaceCount]
    return bytes
  }

  /// Bus and device number in one, as messages of the second phase name the device.
  public var identifier: UInt32 { bus << 16 | number & 0xFFFF }

  /// Whether all fields are the same.
  public static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
}
