import HeraldDeviceLink

/// The messages of USB/IP (Linux, Documentation/usb/usbip_protocol.rst). Everything is big-endian but the
/// setup packet.
enum USBIP {
  /// Protocol version 1.1.1.
  static let version: UInt16 = 0x0111
  static let requestDeviceList: UInt16 = 0x8005
  static let replyDeviceList: UInt16 = 0x0005
  static let requestImport: UInt16 = 0x8003
  static let replyImport: UInt16 = 0x0003

  static let submit: UInt32 = 1
  static let unlink: UInt32 = 2
  static let submitReply: UInt32 = 3
  static let unlinkReply: UInt32 = 4

  /// Bytes of a version, a code and a status.
  static let operationSize = 8
  /// Bytes of a bus identifier, padded with zeros.
  static let busIdentifierSize = 32
  /// Bytes of a header of the second phase.
  static let headerSize = 48
  /// URB_ZERO_PACKET of the transfer flags.
  static let zeroPacketFlag: UInt32 = 0x40

  /// Statuses of an import.
  static let statusOK: UInt32 = 0
  static let statusBusy: UInt32 = 2
  static let statusNoDevice: UInt32 = 4
}

/// The big-endian number in four bytes of a message.
func bigEndian32(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
  bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
}

/// The big-endian number in two bytes of a message.
func bigEndian16(_ bytes: [UInt8], _ offset: Int) -> UInt16 {
  UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
}

extension [UInt8] {
  /// Appends four bytes, most significant first.
  mutating func appendBigEndian(_ value: UInt32) {
    append(contentsOf: [
      UInt8(truncatingIfNeeded: value >> 24), UInt8(truncatingIfNeeded: value >> 16),
      UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value),
    ])
  }

  /// Appends two bytes, most significant first.
  mutating func appendBigEndian(_ value: UInt16) {
    append(UInt8(truncatingIfNeeded: value >> 8))
    append(UInt8(truncatingIfNeeded: value))
  }

  /// Appends ASCII text, padded with zeros to `size` bytes.
  mutating func append(padded text: String, to size: Int) {
    let bytes = text.utf8.prefix(size - 1)
    append(contentsOf: bytes)
    append(contentsOf: repeatElement(0, count: size - bytes.count))
  }

  /// Appends what USB/IP tells about our device: 312 bytes, and 4 for each of its interfaces if that is
  /// wanted.
  mutating func appendDevice(configuration: UInt8, withInterfaces: Bool) {
    append(padded: "/sys/devices/platform/herald/usb1/\(USBIPDevice.busIdentifier)", to: 256)
    append(padded: USBIPDevice.busIdentifier, to: USBIP.busIdentifierSize)
    appendBigEndian(UInt32(1))
    appendBigEndian(UInt32(2))
    // Full speed.
    appendBigEndian(UInt32(2))
    appendBigEndian(USBDescriptors.vendor)
    appendBigEndian(USBDescriptors.product)
    let device = USBDescriptors.device
    let interfaces = USBDescriptors.interfacePlaces
    append(contentsOf: [
      device[13], device[12], device[4], device[5], device[6], configuration, device[17],
      UInt8(interfaces.count),
    ])
    guard withInterfaces else { return }
    for index in interfaces.indices {
      let place = Int(interfaces[index])
      append(contentsOf: (5..<8).map { USBDescriptors.configuration[place + $0] } + [0])
    }
  }

  /// Appends the answer to a transfer.
  mutating func append(_ completion: VirtualUSBController.Completion) {
    appendBigEndian(USBIP.submitReply)
    appendBigEndian(completion.sequence)
    // Device, direction and endpoint are 0 in answers.
    for _ in 0..<3 { appendBigEndian(UInt32(0)) }
    appendBigEndian(UInt32(bitPattern: completion.status))
    appendBigEndian(UInt32(clamping: completion.count))
    // Start frame, packets, errors: only isochronous transfers have them.
    for _ in 0..<3 { appendBigEndian(UInt32(0)) }
    append(contentsOf: repeatElement(0, count: 8))
    append(contentsOf: completion.data)
  }

  /// Appends the answer to an unlink.
  mutating func appendUnlinked(_ sequence: UInt32, status: Int32) {
    appendBigEndian(USBIP.unlinkReply)
    appendBigEndian(sequence)
    for _ in 0..<3 { appendBigEndian(UInt32(0)) }
    appendBigEndian(UInt32(bitPattern: status))
    append(contentsOf: repeatElement(0, count: 24))
  }
}
