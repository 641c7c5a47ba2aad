import Foundation

/// Folders for logs, exports and keys, which only their owner may read.
enum PrivateFolder {
  /// Makes a folder, and those above it, readable to its owner alone, and a folder `name` within it, if
  /// one is named. Folders that exist stay as they are.
  /// - Throws: `.storage` if it cannot be made.
  static func make(_ path: String, containing name: String? = nil) throws(HostLinkError) {
    do {
      try FileManager.default.createDirectory(
        atPath: name.map { "\(path)/\($0)" } ?? path, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw HostLinkError(
        .storage, "the folder \(path) cannot be made", advice: "choose a folder you may write to")
    }
  }
}
