/// The header of a message of the second phase from the server: 48 bytes.
package struct USBIPReply: Equatable, Sendable {
  /// What is answered.
  package enum Kind: Equatable, Sendable {
    /// RET_SUBMIT: `status` is 0 or a negative Linux error number, `actual` how many bytes were moved. The
    /// data of an IN transfer follow.
    case submitted(status: Int32, actual: Int)
    /// RET_UNLINK: `status` is -104 (ECONNRESET) if the transfer was still waiting, else 0.
    case unlinked(status: Int32)
  }

  /// Bytes of a header.
  package static let size = 48

  /// The number of the command.
  package let sequence: UInt32
  /// What is answered.
  package let kind: Kind

  /// Stated one by one.
  package init(sequence: UInt32, _ kind: Kind) {
    self.sequence = sequence
    self.kind = kind
  }

  /// The reply in the first 48 bytes; `nil` if there are fewer, for any other message, and for more bytes
  /// than `USBIP.largestTransfer`.
  package init?(_ bytes: Span<UInt8>) {
    guard bytes.count >= Self.size else { return nil }
    sequence = bytes.bigEndian32(4)
    let status = Int32(bitPattern: bytes.bigEndian32(20))
    let actual = bytes.bigEndian32(24)
    switch bytes.bigEndian32(0) {
    case 3 where actual <= UInt32(USBIP.largestTransfer):
      kind = .submitted(status: status, actual: Int(actual))
    case 4: kind = .unlinked(status: status)
    default: return nil
    }
  }

  /// As it is sent: 48 bytes. Device, direction and endpoint are 0 in responses; start frame, packets and
  /// errors are those of isochronous transfers only.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.size)
    let fields: [UInt32] =
      switch kind {
      case .submitted(let status, let actual):
        [3, sequence, 0, 0, 0, UInt32(bitPattern: status), UInt32(clamping: actual)]
      case .unlinked(let status): [4, sequence, 0, 0, 0, UInt32(bitPattern: status)]
      }
    for field in fields { bytes.appendBigEndian(field) }
    bytes.append(zeros: Self.size - bytes.count)
    return bytes
  }
}
