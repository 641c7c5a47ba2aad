import Foundation
import HeraldHostLink
import HeraldText

extension ProgrammingMethod {
  /// Drives of boot loaders that take UF2 files, and of DAPLink.
  static let drive = ProgrammingMethod(
    .drive, form: "FOLDER where the board's drive is mounted",
    find: { _ in
      let table = FileManager.default.contents(atPath: "/proc/self/mounts") ?? Data()
      return findDrives(DriveFolder.mounted(String(decoding: table, as: UTF8.self)))
    }
  ) { rest, _ throws(FlashFailure) in
    let folder = DriveFolder(path: rest.count > 1 && rest.hasSuffix("/") ? String(rest.dropLast()) : rest)
    guard let programmer = programmer(folder) else {
      throw FlashFailure(
        .link(.noDevice), "\(PrintableText.of(rest, limit: 256)) is no drive of a boot loader or of DAPLink",
        state: .untouched,
        advice: "there has to be an INFO_UF2.TXT or a DETAILS.TXT; is the drive mounted?")
    }
    return programmer
  }

  private static func programmer(_ folder: DriveFolder) -> (any Programmer)? {
    if UF2Drive.isOne(folder) { return UF2Drive(folder) }
    return DAPLinkDrive.isOne(folder) ? DAPLinkDrive(folder) : nil
  }

  /// The boards on those of `folders` that are such drives.
  static func findDrives(_ folders: [DriveFolder]) -> [FoundBoard] {
    folders.compactMap { folder in
      guard let programmer = programmer(folder) else { return nil }
      do throws(FlashFailure) {
        return FoundBoard(location: programmer.location, identification: try programmer.identify())
      } catch {
        return FoundBoard(location: programmer.location, obstacle: error)
      }
    }
  }
}
