import Foundation

/// A file that is written incrementally under a temporary name, and renamed when it is completely on the
/// disk. A symbolic link of its name is refused.
package final class ReplacedFile {
  private let path: String
  /// The temporary file; `nil` of a device or a pipe, which is written to as it is.
  private let part: String?
  private let descriptor: Int32
  private var waiting: [UInt8] = []
  private static let piece = 1 << 18
  private static let advice = "choose the name of a file, in a folder that is there and that you may write to"

  /// Makes the temporary file, for its owner only unless `mode` says otherwise; if `takesStream`, opens what
  /// `LocalFile.isStream` is true of.
  package init(_ path: String, mode: mode_t = 0o600, takesStream: Bool = false) throws(HostLinkError) {
    self.path = path
    if takesStream, LocalFile.isStream(path) {
      part = nil
      descriptor = try LocalFile.open(stream: path)
    } else {
      try LocalFile.refuseLink(path)
      part = path + ".part"
      descriptor = try LocalFile.make(path + ".part", mode: mode, advice: Self.advice)
    }
  }

  deinit {
    close(descriptor)
    // After `finish` the temporary file does not exist.
    if let part { unlink(part) }
  }

  /// Appends text.
  package func append(_ text: String) throws(HostLinkError) { try append(Array(text.utf8)) }

  /// Appends bytes.
  package func append(_ bytes: [UInt8]) throws(HostLinkError) {
    waiting += bytes
    if waiting.count >= Self.piece { try flush() }
  }

  /// Syncs the file to the disk, and renames it; a device or pipe has everything then.
  package func finish() throws(HostLinkError) {
    try flush()
    guard let part else { return }
    guard fsync(descriptor) == 0, rename(part, path) == 0 else {
      throw .system(.storage, "\(path) cannot be synced to the disk", code: errno, advice: Self.advice)
    }
  }

  private func flush() throws(HostLinkError) {
    try SystemCall.writeAll(waiting, to: descriptor, at: part ?? path)
    waiting.removeAll(keepingCapacity: true)
  }
}
