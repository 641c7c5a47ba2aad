import Foundation

/// Identifies an unchanged file: its size, and when it was last changed. The time of change cannot be set by
/// a program.
struct FileStamp: Equatable {
  /// Bytes.
  let bytes: Int64
  /// The time of change of the file's contents, name or owner, nanoseconds since 1970-01-01T00:00:00Z.
  let changed: Int64

  /// Of the file at `path`; `nil` if there is none.
  static func of(_ path: String) -> FileStamp? { of(path, in: AT_FDCWD) }

  /// Of a file of an open folder; `nil` if there is none.
  static func of(_ name: String, in folder: Int32) -> FileStamp? {
    var status = stat()
    guard fstatat(folder, name, &status, 0) == 0 else { return nil }
    return FileStamp(
      bytes: Int64(status.st_size),
      changed: Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec))
  }
}
