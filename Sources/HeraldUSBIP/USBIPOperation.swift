/// The header of a message of the first phase, in which a client requests devices: version, code and status.
package struct USBIPOperation: Equatable, Sendable {
  /// The operation code.
  package enum Code: UInt16, Sendable {
    /// OP_REQ_DEVLIST: a request for the device list.
    case requestDeviceList = 0x8005
    /// OP_REP_DEVLIST: a count and the devices, each with its interfaces, follow.
    case replyDeviceList = 0x0005
    /// OP_REQ_IMPORT: a bus identifier follows.
    case requestImport = 0x8003
    /// OP_REP_IMPORT: the device follows, if the status is 0.
    case replyImport = 0x0003
  }

  /// How an import ended.
  package enum ImportStatus {
    /// The client has the device.
    package static let good: UInt32 = 0
    /// Another client has it (ST_DEV_BUSY).
    package static let busy: UInt32 = 2
    /// There is no such device (ST_NODEV).
    package static let noDevice: UInt32 = 4
  }

  /// Bytes of the head.
  package static let size = 8

  /// The version of the protocol that the sender speaks.
  package let version: UInt16
  /// A `Code`, or another number that the sender wrote.
  package let code: UInt16
  /// 0 in requests and good answers.
  package let status: UInt32

  /// The head of a message of this version.
  package init(_ code: Code, status: UInt32 = ImportStatus.good) {
    version = USBIP.version
    self.code = code.rawValue
    self.status = status
  }

  /// The head in the first 8 bytes; `nil` if there are fewer.
  package init?(_ bytes: Span<UInt8>) {
    guard bytes.count >= Self.size else { return nil }
    version = bytes.bigEndian16(0)
    code = bytes.bigEndian16(2)
    status = bytes.bigEndian32(4)
  }

  /// As it is sent: 8 bytes.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendBigEndian(version)
    bytes.appendBigEndian(code)
    bytes.appendBigEndian(status)
    return bytes
  }

  /// The request to import a device; `nil` if the identifier is empty or longer than 31 bytes.
  package static func importRequest(busIdentifier: String) -> [UInt8]? {
    let name = busIdentifier.utf8
    guard (1..<USBIP.busIdentifierSize).contains(name.count) else { return nil }
    var bytes = USBIPOperation(.requestImport).bytes
    bytes.append(padded: name, to: USBIP.busIdentifierSize)
    return bytes
  }

  /// The response to a request for devices, up to the first device.
  package static func deviceList(count: UInt32) -> [UInt8] {
    var bytes = USBIPOperation(.replyDeviceList).bytes
    bytes.appendBigEndian(count)
    return bytes
  }

  /// The bus identifier in 32 bytes, up to the first zero.
  package static func busIdentifier(_ field: Span<UInt8>) -> [UInt8] {
    var name: [UInt8] = []
    for index in field.indices {
      if field[index] == 0 { break }
      name.append(field[index])
    }
    return name
  }
}
