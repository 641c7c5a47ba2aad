import HeraldHAL

/// The init packet for a boot loader of nRF5 SDK 11 or earlier, sent before the application. Numbers are
/// little-endian.
package struct LegacyInitPacket: Equatable {
  /// 0x52 for what Adafruit's boot loader takes.
  package var deviceType: UInt16 = 0x52
  /// All ones for any.
  package var deviceRevision: UInt16 = 0xFFFF
  /// All ones for none.
  package var applicationVersion: UInt32 = 0xFFFF_FFFF
  /// The numbers of the SoftDevices of which one has to be there; FFFE for any.
  package var softDevices: [UInt16]
  /// What the application is compared with: its CRC-16, or what a boot loader for signed applications asks
  /// for.
  package var check: [UInt8]

  /// The init packet of `application`.
  package init(application: [UInt8], softDevices: [UInt16]) {
    self.softDevices = softDevices
    check = Self.checksum(application)
  }

  /// Whether the application is verified only by its CRC-16, without a signature.
  package var isPlain: Bool { check.count == 2 }

  /// Whether it is consistent with `application`: a CRC-16 must match; a signature is not verified.
  package func agrees(with application: [UInt8]) -> Bool { !isPlain || check == Self.checksum(application) }

  /// Creates a copy for another application with its CRC-16, and other SoftDevices.
  package func with(application: [UInt8], softDevices: [UInt16]) -> LegacyInitPacket {
    var other = self
    other.softDevices = softDevices
    other.check = Self.checksum(application)
    return other
  }

  private static func checksum(_ application: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: CRC16.initiallyOnes(application))
    return bytes
  }

  /// The bytes of the packet, as they are in a package.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: deviceType)
    bytes.append(littleEndian: deviceRevision)
    bytes.append(littleEndian: applicationVersion)
    for number in [UInt16(truncatingIfNeeded: softDevices.count)] + softDevices {
      bytes.append(littleEndian: number)
    }
    return bytes + check
  }

  /// Reads a packet.
  /// - Throws: `FirmwareError` if it is none.
  package init(_ packet: [UInt8]) throws(FirmwareError) {
    func number(_ offset: Int, _ count: Int) throws(FirmwareError) -> UInt32 {
      guard offset + count <= packet.count else { throw FirmwareError("the init packet is damaged") }
      return (0..<count).reduce(0) { $0 | UInt32(packet[offset + $1]) << UInt32(8 * $1) }
    }
    func half(_ offset: Int) throws(FirmwareError) -> UInt16 { UInt16(try number(offset, 2)) }
    deviceType = try half(0)
    deviceRevision = try half(2)
    applicationVersion = try number(4, 4)
    softDevices = []
    let end = 10 + 2 * Int(try half(8))
    for offset in stride(from: 10, to: end, by: 2) { softDevices.append(try half(offset)) }
    _ = try half(end)
    check = Array(packet[end...])
  }
}
