import HeraldCrypto
import HeraldEmbedded
import HeraldText

/// The folder name of a device in the folder of a fleet, derived from its serial number; safe for any bytes
/// in it.
public enum DeviceFolder {
  /// The maximum length of a name in bytes.
  static let longest = 100

  /// The folder name for a device with this serial number, or without one, for its location. ASCII letters,
  /// digits, `-`, `_`, and `.` except at the start, are kept; every other byte becomes `%` and two digits, so
  /// that no name refers outside the folder, is hidden, or contains control characters. Different serial
  /// numbers have different names: a name that is too long ends with its SHA-256, as far as there is room.
  public static func name(serial: String, location: String) -> String {
    let text = serial.isEmpty ? location : serial
    var name: [UInt8] = []
    for (index, byte) in text.utf8.enumerated() {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: name.append(byte)
      case 0x2E where index > 0: name.append(byte)
      default: name += "%\(byte.hexadecimal(2))".utf8
      }
    }
    if name.count > longest {
      let digest = SHA256.digest(of: Array(text.utf8).span)
      var end: [UInt8] = []
      for index in 0..<16 { end.append(digest[index]) }
      name = Array(name.prefix(longest - 33)) + "-\(end.hexadecimal)".utf8
    }
    return name.isEmpty ? "%" : String(decoding: name, as: UTF8.self)
  }
}
