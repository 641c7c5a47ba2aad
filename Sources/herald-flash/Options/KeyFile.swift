import HeraldFlash
import HeraldHostLink
import HeraldText

/// Files with keys that images are signed with.
enum KeyFile {
  /// The key in a PEM file.
  /// - Throws: `.storage` if it cannot be read, or has no key that MCUboot images are signed with here.
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
