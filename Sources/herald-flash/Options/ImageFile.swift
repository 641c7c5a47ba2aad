import Foundation
import HeraldFlash
import HeraldHostLink
import HeraldImages
import HeraldText

/// Files with firmware.
enum ImageFile {
  /// The bytes of a file.
  /// - Throws: `.storage`, with the name in words.
  static func bytes(_ path: String) throws(FlashFailure) -> [UInt8] {
    let shown = PrintableText.of(path, limit: 256)
    guard let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int,
      let data = FileManager.default.contents(atPath: path)
    else {
      throw FlashFailure(
        .link(.storage), "\(shown) cannot be read", state: .untouched,
        advice: "check the name, and that the file is yours to read")
    }
    guard size <= FirmwareImage.largestFile else {
      throw FlashFailure(.link(.storage), "\(shown) is larger than 64 MiB", state: .untouched)
    }
    return [UInt8](data)
  }

  /// The image in a file. `board`: the one that was named, where the application of a package goes that does
  /// not say it itself.
  /// - Throws: `.storage` if it cannot be read, `.image` if it is none.
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
