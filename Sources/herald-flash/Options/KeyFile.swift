import HeraldConsole
import HeraldFlash
import HeraldHostLink
import HeraldImages
import HeraldText

extension ReplacingOptions {
  /// Writes an output, which replaces nothing that has to stay; a device or a pipe is written to as it is.
  /// - Throws: `.usage` if it would replace such a file, `.storage` if it cannot be written.
  func write(_ bytes: [UInt8], to path: String, inputs: [String], isOwn: ([UInt8]) -> Bool)
    throws(FlashFailure)
  {
    do throws(HostLinkError) {
      try Replacement(isForced: force, inputs: inputs).check(path, takesStream: true, isOwn: isOwn)
      let file = try ReplacedFile(path, mode: 0o644, takesStream: true)
      try file.append(bytes)
      try file.finish()
    } catch {
      throw FlashFailure(error, state: .untouched)
    }
  }
}

/// Reads files with keys for signing images.
enum KeyFile {
  /// Reads the key in a PEM file.
  /// - Throws: `.storage` if the file cannot be read, or contains no key of a supported type.
  static func read(_ path: String) throws(FlashFailure) -> MCUbootKey {
    var bytes = try FirmwareFile.bytes(path, limit: PEMKey.largestFile)
    defer { bytes.wipe() }
    do {
      return try MCUbootKey(pem: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw FlashFailure(
        .link(.storage), "\(PrintableText.of(path, limit: 256)): \(error)", state: .untouched)
    }
  }
}
