import Glibc
import HeraldEmbedded
import HeraldHAL
import HeraldText

/// The directory that replaces the flash of a wearable for a device that runs as a process: its serial number
/// and its log. The boot count and all other variable data are in the log.
package struct StorageDirectory: Sendable {
  /// The path of the directory.
  package let path: String
  /// The serial number: sixteen hexadecimal digits, constant for the life of the directory.
  package let serialNumber: String

  /// Opens the directory, or creates it with a new serial number. Only its owner has access.
  package init<Source: RandomSource & ~Copyable>(_ path: String, random: inout Source) throws(SystemFailure) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw SystemFailure("make the folder", path, code: errno)
    }
    self.path = path
    let file = path + "/serial-number"
    if let found = try Self.read(file) {
      guard found.utf8.count == 16, found.allSatisfy({ $0.isHexDigit }) else {
        throw SystemFailure(
          "use", file, reason: "it does not hold sixteen hexadecimal digits",
          advice: "remove it to create a new serial number")
      }
      serialNumber = found
    } else {
      let made = random.next().hexadecimal(8) + random.next().hexadecimal(8)
      try Self.store(Array((made + "\n").utf8).span, at: file, in: path)
      serialNumber = made
    }
  }

  /// The path of the log's file.
  package var logPath: String { path + "/log.flash" }

  /// The first line of a small file; `nil` if there is no such file.
  private static func read(_ path: String) throws(SystemFailure) -> String? {
    let file = FileDescriptor(open(path, O_RDONLY | O_CLOEXEC))
    guard file.isOpen else {
      if errno == ENOENT { return nil }
      throw SystemFailure("open", path, code: errno)
    }
    var buffer = [UInt8](repeating: 0, count: 64)
    var span = buffer.mutableSpan
    let count = max(0, file.read(into: &span))
    return String(decoding: buffer[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  /// Creates a file in `directory` with access for its owner only, atomically, also with respect to power
  /// loss. On failure no partial file is left. Nothing is written through a symbolic link.
  static func store(_ bytes: Span<UInt8>, at path: String, in directory: String) throws(SystemFailure) {
    let partial = path + ".part"
    // A file left by a killed process may have had other permissions.
    guard unlink(partial) == 0 || errno == ENOENT else { throw SystemFailure("remove", partial, code: errno) }
    let file = FileDescriptor(open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
    guard file.isOpen else { throw SystemFailure("write", partial, code: errno) }
    guard file.write(bytes) == bytes.count, fsync(file.number) == 0, rename(partial, path) == 0 else {
      let code = errno
      unlink(partial)
      throw SystemFailure("write", path, code: code)
    }
    let folder = FileDescriptor(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    guard folder.isOpen, fsync(folder.number) == 0 else {
      throw SystemFailure("bring to the disk", path, code: errno)
    }
  }
}
