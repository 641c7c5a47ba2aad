import HeraldFlash
import HeraldHostLink
import HeraldImages
import HeraldText

/// Reads firmware files.
enum FirmwareFile {
  /// Reads the bytes of a file, at most `limit`: a larger one, a folder, or a pipe that does not end is
  /// refused without being read whole.
  /// - Throws: `.storage`, with the path.
  static func bytes(_ path: String, limit: Int = FirmwareImage.largestFile) throws(FlashFailure) -> [UInt8] {
    do throws(HostLinkError) {
      return try LocalFile.bytes(
        path, atMost: limit, missing: "check the name, and that you may read the file")
    } catch {
      throw FlashFailure(.link(error.cause), error.what, state: .untouched, advice: error.advice)
    }
  }

  /// Reads the image in a file. `board` determines the address of a package's application if the package does
  /// not contain it.
  /// - Throws: `.storage` if the file cannot be read, `.image` if it is not a valid image.
  static func read(_ path: String, base: UInt32?, for board: BoardDescription? = nil) throws(FlashFailure)
    -> FirmwareImage
  {
    do {
      return try FirmwareImage(
        try bytes(path), base: base, packageBase: board?.package == nil ? nil : board?.firmware.start)
    } catch let failure as FlashFailure {
      throw failure
    } catch {
      throw FlashFailure(.image, "\(PrintableText.of(path, limit: 256)): \(error)", state: .untouched)
    }
  }
}
