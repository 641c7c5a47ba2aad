import HeraldCrypto
import HeraldText

/// The signature of a firmware image, in a file of its own beside the image: the image's bytes stay those
/// that a second build makes.
///
/// The file is text in ASCII, five lines that each end with a line feed:
///
/// ```
/// herald-image-signature 1
/// board microbit2
/// version 1.2.3
/// sha256 <64 hexadecimal digits>
/// signature <128 hexadecimal digits>
/// ```
///
/// The fourth line has `FirmwareImage.placedHash`, the last one an Ed25519 signature (RFC 8032, 5.1) of the
/// bytes of the four lines before it. Digits are lower-case, and fields are separated by one space: there is
/// one valid text for one content.
package struct ImageSignature: Equatable, Sendable {
  /// The board that the image is for, by its name in `herald-flash boards`.
  package let board: String
  /// The version of the firmware.
  package let version: MCUbootImage.Version
  /// `FirmwareImage.placedHash` of the image, 32 bytes.
  package let hash: [UInt8]
  /// The Ed25519 signature of `message`, 64 bytes.
  package let signature: [UInt8]

  /// The largest file that is read, in bytes.
  package static let largestFile = 1024

  /// A signature from its parts.
  /// - Throws: `FirmwareError` if a part has another length, or the name is no board's.
  package init(board: String, version: MCUbootImage.Version, hash: [UInt8], signature: [UInt8])
    throws(FirmwareError)
  {
    guard Self.isName(board) else { throw FirmwareError("it names no board") }
    guard hash.count == 32 else { throw FirmwareError("its SHA-256 has not 32 bytes") }
    guard signature.count == 64 else { throw FirmwareError("its signature has not 64 bytes") }
    self.board = board
    self.version = version
    self.hash = hash
    self.signature = signature
  }

  /// Parses a file.
  /// - Throws: `FirmwareError` if it is not exactly in the form above.
  package init(file: [UInt8]) throws(FirmwareError) {
    guard file.count <= Self.largestFile else { throw FirmwareError("it is larger than 1,024 bytes") }
    let lines = String(decoding: file, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 6, lines[5].isEmpty, lines[0] == "herald-image-signature 1" else {
      throw FirmwareError("it is no signature of an image, or of a later version of this program")
    }
    func field(_ index: Int, _ name: String) throws(FirmwareError) -> String {
      guard lines[index].hasPrefix(name + " ") else { throw FirmwareError("it has no line \(name)") }
      return String(lines[index].dropFirst(name.count + 1))
    }
    guard let version = MCUbootImage.Version(try field(2, "version")) else {
      throw FirmwareError("its version is not of the form 1.2.3")
    }
    guard let hash = Hexadecimal.bytes(try field(3, "sha256").utf8),
      let signature = Hexadecimal.bytes(try field(4, "signature").utf8)
    else { throw FirmwareError("its SHA-256 or its signature is not in hexadecimal digits") }
    try self.init(board: try field(1, "board"), version: version, hash: hash, signature: signature)
    guard self.file == file else { throw FirmwareError("it is not in the form that is signed") }
  }

  /// The bytes that are signed, for these values.
  package static func message(board: String, version: MCUbootImage.Version, hash: [UInt8]) -> [UInt8] {
    Array("herald-image-signature 1\nboard \(board)\nversion \(version)\nsha256 \(hash.hexadecimal)\n".utf8)
  }

  /// The bytes that are signed: the first four lines of the file.
  package var message: [UInt8] { Self.message(board: board, version: version, hash: hash) }

  /// The file.
  package var file: [UInt8] { message + "signature \(signature.hexadecimal)\n".utf8 }

  /// Whether a text has the form of a board's name: 1 to 32 small letters, digits and `-`.
  package static func isName(_ text: String) -> Bool {
    (1...32).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
      }
  }
}

extension FirmwareImage {
  /// The SHA-256 of its segments in ascending order, of each the address of the first byte and the number of
  /// bytes, both as unsigned 32-bit numbers, little-endian, and the bytes. The same for one image in all
  /// formats, unless gaps were filled.
  package var placedHash: [UInt8] {
    var hash = SHA256()
    for segment in segments {
      var head: [UInt8] = []
      for number in [segment.address, UInt32(truncatingIfNeeded: segment.bytes.count)] {
        for shift: UInt32 in [0, 8, 16, 24] { head.append(UInt8(truncatingIfNeeded: number >> shift)) }
      }
      hash.update(head.span)
      hash.update(segment.bytes.span)
    }
    var digest = [32 of UInt8](repeating: 0)
    hash.finish(into: &digest)
    return digest.span.withUnsafeBufferPointer { Array($0) }
  }
}
