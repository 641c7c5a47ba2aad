import Foundation

/// A file that is written incrementally under a temporary name, and renamed when it is completely on the
/// disk.
package final class ReplacedFile {
  private let path: String
  private let part: String
  private let descriptor: Int32
  private var waiting: [UInt8] = []
  private static let piece = 1 << 18
  private static let advice = "choose the name of a file, in a folder that is there and that you may write to"

  /// Makes the temporary file, for its owner only.
  package init(_ path: String) throws(HostLinkError) {
    self.path = path
    part = path + ".part"
    descriptor = try LocalFile.make(part, advice: Self.advice)
  }

  deinit {
    close(descriptor)
    // After `finish` the temporary file does not exist.
    unlink(part)
  }

  /// Appends text.
  package func append(_ text: String) throws(HostLinkError) { try append(Array(text.utf8)) }

  /// Appends bytes.
  package func append(_ bytes: [UInt8]) throws(HostLinkError) {
    waiting += bytes
    if waiting.count >= Self.piece { try flush() }
  }

  /// Syncs the file to the disk, and renames it.
  package func finish() throws(HostLinkError) {
    try flush()
    guard fsync(descriptor) == 0, rename(part, path) == 0 else {
      throw .system(.storage, "\(path) cannot be synced to the disk", code: errno, advice: Self.advice)
    }
  }

  private func flush() throws(HostLinkError) {
    try SystemCall.writeAll(waiting, to: descriptor, at: part)
    waiting.removeAll(keepingCapacity: true)
  }
}
