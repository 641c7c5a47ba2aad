import Foundation

/// Identifies an unchanged file by its size and the time of its last status change (ctime), which programs
/// cannot set.
struct FileStamp: Equatable {
  /// The size in bytes.
  let bytes: Int64
  /// The time of the last change of the file's contents, name or owner, in nanoseconds since
  /// 1970-01-01T00:00:00Z.
  let changed: Int64

  /// The stamp of the file at `path`; `nil` if there is none.
  static func of(_ path: String) -> FileStamp? { of(path, in: AT_FDCWD) }

  /// The stamp of a file in an open folder; `nil` if there is none.
  static func of(_ name: String, in folder: Int32) -> FileStamp? {
    var status = stat()
    guard fstatat(folder, name, &status, 0) == 0 else { return nil }
    return FileStamp(
      bytes: Int64(status.st_size),
      changed: Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec))
  }
}
