import HeraldDeviceLink
import HeraldHAL
import HeraldLinkLayer
import HeraldUSBIP

/// The USB/IP device list of a server, which has one device.
struct ExportedDevice {
  /// The device record, before a configuration is selected.
  let record: USBIPDeviceRecord
  /// The records of its interfaces, which follow the device record in a device list.
  let interfaces: [UInt8]

  /// A device with these descriptors.
  init(device: [UInt8], configuration: [UInt8]) {
    var record = USBIPDeviceRecord()
    record.path = Array("/sys/devices/platform/herald/usb1/\(USBIPDevice.busIdentifier)".utf8)
    record.busIdentifier = Array(USBIPDevice.busIdentifier.utf8)
    record.bus = 1
    record.number = 2
    // Full speed.
    record.speed = 2
    record.vendor = UInt16(device[9]) << 8 | UInt16(device[8])
    record.product = UInt16(device[11]) << 8 | UInt16(device[10])
    record.release = UInt16(device[13]) << 8 | UInt16(device[12])
    record.kind = (device[4], device[5], device[6])
    record.configurationCount = device[17]
    record.interfaceCount = configuration[4]
    self.record = record
    var interfaces: [UInt8] = []
    var offset = 0
    while offset < configuration.count, configuration[offset] > 0 {
      // An interface descriptor.
      if configuration[offset + 1] == 4 { interfaces += configuration[(offset + 5)..<(offset + 8)] + [0] }
      offset += Int(configuration[offset])
    }
    self.interfaces = interfaces
  }

  /// The management link.
  static let management = ExportedDevice(
    device: USBDescriptors.device.span.bytes, configuration: USBDescriptors.configuration.span.bytes)
  /// The Bluetooth controller.
  static let controller = ExportedDevice(
    device: HCIUSBDescriptors.device.span.bytes, configuration: HCIUSBDescriptors.configuration.span.bytes)
}

extension Span<UInt8> {
  fileprivate var bytes: [UInt8] { withUnsafeBufferPointer { Array($0) } }
}
