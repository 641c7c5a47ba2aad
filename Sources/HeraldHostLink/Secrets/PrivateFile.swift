import Foundation
import HeraldText

/// Files with mode 0600, which are not committed to git by accident.
enum PrivateFile {
  /// Writes a file readable for its owner only: under a temporary name first, synced, then renamed. With
  /// `replacing: false` the call fails if the file exists.
  static func write(_ bytes: UnsafeBufferPointer<UInt8>, to path: String, replacing: Bool)
    throws(HostLinkError)
  {
    CheckoutExclusion.add(path)
    let part = path + ".part"
    let file = try LocalFile.make(part)
    let code = fill(file, with: bytes)
    Foundation.close(file)
    guard code == 0 else {
      unlink(part)
      throw .system(.storage, "\(part) cannot be written", code: code)
    }
    guard replacing else {
      // Unlike `rename`, `link` does not replace an existing file.
      let isLinked = link(part, path) == 0
      let code = errno
      unlink(part)
      if isLinked { return syncFolder(of: path) }
      throw .system(
        .storage, "\(path) cannot be made", code: code,
        advice: "a file that is there stays as it is; name a new one")
    }
    guard rename(part, path) == 0 else {
      let code = errno
      unlink(part)
      throw .system(.storage, "\(path) cannot be replaced", code: code)
    }
    syncFolder(of: path)
  }

  /// Reads a file as far as there is room in `memory`. Returns whether users other than the owner have
  /// access. `missing` is the advice if there is no such file.
  static func read(_ path: String, into memory: inout SecretMemory, missing: String) throws(HostLinkError)
    -> Bool
  {
    guard let file = try LocalFile.open(reading: path) else {
      throw .system(
        .storage, "\(PrintableText.of(path, limit: 256)) cannot be opened", code: ENOENT, advice: missing)
    }
    defer { Foundation.close(file) }
    while memory.count < memory.bytes.count {
      let room = UnsafeMutableRawBufferPointer(
        UnsafeMutableBufferPointer(rebasing: memory.bytes[memory.count...]))
      let more = SystemCall.retrying { Foundation.read(file, room.baseAddress, room.count) }
      if more == 0 { break }
      guard more > 0 else {
        throw .system(
          .storage, "\(PrintableText.of(path, limit: 256)) cannot be read", code: errno,
          advice: errno == EISDIR ? "it is a folder: name a file" : nil)
      }
      memory.count += more
    }
    var attributes = stat()
    return fstat(file, &attributes) == 0 && attributes.st_mode & S_IFMT == S_IFREG
      && attributes.st_mode & 0o077 != 0
  }

  /// The size of a regular file in bytes; 0 of anything else.
  static func size(_ path: String) -> Int {
    var attributes = stat()
    guard stat(path, &attributes) == 0, attributes.st_mode & S_IFMT == S_IFREG else { return 0 }
    return Int(clamping: attributes.st_size)
  }

  /// Creates the folder of a secret, accessible to its owner only.
  static func makeFolder(for path: String) throws(HostLinkError) {
    try PrivateFolder.make(URL(fileURLWithPath: path).deletingLastPathComponent().path)
  }

  private static func fill(_ file: Int32, with bytes: UnsafeBufferPointer<UInt8>) -> Int32 {
    var written = 0
    while written < bytes.count {
      let rest = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[written...]))
      let count = SystemCall.retrying { Foundation.write(file, rest.baseAddress, rest.count) }
      guard count > 0 else { return count == 0 ? EIO : errno }
      written += count
    }
    return fsync(file) == 0 ? 0 : errno
  }

  private static func syncFolder(of path: String) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    Foundation.close(descriptor)
  }
}
