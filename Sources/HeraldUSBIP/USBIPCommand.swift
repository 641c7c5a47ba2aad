/// The header of a message of the second phase from the client, in which transfers run: 48 bytes.
package struct USBIPCommand: Equatable, Sendable {
  /// What is asked.
  package enum Kind: Equatable, Sendable {
    /// CMD_SUBMIT: a transfer of so many bytes, with `transfer_flags` and eight setup bytes, which are zeros
    /// unless the endpoint is 0. The data of an OUT transfer follow.
    case submit(flags: UInt32, length: Int, setup: [UInt8])
    /// CMD_UNLINK: the transfer with that number is no longer wanted.
    case unlink(victim: UInt32)
  }

  /// Bytes of a header.
  package static let size = 48
  /// URB_ZERO_PACKET: an OUT transfer of whole packets is ended by an empty one.
  package static let zeroPacketFlag: UInt32 = 0x40

  /// The number of the transfer, which the response has, too.
  package let sequence: UInt32
  /// `USBIPDeviceRecord.identifier`.
  package let device: UInt32
  /// Whether data go to the client.
  package let isIn: Bool
  /// 0…15.
  package let endpoint: UInt8
  /// What is asked.
  package let kind: Kind

  /// Stated one by one.
  package init(sequence: UInt32, device: UInt32, isIn: Bool, endpoint: UInt8, _ kind: Kind) {
    self.sequence = sequence
    self.device = device
    self.isIn = isIn
    self.endpoint = endpoint
    self.kind = kind
  }

  /// The command in the first 48 bytes; `nil` if there are fewer, or it is another command, or a transfer
  /// that is isochronous, longer than `USBIP.largestTransfer` or of an endpoint that USB does not have.
  package init?(_ bytes: Span<UInt8>) {
    guard bytes.count >= Self.size else { return nil }
    sequence = bytes.bigEndian32(4)
    device = bytes.bigEndian32(8)
    let direction = bytes.bigEndian32(12)
    let number = bytes.bigEndian32(16)
    isIn = direction == 1
    endpoint = UInt8(truncatingIfNeeded: number & 15)
    switch bytes.bigEndian32(0) {
    case 1:
      let length = bytes.bigEndian32(24)
      let packets = bytes.bigEndian32(32)
      guard direction <= 1, number < 16, length <= UInt32(USBIP.largestTransfer),
        packets == 0 || packets == .max
      else { return nil }
      kind = .submit(
        flags: bytes.bigEndian32(20), length: Int(length), setup: (40..<48).map { bytes[$0] })
    case 2: kind = .unlink(victim: bytes.bigEndian32(20))
    default: return nil
    }
  }

  /// The encoded command: 48 bytes.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.size)
    let command: UInt32 = if case .submit = kind { 1 } else { 2 }
    for field in [command, sequence, device, isIn ? 1 : 0, UInt32(endpoint)] { bytes.appendBigEndian(field) }
    switch kind {
    case .submit(let flags, let length, let setup):
      // Start frame, number of packets (none: not isochronous) and interval.
      for field in [flags, UInt32(clamping: length), 0, .max, 0] { bytes.appendBigEndian(field) }
      bytes += setup.prefix(8)
    case .unlink(let victim): bytes.appendBigEndian(victim)
    }
    bytes.append(zeros: Self.size - bytes.count)
    return bytes
  }
}
