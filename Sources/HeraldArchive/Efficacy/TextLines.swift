import Foundation
import HeraldHostLink
import HeraldText

/// Reads the lines of a text file of any size in bounded memory.
enum TextLines {
  /// The maximum length of a line in bytes. Longer lines are skipped.
  static let mostBytes = 1 << 16
  private static let piece = 1 << 18

  /// What was read.
  struct Reading: Equatable {
    /// The number of lines that `body` received.
    var lines = 0
    /// The number of lines that were longer than `mostBytes`.
    var tooLong = 0
  }

  /// Calls `body` with each line, without its line end (LF or CR LF), until it returns `false`. A last line
  /// without a line end is a line, too. A byte order mark at the start is skipped.
  /// - Throws: `.storage` if the file cannot be read.
  static func read(_ path: String, _ body: (Span<UInt8>) -> Bool) throws(HostLinkError) -> Reading {
    guard let descriptor = try LocalFile.open(reading: path) else { throw failure(path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw HostLinkError(.storage, "\(path) is not a file")
    }
    var reading = Reading()
    var buffer = [UInt8](repeating: 0, count: mostBytes + piece)
    var filled = 0
    var isSkipping = false
    var isFirst = true
    while true {
      let start = filled
      let count = buffer.withUnsafeMutableBytes { bytes in
        Foundation.read(descriptor, bytes.baseAddress.map { $0 + start }, piece)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw failure(path)
      }
      let isEnd = count == 0
      filled += count
      var begin = 0
      if isFirst {
        isFirst = false
        if filled >= 3, buffer[0] == 0xEF, buffer[1] == 0xBB, buffer[2] == 0xBF { begin = 3 }
        try Self.check(buffer[..<min(filled, 256)], path)
      }
      var position = max(begin, start)
      while position < filled {
        guard buffer[position] == 0x0A else {
          position += 1
          continue
        }
        if isSkipping {
          isSkipping = false
        } else if !take(buffer, begin..<position, &reading, body) {
          return reading
        }
        position += 1
        begin = position
      }
      if isEnd {
        if !isSkipping, begin < filled { _ = take(buffer, begin..<filled, &reading, body) }
        return reading
      }
      if isSkipping || filled - begin > mostBytes {
        if !isSkipping { reading.tooLong += 1 }
        isSkipping = true
        filled = 0
      } else {
        let rest = filled - begin
        for index in 0..<rest { buffer[index] = buffer[begin + index] }
        filled = rest
      }
    }
  }

  /// Calls `body` with the first row, of the first `mostBytes` bytes, and the separator of a line `sep=;`
  /// before it; with no bytes if there is no row.
  /// - Throws: `.storage` if the file cannot be read.
  static func readRow(_ path: String, _ body: (Span<UInt8>, UInt8?) -> Void) throws(HostLinkError) {
    guard let handle = FileHandle(forReadingAtPath: path) else { throw failure(path) }
    defer { try? handle.close() }
    var bytes: [UInt8]
    do { bytes = [UInt8](try handle.read(upToCount: mostBytes) ?? Data()) } catch { throw failure(path) }
    try check(bytes[..<min(bytes.count, 256)], path)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    let lines = bytes.split(maxSplits: 2, whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map { Array($0) }
    guard let first = lines.first else { return body([UInt8]().span, nil) }
    guard let separator = LineFields.namedSeparator(first.span) else { return body(first.span, nil) }
    let second = lines.count > 1 ? lines[1] : []
    body(second.span, separator)
  }

  /// Refuses text in UTF-16, with or without a mark at its start.
  private static func check(_ start: ArraySlice<UInt8>, _ path: String) throws(HostLinkError) {
    guard start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) || start.contains(0) else {
      return
    }
    throw HostLinkError(
      .storage, "\(PrintableText.of(path, limit: 400)) is UTF-16, or no text: it has to be UTF-8",
      advice: "convert it: iconv -f utf-16 -t utf-8")
  }

  private static func take(
    _ buffer: [UInt8], _ range: Range<Int>, _ reading: inout Reading, _ body: (Span<UInt8>) -> Bool
  ) -> Bool {
    var end = range.upperBound
    if end > range.lowerBound, buffer[end - 1] == 0x0D { end -= 1 }
    guard end - range.lowerBound <= mostBytes else {
      reading.tooLong += 1
      return true
    }
    reading.lines += 1
    return body(buffer.span.extracting(range.lowerBound..<end))
  }

  private static func failure(_ path: String) -> HostLinkError {
    HostLinkError(.storage, "\(path) cannot be read: \(String(cString: strerror(errno)))")
  }
}
