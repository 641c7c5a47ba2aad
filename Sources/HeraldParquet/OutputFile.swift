import Glibc

/// Why a table could not be written.
public struct ParquetError: Error, Equatable, Sendable {
  /// The file.
  public let path: String
  /// The number of the operating system's error (`errno`).
  public let number: Int32
}

/// A file that appears under its name when it is complete.
final class OutputFile {
  private static let blockSize = 1 << 18

  private let path: String
  private let hidden: String
  private var descriptor: Int32
  private var pending: [UInt8] = []

  /// Makes the hidden file beside `path`, for its owner only.
  init(_ path: String) throws(ParquetError) {
    self.path = path
    let end = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    hidden = "\(path[..<end]).\(path[end...]).part"
    descriptor = open(hidden, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
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

  /// Writes what is pending and gives the file its name.
  func finish() throws(ParquetError) {
    try flush()
    guard close(descriptor) == 0 else { throw failure() }
    descriptor = -1
    guard rename(hidden, path) == 0 else { throw failure() }
  }

  private func failure() -> ParquetError {
    let number = errno
    descriptor = -1
    unlink(hidden)
    return ParquetError(path: path, number: number)
  }
}
