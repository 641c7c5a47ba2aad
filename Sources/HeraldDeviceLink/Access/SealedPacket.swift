import HeraldBluetooth
import HeraldCrypto
import HeraldHAL

/// A packet of a session: its body is encrypted, all of it is authenticated (docs/wire-formats.md, "Sealed
/// packets").
///
/// | bytes | request | response |
/// | --- | --- | --- |
/// | 8 | header, flags 1 | header, flags 1 |
/// | 4 | number, big-endian | |
/// | … | body, encrypted | body, encrypted |
/// | 8 | tag | tag |
///
/// AES-128-CCM; what is in front of the body is authenticated as it is on the wire. The nonce is the number
/// of the request in both directions, whose keys differ.
enum SealedPacket {
  static var numberSize: Int { 4 }
  static var tagSize: Int { 8 }
  /// The offset of the body of a request in bytes: after the header and the number.
  static var requestStart: Int { SMPHeader.size &+ numberSize }

  /// Encrypts the body of a packet that begins at `start`, and writes the tag behind it; `packet` ends with
  /// the place of the tag.
  @inline(never)
  static func seal(
    _ packet: inout MutableSpan<UInt8>, from start: Int, number: UInt32, key: [16 of UInt8]
  ) -> Bool {
    var cipher = AES128CCM(key: key, nonce: nonce(number))
    return cipher.seal(&packet, clear: start, tag: tagSize)
  }

  /// Decrypts the body of a packet that begins at `start`; `false` if the tag is wrong: then what is there is
  /// not valid.
  @inline(never)
  static func open(
    _ packet: inout MutableSpan<UInt8>, from start: Int, number: UInt32, key: [16 of UInt8]
  ) -> Bool {
    var cipher = AES128CCM(key: key, nonce: nonce(number))
    return cipher.open(&packet, clear: start, tag: tagSize)
  }

  private static func nonce(_ number: UInt32) -> [13 of UInt8] {
    var nonce: [13 of UInt8] = .init(repeating: 0)
    for index in 0..<4 {
      nonce[9 &+ index] = UInt8(truncatingIfNeeded: number &>> UInt32(truncatingIfNeeded: 24 &- index &* 8))
    }
    return nonce
  }
}
