import Glibc

/// Why a table could not be written.
package struct ParquetError: Error, Equatable, Sendable {
  /// The file.
  package let path: String
  /// The number of the operating system's error (`errno`).
  package let number: Int32
}

/// A file that appears under its name when it is complete and on the disk.
final class OutputFile {
  /// The steps of `finish`, in order, for tests that end the program before one of them.
  enum Step: CaseIterable {
    case written, synced, renamed, folderSynced
  }

  private static let blockSize = 1 << 18

  private let path: String
  private let hidden: String
  private var descriptor: Int32
  private var pending: [UInt8] = []
  private let beforeStep: (Step) throws(ParquetError) -> Void

  /// Makes the hidden file beside `path`, for its owner only.
  init(
    _ path: String, beforeStep: @escaping (Step) throws(ParquetError) -> Void = { _ throws(ParquetError) in }
  ) throws(ParquetError) {
    self.path = path
    self.beforeStep = beforeStep
    let end = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    hidden = "\(path[..<end]).\(path[end...]).part"
    descriptor = -1
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK {
      throw ParquetError(path: path, number: ELOOP)
    }
    // What an export that was killed has left, or a symbolic link, which is not written through.
    unlink(hidden)
    descriptor = open(hidden, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ParquetError(path: path, number: errno) }
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    unlink(hidden)
  }

  func append(_ bytes: [UInt8]) throws(ParquetError) {
    pending += bytes
    if pending.count >= Self.blockSize { try flush() }
  }

  private func flush() throws(ParquetError) {
    var done = 0
    while done < pending.count {
      let count = pending.withUnsafeBytes {
        write(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw ParquetError(path: path, number: count < 0 ? errno : EIO) }
      done += count
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// Writes what is pending, syncs it to the disk, gives the file its name, and syncs the folder: after a
  /// power cut, too, the name is of the whole file or of what had it before.
  func finish() throws(ParquetError) {
    try beforeStep(.written)
    try flush()
    try beforeStep(.synced)
    guard fsync(descriptor) == 0 else { throw ParquetError(path: path, number: errno) }
    try beforeStep(.renamed)
    guard rename(hidden, path) == 0 else { throw ParquetError(path: path, number: errno) }
    close(descriptor)
    descriptor = -1
    try beforeStep(.folderSynced)
    try ParquetFile.synchronise(folder: String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
  }
}

extension ParquetFile {
  /// Syncs the names in a folder to the disk; the present folder if `folder` is empty.
  /// - Throws: `ParquetError` if it cannot be opened or synced.
  package static func synchronise(folder: String) throws(ParquetError) {
    let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ParquetError(path: folder, number: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw ParquetError(path: folder, number: errno) }
  }
}
