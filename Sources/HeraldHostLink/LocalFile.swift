import Foundation
import HeraldText

/// Files on this computer: the host programs open them with these functions only.
///
/// A file is absent only if the system says so. One that cannot be read is an error, and never taken for one
/// that is missing. No file is written through a symbolic link.
package enum LocalFile {
  /// Opens a file for reading; `nil` if there is none. A named pipe that nobody writes is empty, and not
  /// waited for.
  /// - Throws: `.storage` if it cannot be opened.
  package static func open(reading path: String) throws(HostLinkError) -> Int32? {
    let file = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file < 0 else {
      // The flag belongs to the open file, which another process may share: /dev/fd/3.
      _ = fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK)
      return file
    }
    if isAbsent(errno) { return nil }
    throw unreadable(path, errno)
  }

  /// The bytes of a file, at most `limit`; `nil` if there is none. Only a regular file is read, or a pipe
  /// that this program was started with (`/dev/stdin`, `/dev/fd/3`).
  /// - Throws: `.storage` if it cannot be read, is none of these, or has more bytes.
  package static func bytes(_ path: String, atMost limit: Int) throws(HostLinkError) -> [UInt8]? {
    guard let file = try open(reading: path) else { return nil }
    defer { Foundation.close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw unreadable(path, errno) }
    let kind = status.st_mode & S_IFMT
    let isInherited = ["/dev/fd/", "/dev/stdin", "/proc/self/fd/"].contains(where: path.hasPrefix)
    guard kind == S_IFREG || kind != S_IFDIR && isInherited else {
      throw HostLinkError(
        .storage, "\(shown(path)) is \(kind == S_IFDIR ? "a folder" : "no regular file"), and is not read",
        advice: "name a file, or move it away")
    }
    let most = limit >= 1 << 20 ? "\(limit >> 20) MiB" : "\(limit) bytes"
    let tooLarge = HostLinkError(
      .storage, "\(shown(path)) is larger than \(most), and is not read",
      advice: "name another file, or move it away")
    guard status.st_size <= limit else { throw tooLarge }
    var bytes: [UInt8] = []
    // One byte more than its size, so that its end is found without another allocation.
    var buffer = [UInt8](repeating: 0, count: min(max(Int(status.st_size) + 1, 4096), 1 << 20))
    while true {
      let count = SystemCall.retrying {
        buffer.withUnsafeMutableBytes { Foundation.read(file, $0.baseAddress, $0.count) }
      }
      guard count >= 0 else { throw unreadable(path, errno) }
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else { throw tooLarge }
      bytes += buffer[..<count]
    }
  }

  /// The bytes of a file that has to be there, at most `limit`; `advice` is that for a missing one.
  /// - Throws: as `bytes(_:atMost:)`, and `.storage` if there is none.
  package static func bytes(_ path: String, atMost limit: Int, missing advice: String) throws(HostLinkError)
    -> [UInt8]
  {
    if let bytes = try bytes(path, atMost: limit) { return bytes }
    throw .system(.storage, "\(shown(path)) cannot be read", code: ENOENT, advice: advice)
  }

  /// Whether there is a file or a folder of this name, or what a symbolic link of this name points to.
  /// - Throws: `.storage` if that cannot be told.
  package static func exists(_ path: String) throws(HostLinkError) -> Bool {
    var status = stat()
    if stat(path, &status) == 0 { return true }
    if isAbsent(errno) { return false }
    throw unreadable(path, errno)
  }

  /// The names in a folder, without `.` and `..`; `nil` if there is no such folder.
  /// - Throws: `.storage` if it cannot be read.
  package static func names(in folder: String) throws(HostLinkError) -> [String]? {
    guard let stream = opendir(folder) else {
      if isAbsent(errno) { return nil }
      throw unreadable(folder, errno)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw unreadable(folder, errno) }
    return names
  }

  /// The names in a folder that has to be there; `advice` is that for a missing one.
  package static func names(in folder: String, missing advice: String) throws(HostLinkError) -> [String] {
    if let names = try names(in: folder) { return names }
    throw .system(.storage, "\(shown(folder)) cannot be read", code: ENOENT, advice: advice)
  }

  // MARK: Writing

  /// Opens a folder; `in` is the open folder in which `name` is looked up, and in which it must not be a
  /// symbolic link. `nil` if there is none.
  /// - Throws: `.storage` if it cannot be opened, or is a link; `path` is its name in the error.
  static func open(folder name: String, in parent: Int32? = nil, path: String) throws(HostLinkError) -> Int32?
  {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    let folder =
      parent.map { openat($0, name, flags | O_NOFOLLOW) } ?? Foundation.open(name, flags)
    if folder >= 0 { return folder }
    let code = errno
    var status = stat()
    if let parent, fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
      status.st_mode & S_IFMT == S_IFLNK
    {
      throw link(path)
    }
    if isAbsent(code) { return nil }
    throw unreadable(path, code)
  }

  /// Makes a new file, readable for its owner only, and opens it for writing. A file or a symbolic link that
  /// has its name is removed, unless `replacing` is `false`; then it is an error. `parent` is the open folder
  /// of a relative path.
  /// - Throws: `.storage` if it cannot be made.
  package static func make(
    _ path: String, in parent: Int32 = AT_FDCWD, replacing: Bool = true, mode: mode_t = 0o600,
    advice: String? = nil
  ) throws(HostLinkError) -> Int32 {
    if replacing { unlinkat(parent, path, 0) }
    let file = openat(parent, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    // Independent of the umask.
    guard file >= 0, fchmod(file, mode) == 0 else {
      let code = errno
      if file >= 0 { Foundation.close(file) }
      throw .system(.storage, "\(shown(path)) cannot be made", code: code, advice: advice)
    }
    return file
  }

  /// Opens a file for writing from its start on, without emptying it; makes it if there is none. Its mode is
  /// 0600 from then on.
  /// - Throws: `.storage` if it cannot be opened, or is a symbolic link or no regular file.
  package static func open(writing path: String) throws(HostLinkError) -> Int32 {
    let file = Foundation.open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      if errno == ELOOP { throw link(path) }
      throw .system(.storage, "\(shown(path)) cannot be written", code: errno)
    }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, fchmod(file, 0o600) == 0 else {
      Foundation.close(file)
      throw HostLinkError(
        .storage, "\(shown(path)) is no regular file of yours, and is not written", advice: "move it away")
    }
    return file
  }

  /// Whether an output of this name is no file, and is written to as it is: a device, a pipe, or what the
  /// program was started with (`/dev/stdout`, `/dev/fd/3`). A symbolic link to one is one.
  package static func isStream(_ path: String) -> Bool {
    if inherited(path) != nil { return true }
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    return [S_IFCHR, S_IFIFO].contains(status.st_mode & S_IFMT)
  }

  /// Opens an output for which `isStream` holds. What the program was started with goes on where it is.
  /// - Throws: `.storage` if it cannot be opened.
  static func open(stream path: String) throws(HostLinkError) -> Int32 {
    let file =
      inherited(path).map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
      ?? Foundation.open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { throw .system(.storage, "\(shown(path)) cannot be written", code: errno) }
    return file
  }

  /// The number of an open file of the program that a path names.
  private static func inherited(_ path: String) -> Int32? {
    switch path {
    case "/dev/stdout": return STDOUT_FILENO
    case "/dev/stderr": return STDERR_FILENO
    default:
      let prefix = ["/dev/fd/", "/proc/self/fd/"].first(where: path.hasPrefix)
      return prefix.flatMap { Int32(path.dropFirst($0.count)) }.flatMap { $0 < 0 ? nil : $0 }
    }
  }

  /// - Throws: `.storage` if there is a symbolic link of this name: it is neither followed nor replaced.
  static func refuseLink(_ path: String) throws(HostLinkError) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return }
    throw link(path)
  }

  /// Prepares the file of an SQLite database, which would be made readable for others: makes it with mode
  /// 0600 if there is none. Neither it nor the files beside it may be symbolic links, through which SQLite
  /// would write; with `followsLink` the file itself may be one, if what it points to is there.
  /// - Returns: whether there was one; `false` if there is none, and `create` is not set.
  /// - Throws: `.storage`.
  package static func prepareDatabase(_ path: String, create: Bool, followsLink: Bool = false)
    throws(HostLinkError) -> Bool
  {
    for name in [path, "\(path)-journal", "\(path)-wal", "\(path)-shm"] {
      var status = stat()
      guard lstat(name, &status) == 0 else {
        if isAbsent(errno) { continue }
        throw unreadable(name, errno)
      }
      guard status.st_mode & S_IFMT == S_IFLNK else { continue }
      if name == path, followsLink, try exists(path) { continue }
      throw link(name)
    }
    if try exists(path) { return true }
    if create {
      Foundation.close(try make(path, replacing: false, advice: "choose a folder you may write to"))
    }
    return false
  }

  // MARK: Errors

  /// Whether a system call has failed because there is no such file.
  static func isAbsent(_ code: Int32) -> Bool { code == ENOENT || code == ENOTDIR }

  private static func shown(_ path: String) -> String { PrintableText.of(path, limit: 256) }

  private static func unreadable(_ path: String, _ code: Int32) -> HostLinkError {
    .system(
      .storage, "\(shown(path)) cannot be read", code: code,
      advice: code == EACCES || code == EPERM
        ? "it is there, and not yours to read: run the command as its owner, or `chown` it"
        : "check the disk, and the name")
  }

  private static func link(_ path: String) -> HostLinkError {
    HostLinkError(
      .storage, "\(shown(path)) is a symbolic link, and nothing is written through it",
      advice: "move it away; what is made here is made again")
  }
}
