import HeraldDeviceLink
import HeraldUSBIP

/// The USB/IP device list of the server, which has one device.
enum ExportedDevice {
  /// The device record, before a configuration is selected.
  static var record: USBIPDeviceRecord {
    let device = USBDescriptors.device
    var record = USBIPDeviceRecord()
    record.path = Array("/sys/devices/platform/herald/usb1/\(USBIPDevice.busIdentifier)".utf8)
    record.busIdentifier = Array(USBIPDevice.busIdentifier.utf8)
    record.bus = 1
    record.number = 2
    // Full speed.
    record.speed = 2
    record.vendor = USBDescriptors.vendor
    record.product = USBDescriptors.product
    record.release = UInt16(device[13]) << 8 | UInt16(device[12])
    record.kind = (device[4], device[5], device[6])
    record.configurationCount = device[17]
    record.interfaceCount = UInt8(USBDescriptors.interfacePlaces.count)
    return record
  }

  /// The records of its interfaces, which follow the device record in a device list.
  static var interfaces: [UInt8] {
    let places = USBDescriptors.interfacePlaces
    var bytes: [UInt8] = []
    for index in places.indices {
      bytes += (5..<8).map { USBDescriptors.configuration[Int(places[index]) + $0] } + [0]
    }
    return bytes
  }
}
