import Foundation

/// Folders for logs, exports and keys, readable for their owner only.
package enum PrivateFolder {
  /// Creates a folder and its parents, readable for the owner only, and a folder `name` within it, if given.
  /// Existing folders are not changed.
  /// - Throws: `.storage` if it cannot be created.
  package static func make(_ path: String, containing name: String? = nil) throws(HostLinkError) {
    do {
      try FileManager.default.createDirectory(
        atPath: name.map { "\(path)/\($0)" } ?? path, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      if (error as? CocoaError)?.code == .fileWriteOutOfSpace {
        throw .system(.storage, "the folder \(path) cannot be made", code: ENOSPC)
      }
      throw HostLinkError(
        .storage, "the folder \(path) cannot be made", advice: "choose a folder you may write to")
    }
  }
}
