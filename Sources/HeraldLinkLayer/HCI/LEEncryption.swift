import HeraldBluetooth
import HeraldCrypto
import HeraldHAL

/// The command LE Encrypt of an HCI controller.
enum LEEncryption {
  /// LE Encrypt (7.8.22): key and data, and the result, begin with the least significant byte.
  static func encrypt(_ reader: inout ByteReader, _ writer: inout ByteWriter) {
    var key: [16 of UInt8] = .init(repeating: 0)
    var block: [16 of UInt8] = .init(repeating: 0)
    var index = 16
    while index > 0 {
      index &-= 1
      key[index] = reader.u8() ?? 0
    }
    index = 16
    while index > 0 {
      index &-= 1
      block[index] = reader.u8() ?? 0
    }
    AES128.encrypt(&block, key: key)
    index = 16
    while index > 0 {
      index &-= 1
      writer.u8(block[index])
    }
    var secret = key.mutableSpan
    secret.wipe()
  }
}
