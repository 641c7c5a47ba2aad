import Glibc

/// A capture file in `btsnoop` format that this process alone appends to. After each call the file ends with
/// a complete record: a record that could not be written completely is removed.
final class BtsnoopFile {
  /// The size of a record's header in bytes.
  static let recordHeaderSize = 24
  /// The longest packet of a record in bytes: H4's type byte, the header and the maximum data.
  static let longestPacket = 1 + 4 + 0xFFFF
  /// The number of bytes that are read at once when an existing file is checked.
  private static let chunkSize = 1 << 16

  private let path: String
  private let file: FileDescriptor
  /// The size of the file in bytes: the end of the last complete record.
  private var size: Int

  /// Opens a file, or creates it with mode 0600. An existing capture is continued after its last complete
  /// record; what follows, as a loss of power or a full disk leaves it, is removed.
  /// - Throws: if the file is no capture, is not a regular file, or is in use by another process.
  init(_ path: String) throws(SystemFailure) {
    self.path = path
    file = FileDescriptor(
      Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600))
    size = 0
    guard file.isOpen else { throw SystemFailure("capture into", path, code: errno) }
    var state = stat()
    guard fstat(file.number, &state) == 0 else { throw SystemFailure("capture into", path, code: errno) }
    guard state.st_mode & S_IFMT == S_IFREG else {
      let isPipe = state.st_mode & S_IFMT == S_IFIFO
      throw SystemFailure(
        "capture into", path, reason: isPipe ? "it is a named pipe" : "it is not a regular file",
        advice: "name a file, or unix:PATH for programs that read the capture while it is made")
    }
    guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
      throw SystemFailure(
        "capture into", path, reason: "another process is writing it", advice: "name another file")
    }
    size = try Self.end(of: file, size: Int(state.st_size), path)
    guard ftruncate(file.number, off_t(size)) == 0 else {
      throw SystemFailure("capture into", path, code: errno)
    }
    if size == 0 { try append(BtsnoopCapture.header) }
  }

  /// Appends a complete record.
  /// - Throws: the reason if it cannot be written. The file is as it was before.
  func append(_ record: [UInt8]) throws(SystemFailure) {
    var written = 0
    while written < record.count {
      let count = file.write(record.span.extracting(written...))
      // A short write has no error number; the attempt to write the rest has.
      guard count > 0 else {
        let code = count < 0 ? errno : EAGAIN
        // Nothing remains to be done if this fails: a reader, and `init`, skip the incomplete record.
        _ = ftruncate(file.number, off_t(size))
        throw SystemFailure("write to", path, code: code, advice: "the capture ends here")
      }
      written += count
    }
    size += written
  }

  /// The end of the last complete record; 0 for a file that ends within the header of the format.
  private static func end(of file: borrowing FileDescriptor, size: Int, _ path: String) throws(SystemFailure)
    -> Int
  {
    let header = BtsnoopCapture.header
    var start = [UInt8](repeating: 0, count: header.count)
    let found = try read(file, at: 0, into: &start, path)
    guard start[..<found].elementsEqual(header[..<found]) else {
      throw SystemFailure(
        "capture into", path, reason: "it exists and is no capture of HCI traffic",
        advice: "name another file")
    }
    guard found == header.count else { return 0 }
    var end = header.count
    var chunk = [UInt8](repeating: 0, count: chunkSize)
    while true {
      let count = try read(file, at: end, into: &chunk, path)
      guard count >= recordHeaderSize else { return end }
      var offset = 0
      while offset + recordHeaderSize <= count {
        let length = chunk[(offset + 4)..<(offset + 8)].reduce(0) { $0 << 8 | Int($1) }
        guard length > 0, length <= longestPacket else {
          guard try isZero(file, from: end + offset, &chunk, path) else {
            throw SystemFailure(
              "capture into", path, reason: "its byte \(end + offset) does not begin a record",
              advice: "name another file")
          }
          return end + offset
        }
        let next = offset + recordHeaderSize + length
        guard end + next <= size else { return end + offset }
        offset = next
      }
      end += offset
    }
  }

  /// Whether all bytes from an offset on are zero, as a file system may leave them after a loss of power.
  private static func isZero(
    _ file: borrowing FileDescriptor, from offset: Int, _ chunk: inout [UInt8], _ path: String
  ) throws(SystemFailure) -> Bool {
    var offset = offset
    while true {
      let count = try read(file, at: offset, into: &chunk, path)
      guard count > 0 else { return true }
      guard chunk[..<count].allSatisfy({ $0 == 0 }) else { return false }
      offset += count
    }
  }

  /// Reads from an offset as many bytes as `buffer` has room for and the file has. Returns their number.
  private static func read(
    _ file: borrowing FileDescriptor, at offset: Int, into buffer: inout [UInt8], _ path: String
  ) throws(SystemFailure) -> Int {
    let number = file.number
    var filled = 0
    while filled < buffer.count {
      let count = buffer.withUnsafeMutableBytes { bytes in
        pread(number, bytes.baseAddress.map { $0 + filled }, bytes.count - filled, off_t(offset + filled))
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemFailure("read", path, code: errno) }
      guard count > 0 else { break }
      filled += count
    }
    return filled
  }
}
