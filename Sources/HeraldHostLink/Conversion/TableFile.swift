import Foundation
import HeraldCrypto
import HeraldEmbedded

/// What a conversion has left under the name of a table: by this the next one knows the file as its own.
struct TableMark: Equatable {
  /// A file by its length, its beginning and its end.
  struct Sample: Equatable {
    private static let piece: Int64 = 1 << 16

    /// The length in bytes.
    let length: Int64
    private let sha256: [UInt8]

    /// The sample of the first `length` bytes of a file, or of all; `nil` if it has fewer, or is no regular
    /// file.
    init?(_ path: String, length: Int64? = nil) throws(HostLinkError) {
      guard let stamp = TableMark.stamp(of: path), case let length = length ?? stamp.length,
        stamp.length >= length,
        let file = try LocalFile.open(reading: path)
      else { return nil }
      defer { close(file) }
      var bytes: [UInt8] = []
      for start in [0, max(0, length - Self.piece)] {
        let count = Int(min(length - start, Self.piece))
        let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
          read = max(0, SystemCall.retrying { pread(file, buffer.baseAddress, count, off_t(start)) })
        }
        guard piece.count == count else { return nil }
        bytes += piece
      }
      self.length = length
      let digest = SHA256.digest(of: bytes.span)
      sha256 = digest.indices.map { digest[$0] }
    }
  }

  /// The lines of settled pages, behind which the next conversion goes on; `nil` if there are none.
  var settled: Sample?
  /// The whole file; `nil` if there is none.
  var whole: Sample?
  /// The file that it takes the place of.
  var former: Sample?
  /// The time of the last change of its contents, in nanoseconds since 1970.
  var changed: Int64 = 0

  /// The length and the time of the last change of a regular file, which is no symbolic link.
  static func stamp(of path: String) -> (length: Int64, changed: Int64)? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return (
      Int64(status.st_size),
      Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    )
  }

  /// Whether there is nothing at `path`, not even a symbolic link.
  static func isAbsent(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) != 0
  }

  /// Whether the file is as it was left.
  func isAsLeft(_ path: String) -> Bool {
    guard let whole else { return Self.isAbsent(path) }
    return Self.stamp(of: path).map { $0.length == whole.length && $0.changed == changed } ?? false
  }

  /// Whether a conversion has written the file, or at least its beginning.
  func isOwn(_ path: String) throws(HostLinkError) -> Bool {
    if isAsLeft(path) { return true }
    guard let present = try Sample(path) else { return false }
    if present == whole || present == former { return true }
    return try hasSettled(path)
  }

  /// Whether the file begins with the lines of settled pages.
  func hasSettled(_ path: String) throws(HostLinkError) -> Bool {
    guard let settled else { return false }
    return try Sample(path, length: settled.length) == settled
  }
}

/// A table that a conversion writes: made anew under a temporary name, or continued behind the lines of
/// settled pages.
final class TableFile {
  let name: String
  private let path: String
  private let header: String
  /// The length of the lines of settled pages that stay; 0 if the file is made anew.
  private let kept: Int64
  private var descriptor: Int32 = -1
  /// The length of the file in bytes, including pending bytes.
  private var length: Int64
  private var settled: Int64 = 0
  private var waiting: [UInt8] = []
  private var isPublished = false
  private static let piece = 1 << 18

  private var place: String { kept > 0 ? path : path + ".part" }

  /// A table in a folder, which keeps its first `length` bytes.
  init(folder: String, name: String, header: String, keeping length: Int64 = 0) {
    self.name = name
    path = "\(folder)/\(name)"
    self.header = header
    kept = length
    self.length = length
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    if kept == 0, !isPublished { unlink(place) }
  }

  /// Makes the file, or cuts off what is behind the lines that stay. A file without this does not exist.
  func begin() throws(HostLinkError) {
    guard descriptor < 0 else { return }
    descriptor = kept > 0 ? try LocalFile.open(writing: path) : try LocalFile.make(place)
    guard ftruncate(descriptor, off_t(kept)) == 0, lseek(descriptor, off_t(kept), SEEK_SET) == off_t(kept)
    else { throw .system(.storage, "\(place) cannot be written", code: errno) }
    if kept == 0 {
      waiting += Array(header.utf8)
      length = Int64(waiting.count)
    }
  }

  /// Appends lines.
  func append(_ lines: [UInt8]) throws(HostLinkError) {
    try begin()
    waiting += lines
    length += Int64(lines.count)
    if waiting.count >= Self.piece { try flush() }
  }

  private func flush() throws(HostLinkError) {
    try SystemCall.writeAll(waiting, to: descriptor, at: place)
    waiting.removeAll(keepingCapacity: true)
  }

  /// Notes that all lines so far are those of settled pages.
  func settle() { settled = length > Int64(header.utf8.count) ? length : 0 }

  /// Syncs the file to the disk. Returns how it is known when it has taken the place of `former`.
  func finish(replacing former: TableMark.Sample?) throws(HostLinkError) -> TableMark {
    var mark = TableMark(former: former)
    if kept > 0 { try begin() }
    guard descriptor >= 0 else { return mark }
    try flush()
    guard fsync(descriptor) == 0, let stamp = TableMark.stamp(of: place) else {
      throw .system(.storage, "\(place) cannot be synced to the disk", code: errno)
    }
    mark.changed = stamp.changed
    mark.whole = try TableMark.Sample(place, length: length)
    if settled > 0 { mark.settled = try TableMark.Sample(place, length: settled) }
    return mark
  }

  /// Whether the file begins with all that is under its name now.
  func beginsWithPresent() throws(HostLinkError) -> Bool {
    guard let present = try TableMark.Sample(path) else { return false }
    return try TableMark.Sample(place, length: present.length) == present
  }

  /// Gives the file its name. A file without lines is removed.
  func publish() throws(HostLinkError) {
    guard descriptor >= 0 else {
      unlink(path)
      return
    }
    guard kept > 0 || rename(place, path) == 0 else {
      throw .system(.storage, "\(path) cannot be replaced", code: errno)
    }
    isPublished = true
  }
}

extension TableMark.Sample: Stored {
  func store(in bytes: inout StateWriter) {
    bytes.add(UInt64(length))
    bytes.add(sha256)
  }

  init(from bytes: inout StateReader) throws(StateReader.Damage) {
    length = Int64(try bytes.number(through: UInt64(Int64.max)))
    sha256 = try bytes.data()
  }
}

extension TableMark: Stored {
  func store(in bytes: inout StateWriter) {
    for sample in [settled, whole, former] { bytes.add(sample.map { [$0] } ?? []) }
    bytes.add(signed: changed)
  }

  init(from bytes: inout StateReader) throws(StateReader.Damage) {
    func sample() throws(StateReader.Damage) -> Sample? { (try bytes.list() as [Sample]).first }
    settled = try sample()
    whole = try sample()
    former = try sample()
    changed = try bytes.signed()
  }
}
