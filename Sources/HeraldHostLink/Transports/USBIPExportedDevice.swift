import HeraldText
import HeraldUSBIP

/// A device as listed by a USB/IP server.
public struct USBIPExportedDevice: Equatable, Sendable {
  /// The bus ID for OP_REQ_IMPORT, such as `1-1`.
  public let busID: String
  /// Bus number and device number combined: the `devid` of URBs.
  public let deviceID: UInt32
  /// The speed: 1 low, 2 full, 3 high, 5 super.
  public let speed: UInt32
  /// The USB vendor ID.
  public let vendorID: UInt16
  /// The USB product ID.
  public let productID: UInt16
  /// The number of interface records that follow in a device list.
  let interfaceCount: UInt8
  /// The interfaces from the device list; empty after an import.
  public internal(set) var interfaces: [USBInterfaceKind] = []

  /// Parses a device record.
  init(_ record: USBIPDeviceRecord) {
    busID = PrintableText.of(String(decoding: record.busIdentifier, as: UTF8.self))
    deviceID = record.identifier
    speed = record.speed
    vendorID = record.vendor
    productID = record.product
    interfaceCount = record.interfaceCount
  }
}
