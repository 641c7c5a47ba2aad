import HeraldConsole
import HeraldFlash
import HeraldHostLink
import HeraldImages
import HeraldText

extension ReplacingOptions {
  /// Checks that an output replaces nothing that has to stay.
  /// - Throws: `.usage` if it does.
  func check(_ path: String, inputs: [String], isOwn: ([UInt8]) -> Bool) throws(FlashFailure) {
    do throws(HostLinkError) {
      try Replacement(isForced: force, inputs: inputs).check(path, isOwn: isOwn)
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
