import HeraldText
import HeraldUSBIP

/// A device as a USB/IP server describes it.
public struct USBIPDevice: Equatable, Sendable {
  /// The bus id for OP_REQ_IMPORT, such as `1-1`.
  public let busID: String
  /// Bus and device number in one, the `devid` of the URB phase.
  public let deviceID: UInt32
  /// 1 low, 2 full, 3 high, 5 super.
  public let speed: UInt32
  /// USB vendor.
  public let vendorID: UInt16
  /// USB product.
  public let productID: UInt16
  /// How many interface records follow in a device list.
  let interfaceCount: UInt8
  /// From the device list; empty after an import.
  public internal(set) var interfaces: [USBInterfaceKind] = []

  /// From a device record.
  init(_ record: USBIPDeviceRecord) {
    busID = PrintableText.of(String(decoding: record.busIdentifier, as: UTF8.self))
    deviceID = record.identifier
    speed = record.speed
    vendorID = record.vendor
    productID = record.product
    interfaceCount = record.interfaceCount
  }
}
