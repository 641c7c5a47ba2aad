import Foundation
import HeraldFlash
import HeraldHostLink
import HeraldImages
import HeraldText

/// Reads firmware files.
enum ImageFile {
  /// Reads the bytes of a file.
  /// - Throws: `.storage`, with the path.
  static func bytes(_ path: String) throws(FlashFailure) -> [UInt8] {
    let shown = PrintableText.of(path, limit: 256)
    guard let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int,
      let data = FileManager.default.contents(atPath: path)
    else {
      throw FlashFailure(
        .link(.storage), "\(shown) cannot be read", state: .untouched,
        advice: "check the name, and that you may read the file")
    }
    guard size <= FirmwareImage.largestFile else {
      throw FlashFailure(.link(.storage), "\(shown) is larger than 64 MiB", state: .untouched)
    }
    return [UInt8](data)
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
