import Foundation

/// A file of lines that is appended to. The lines of the open page are truncated and rewritten with it.
///
/// An interrupted append leaves an incomplete end; the next run continues from the length stored in the
/// database.
final class AppendedFile {
  let name: String
  private let path: String
  private let header: String
  private var descriptor: Int32 = -1
  /// The length of the file in bytes, including pending bytes.
  private(set) var length: Int64
  private var waiting: [UInt8] = []
  private static let piece = 1 << 18

  /// Opens the file, keeping its first `length` bytes. With 0 it does not exist until a line is appended.
  init(folder: String, name: String, header: String, length: Int64) {
    self.name = name
    path = "\(folder)/\(name)"
    self.header = header
    self.length = length
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Appends lines.
  func append(_ lines: [UInt8]) throws(HostLinkError) {
    if length == 0 {
      waiting += Array(header.utf8)
      length += Int64(header.utf8.count)
    }
    waiting += lines
    length += Int64(lines.count)
    if waiting.count >= Self.piece { try flush() }
  }

  /// Writes appended lines, and the length of the file, to the disk. A file without lines is removed.
  func synchronise() throws(HostLinkError) {
    guard length > 0 else {
      unlink(path)
      return
    }
    try flush()
    guard fsync(descriptor) == 0 else {
      throw .system(.storage, "\(path) cannot be synced to the disk", code: errno)
    }
  }

  private func flush() throws(HostLinkError) {
    if descriptor < 0 { try openAtEnd() }
    try SystemCall.writeAll(waiting, to: descriptor, at: path)
    waiting.removeAll(keepingCapacity: true)
  }

  private func openAtEnd() throws(HostLinkError) {
    let start = length - Int64(waiting.count)
    // A file that is started again replaces an existing one.
    descriptor = start == 0 ? try LocalFile.make(path) : try LocalFile.open(writing: path)
    guard ftruncate(descriptor, off_t(start)) == 0,
      lseek(descriptor, off_t(start), SEEK_SET) == off_t(start)
    else { throw .system(.storage, "\(path) cannot be written", code: errno) }
  }
}
