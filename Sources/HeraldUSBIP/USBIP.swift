/// The numbers of USB/IP 1.1.1 (Linux, Documentation/usb/usbip_protocol.rst). All fields of its messages are
/// big-endian, except the setup bytes of control transfers.
package enum USBIP {
  /// Protocol version 1.1.1.
  package static let version: UInt16 = 0x0111
  /// The registered TCP port.
  package static let port: UInt16 = 3240
  /// The size of the bus identifier field in bytes; it is padded with at least one zero.
  package static let busIdentifierSize = 32
  /// The maximum size of a transfer in bytes that this project requests or accepts.
  package static let largestTransfer = 1 << 20
}

extension [UInt8] {
  /// Appends four bytes, most significant first.
  mutating func appendBigEndian(_ value: UInt32) {
    appendBigEndian(UInt16(truncatingIfNeeded: value >> 16))
    appendBigEndian(UInt16(truncatingIfNeeded: value))
  }

  /// Appends two bytes, most significant first.
  mutating func appendBigEndian(_ value: UInt16) {
    append(UInt8(truncatingIfNeeded: value >> 8))
    append(UInt8(truncatingIfNeeded: value))
  }

  /// Appends so many zeros.
  mutating func append(zeros count: Int) { append(contentsOf: repeatElement(0, count: Swift.max(0, count))) }

  /// Appends text, cut and padded with zeros to `size` bytes, of which the last is a zero.
  mutating func append(padded text: some Sequence<UInt8>, to size: Int) {
    let bytes = Array(text.prefix(size - 1))
    append(contentsOf: bytes)
    append(zeros: size - bytes.count)
  }
}

extension Span<UInt8> {
  /// The number in two bytes, most significant first. The caller has checked that they are there.
  func bigEndian16(_ offset: Int) -> UInt16 { UInt16(self[offset]) << 8 | UInt16(self[offset + 1]) }

  /// The number in four bytes, most significant first. The caller has checked that they are there.
  func bigEndian32(_ offset: Int) -> UInt32 {
    UInt32(bigEndian16(offset)) << 16 | UInt32(bigEndian16(offset + 2))
  }
}
