import Foundation
import HeraldCrypto
import HeraldEmbedded

/// Identifies an unchanged folder: the names, sizes and times of change of all files of its pages, and the
/// stored data of the device.
struct FolderFingerprint: Equatable {
  /// The SHA-256 of these data.
  let sha256: [UInt8]

  /// The fingerprint of the present state of a folder. A file that changes later results in another one.
  init(_ folder: PageStore) throws(HostLinkError) {
    let pagesPath = folder.path + "/pages"
    guard let directory = try LocalFile.open(folder: pagesPath, path: pagesPath) else {
      throw PageStoreSearch.noLog(folder.path)
    }
    defer { close(directory) }
    var bytes: [UInt8] = []
    for name in try LocalFile.names(in: pagesPath)?.sorted() ?? [] {
      let stamp = FileStamp.of(name, in: directory) ?? FileStamp(bytes: -1, changed: 0)
      bytes += name.utf8
      // A separator: file names cannot contain this character.
      bytes.append(UInt8(ascii: "/"))
      for number in [stamp.bytes, stamp.changed] {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
      }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let device = try? encoder.encode(folder.device) else {
      throw HostLinkError(.storage, "the device record of \(folder.path) is invalid")
    }
    bytes += device
    let digest = SHA256.digest(of: bytes.span)
    sha256 = digest.indices.map { digest[$0] }
  }
}
