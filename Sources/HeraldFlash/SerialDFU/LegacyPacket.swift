import HeraldHAL
import HeraldImages

/// Packets of the serial DFU of nRF5 SDK 11 and before, which Adafruit's boot loader speaks ("HCI transport",
/// "DFU serial packets"): four bytes of header, what is carried, and CRC-16 over both, in a SLIP frame that
/// begins with the end mark as well.
///
/// Each packet has a sequence number of three bits. Its acknowledgement is a header only, with the next
/// expected number.
enum LegacyPacket {
  /// What is carried: its first word.
  enum Kind: UInt32 {
    /// Nothing: it is acknowledged and skipped.
    case nothing = 0
    case initial = 1
    case start = 3
    case data = 4
    case stop = 5
  }

  /// The most bytes of an application in a packet: eight packets are a page.
  static let most = 512
  /// Sequence numbers are below this.
  static let sequences: UInt8 = 8
  /// The lower half of the second byte.
  private static let vendorSpecific = 14
  /// A CRC follows; it is to be acknowledged.
  private static let flags: UInt8 = 0xC0

  /// The number after `sequence`.
  static func next(_ sequence: UInt8) -> UInt8 { (sequence &+ 1) % sequences }

  /// A packet as it goes over the line. `content` begins with a word's first byte, and is at most `most`
  /// bytes.
  static func line(_ sequence: UInt8, _ kind: Kind, _ content: some Collection<UInt8>) -> [UInt8] {
    let size = content.count + 4
    var packet = [sequence | next(sequence) << 3 | flags]
    packet.append(littleEndian: UInt16(truncatingIfNeeded: size << 4 | vendorSpecific))
    packet.append(0 &- packet.reduce(0, &+))
    packet.append(littleEndian: kind.rawValue)
    packet += content
    packet.append(littleEndian: CRC16.initiallyOnes(packet))
    return [SLIP.end] + SLIP.encode(packet)
  }

  /// The number that a boot loader expects next, if `frame` is an acknowledgement.
  static func acknowledged(_ frame: [UInt8]) -> UInt8? {
    guard frame.count == 4, frame.reduce(0, &+) == 0, frame[0] & 0xC7 == 0, frame[1] == 0, frame[2] == 0
    else { return nil }
    return frame[0] >> 3
  }
}
