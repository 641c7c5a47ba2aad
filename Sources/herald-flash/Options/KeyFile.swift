import HeraldFlash
import HeraldHostLink
import HeraldText

/// Reads files with keys for signing images.
enum KeyFile {
  /// Reads the key in a PEM file.
  /// - Throws: `.storage` if the file cannot be read, or contains no key of a supported type.
  static func read(_ path: String) throws(FlashFailure) -> MCUbootKey {
    var bytes = try ImageFile.bytes(path)
    defer { bytes.wipe() }
    do {
      return try MCUbootKey(pem: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw FlashFailure(
        .link(.storage), "\(PrintableText.of(path, limit: 256)): \(error)", state: .untouched)
    }
  }
}
