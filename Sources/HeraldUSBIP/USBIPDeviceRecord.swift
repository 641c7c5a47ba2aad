/// A device as a server describes it, without its interfaces.
package struct USBIPDeviceRecord: Equatable, Sendable {
  /// Bytes of a record.
  package static let size = 312

  private static let pathSize = 256

  /// Where the server has it, at most 255 bytes.
  package var path: [UInt8] = []
  /// What an import names it by, at most 31 bytes of ASCII.
  package var busIdentifier: [UInt8] = []
  /// The number of its bus.
  package var bus: UInt32 = 0
  /// The device's number on that bus.
  package var number: UInt32 = 0
  /// 1 low, 2 full, 3 high, 5 super.
  package var speed: UInt32 = 0
  /// USB vendor.
  package var vendor: UInt16 = 0
  /// USB product.
  package var product: UInt16 = 0
  /// `bcdDevice`.
  package var release: UInt16 = 0
  /// Class, subclass and protocol.
  package var kind: (UInt8, UInt8, UInt8) = (0, 0, 0)
  /// `bConfigurationValue` of the configuration that is set; 0 for none.
  package var configuration: UInt8 = 0
  /// How many configurations it has.
  package var configurationCount: UInt8 = 0
  /// How many records of interfaces follow in a list of devices.
  package var interfaceCount: UInt8 = 0

  /// A record of zeros.
  package init() {}

  /// The record in the first 312 bytes; `nil` if there are fewer.
  package init?(_ bytes: Span<UInt8>) {
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
  package var bytes: [UInt8] {
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
  package var identifier: UInt32 { bus << 16 | number & 0xFFFF }

  /// Whether all fields are the same.
  package static func == (left: Self, right: Self) -> Bool { left.bytes == right.bytes }
}
