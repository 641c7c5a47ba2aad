import HeraldHAL
import HeraldText

/// The messages of USB/IP 1.1.1 (Linux, Documentation/usb/usbip_protocol.rst). Everything is big-endian
/// except the setup bytes of control transfers.
enum USBIPMessage {
  /// Protocol version 1.1.1.
  static let version: UInt16 = 0x0111
  /// The registered TCP port.
  static let port: UInt16 = 3240
  /// Bytes of a message header in the URB phase.
  static let headerSize = 48
  /// Bytes of a device record.
  static let deviceSize = 312
  /// The largest transfer the client asks for or believes.
  static let largestTransfer = 1 << 20

  static func requestDeviceList() -> [UInt8] {
    bigEndian(version) + bigEndian(UInt16(0x8005)) + [0, 0, 0, 0]
  }

  /// `nil` if the bus id does not fit its 32-byte field (31 and a zero).
  static func requestImport(busID: String) -> [UInt8]? {
    let name = Array(busID.utf8)
    guard (1...31).contains(name.count) else { return nil }
    return bigEndian(version) + bigEndian(UInt16(0x8003)) + [0, 0, 0, 0] + name
      + [UInt8](repeating: 0, count: 32 - name.count)
  }

  /// CMD_SUBMIT. `endpoint` is 0…15; `length` the bytes wanted (in) or given (out); the data of an OUT
  /// transfer follows.
  static func submit(
    sequence: UInt32, device: UInt32, isIn: Bool, endpoint: UInt8, length: Int, setup: [UInt8]
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    for field in [1, sequence, device, isIn ? 1 : 0, UInt32(endpoint), 0, UInt32(length), 0, 0xFFFF_FFFF, 0] {
      bytes += bigEndian(field)
    }
    return bytes + setup
  }

  /// CMD_UNLINK of the transfer `victim`.
  static func unlink(sequence: UInt32, device: UInt32, victim: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    for field in [2, sequence, device, 0, 0, victim] { bytes += bigEndian(field) }
    return bytes + [UInt8](repeating: 0, count: 24)
  }

  static func bigEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}

/// A device as a USB/IP server describes it.
public struct USBIPDevice: Equatable, Sendable {
  /// What OP_REQ_IMPORT names it by, such as `1-1`.
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

  /// Parses the 312 bytes of a device record; `nil` if there are fewer.
  init?(_ bytes: Span<UInt8>) {
    var reader = ByteReader(bytes)
    guard reader.skip(256), let name = reader.bytes(32), let bus = reader.bigEndianU32(),
      let number = reader.bigEndianU32(), let speed = reader.bigEndianU32(),
      let vendorID = reader.bigEndianU16(),
      let productID = reader.bigEndianU16(), reader.skip(7), let interfaceCount = reader.u8()
    else { return nil }
    var text: [UInt8] = []
    for index in 0..<name.count {
      if name[index] == 0 { break }
      text.append(name[index])
    }
    busID = PrintableText.of(String(decoding: text, as: UTF8.self))
    deviceID = bus << 16 | number & 0xFFFF
    self.speed = speed
    self.vendorID = vendorID
    self.productID = productID
    self.interfaceCount = interfaceCount
  }
}

/// What a server answers in the URB phase.
struct USBIPReply: Equatable {
  enum Kind: Equatable {
    /// RET_SUBMIT: `status` 0 or a negative Linux error number, and how many bytes were moved.
    case submitted(status: Int32, actual: Int)
    /// RET_UNLINK.
    case unlinked(status: Int32)
  }
  let kind: Kind
  let sequence: UInt32

  /// Parses a 48-byte header; `nil` for any other command and for lengths nobody asked for.
  init?(_ bytes: Span<UInt8>) {
    var reader = ByteReader(bytes)
    guard let command = reader.bigEndianU32(), let sequence = reader.bigEndianU32(), reader.skip(12),
      let status = reader.bigEndianU32(), let actual = reader.bigEndianU32()
    else { return nil }
    self.sequence = sequence
    switch command {
    case 3 where actual <= UInt32(USBIPMessage.largestTransfer):
      kind = .submitted(status: Int32(bitPattern: status), actual: Int(actual))
    case 4: kind = .unlinked(status: Int32(bitPattern: status))
    default: return nil
    }
  }
}
