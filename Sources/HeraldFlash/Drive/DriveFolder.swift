import Foundation
import HeraldHostLink
import HeraldText

/// The mount point of a drive, and the identity of the mounted drive.
struct DriveFolder: Equatable {
  /// The identity of a mounted drive, which differs from that of a later one at the same path: the file
  /// system's device and first inode, and for block devices the kernel's number of the medium.
  struct Mount: Equatable {
    let device: UInt64
    let inode: UInt64
    let sequence: String
  }

  /// Where it is mounted.
  let path: String

  /// The drive mounted there now; `nil` if none, or only a stale mount of a removed drive.
  var mount: Mount? {
    var facts = stat()
    guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else { return nil }
    let device = UInt64(facts.st_dev)
    // A removed block device leaves its mount, but not its folder here. Other file systems have a major
    // number of 0.
    let major = (device >> 8 & 0xFFF) | (device >> 32 & ~0xFFF)
    let minor = (device & 0xFF) | (device >> 12 & ~0xFF)
    var sequence = ""
    if major != 0 {
      let block = "/sys/dev/block/\(major):\(minor)"
      guard
        !FileManager.default.fileExists(atPath: "/sys/dev/block")
          || FileManager.default.fileExists(atPath: block)
      else { return nil }
      sequence = Self.text(block + "/diskseq") ?? Self.text(block + "/../diskseq") ?? ""
    }
    return Mount(device: device, inode: UInt64(facts.st_ino), sequence: sequence)
  }

  /// The text of the file `name`, in any case, as far as 16 KB; `nil` if there is none.
  func text(_ name: String) -> String? {
    guard let entries = try? FileManager.default.contentsOfDirectory(atPath: path),
      let entry = entries.first(where: { $0.uppercased() == name })
    else { return nil }
    return Self.text("\(path)/\(entry)")
  }

  private static func text(_ path: String) -> String? {
    guard let handle = FileHandle(forReadingAtPath: path) else { return nil }
    defer { try? handle.close() }
    guard let data = try? handle.read(upToCount: 16384) else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  /// The value behind `name:` in lines of names and values, safe to show; `nil` if there is none.
  static func value(_ name: String, in text: String) -> String? {
    for line in text.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces).lowercased() == name.lowercased() {
        return PrintableText.of(parts[1].trimmingCharacters(in: .whitespaces))
      }
    }
    return nil
  }

  /// The free space in bytes; `nil` if unknown.
  var room: UInt64? {
    var facts = statvfs()
    guard statvfs(path, &facts) == 0 else { return nil }
    return UInt64(facts.f_bavail) * UInt64(facts.f_frsize)
  }

  /// The folders of mounted drives, from the lines of `/proc/self/mounts`: those with a FAT file system,
  /// which is what boot loaders show.
  static func mounted(_ table: String) -> [DriveFolder] {
    table.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ")
      guard fields.count >= 3, ["vfat", "msdos", "exfat", "fuseblk"].contains(fields[2]) else { return nil }
      return DriveFolder(path: unescaped(fields[1]))
    }
  }

  /// A path of that table: space, tab, line feed and backslash are three octal digits behind a backslash.
  private static func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"),
        let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
      {
        bytes.append(code)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A new file on a drive, with errors reported for each step.
struct DriveFile {
  /// Why a step failed: `errno`.
  struct Failure: Error, Equatable {
    let code: Int32
    /// Whether the drive is full.
    var isFull: Bool { code == ENOSPC }
    /// The system's text for it.
    var text: String { String(cString: strerror(code)) }
  }

  private let descriptor: Int32

  /// Creates the file, or truncates an existing one.
  init(_ path: String) throws(Failure) {
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Failure(code: errno) }
  }

  /// Appends all of `bytes`.
  func write(_ bytes: ArraySlice<UInt8>) throws(Failure) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw Failure(code: count == 0 ? ENOSPC : errno)
      }
    }
  }

  /// Waits until all that was written has reached the drive.
  func synchronise() throws(Failure) {
    while fsync(descriptor) != 0 {
      if errno != EINTR { throw Failure(code: errno) }
    }
  }

  /// Closes it.
  func close() throws(Failure) {
    if Foundation.close(descriptor) != 0 { throw Failure(code: errno) }
  }
}
