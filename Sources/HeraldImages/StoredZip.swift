import HeraldHAL
import HeraldText

/// A zip archive with uncompressed files (PKWARE's APPNOTE 6.3, 4.3), as in Nordic's packages. A compressed
/// file is an error that contains its name.
struct StoredZip: Equatable {
  private static let localSignature: UInt32 = 0x0403_4B50
  private static let centralSignature: UInt32 = 0x0201_4B50
  private static let endSignature: UInt32 = 0x0605_4B50
  private static let version: UInt16 = 20
  /// 1980-01-01, the earliest date of the format. It is constant, so that equal files give equal archives.
  private static let date: UInt16 = 0x0021
  private static let endSize = 22
  /// The maximum number of files: more than in any package. Limits the work for a damaged archive.
  private static let mostFiles = 64

  /// Names and contents, in order.
  var files: [(name: String, bytes: [UInt8])]

  static func == (left: StoredZip, right: StoredZip) -> Bool {
    left.files.elementsEqual(right.files) { $0 == $1 }
  }

  /// An archive of `files`.
  init(_ files: [(name: String, bytes: [UInt8])]) { self.files = files }

  /// The bytes of the archive.
  var bytes: [UInt8] {
    var archive: [UInt8] = []
    var directory: [UInt8] = []
    for (name, content) in files {
      let offset = UInt32(archive.count)
      var common: [UInt8] = []
      for field in [Self.version, 0, 0, 0, Self.date] { common.append(littleEndian: field) }
      for field in [CRC32.of(content.span), UInt32(content.count), UInt32(content.count)] {
        common.append(littleEndian: field)
      }
      common.append(littleEndian: UInt16(name.utf8.count))
      common.append(littleEndian: UInt16(0))  // no extra field
      archive.append(littleEndian: Self.localSignature)
      archive += common + Array(name.utf8) + content
      directory.append(littleEndian: Self.centralSignature)
      directory.append(littleEndian: Self.version)
      directory += common
      // No comment, first disk, attributes of neither kind.
      directory += [UInt8](repeating: 0, count: 10)
      directory.append(littleEndian: offset)
      directory += Array(name.utf8)
    }
    let start = UInt32(archive.count)
    archive += directory
    archive.append(littleEndian: Self.endSignature)
    for field in [0, 0, UInt16(files.count), UInt16(files.count)] { archive.append(littleEndian: field) }
    archive.append(littleEndian: UInt32(directory.count))
    archive.append(littleEndian: start)
    archive.append(littleEndian: UInt16(0))  // no comment
    return archive
  }

  /// Reads an archive.
  /// - Throws: `FirmwareError` if it is damaged, holds what is not stored as it is, or has files that share
  ///   bytes.
  init(_ archive: [UInt8]) throws(FirmwareError) {
    let damaged = FirmwareError("the zip archive is damaged")
    func number(_ offset: Int, _ count: Int) throws(FirmwareError) -> Int {
      guard offset >= 0, offset <= archive.count - count else { throw damaged }
      return (0..<count).reduce(0) { $0 | Int(archive[offset + $1]) << (8 * $1) }
    }
    // The end record is the last thing but for a comment of up to 65535 bytes.
    var end = archive.count - Self.endSize
    let limit = max(0, end - 0xFFFF)
    while end >= limit, try number(end, 4) != Int(Self.endSignature) { end -= 1 }
    guard end >= limit else { throw FirmwareError("this is no zip archive") }
    let count = try number(end + 10, 2)
    var entry = try number(end + 16, 4)
    guard count <= Self.mostFiles else { throw FirmwareError("the zip archive holds \(count) files") }
    files = []
    var taken: [Range<Int>] = []
    for _ in 0..<count {
      guard try number(entry, 4) == Int(Self.centralSignature) else { throw damaged }
      let nameLength = try number(entry + 28, 2)
      let size = try number(entry + 24, 4)
      let local = try number(entry + 42, 4)
      guard entry + 46 + nameLength <= archive.count, try number(local, 4) == Int(Self.localSignature) else {
        throw damaged
      }
      let name = String(decoding: archive[entry + 46..<entry + 46 + nameLength], as: UTF8.self)
      guard try number(entry + 8, 2) & 1 == 0 else {
        throw FirmwareError(
          "\(PrintableText.of(name)) in the zip archive is protected with a password: unpack it, and pack it again without one"
        )
      }
      guard try number(entry + 10, 2) == 0, try number(entry + 20, 4) == size else {
        throw FirmwareError(
          "\(PrintableText.of(name)) in the zip archive is compressed: unpack it, and pack it again with `zip -0`"
        )
      }
      let start = local + 30 + (try number(local + 26, 2)) + (try number(local + 28, 2))
      guard start <= archive.count, size <= archive.count - start else { throw damaged }
      // Many entries over the same bytes would make more of an archive than it has.
      let range = local..<start + size
      guard !taken.contains(where: range.overlaps) else {
        throw FirmwareError("\(PrintableText.of(name)) in the zip archive overlaps another file of it")
      }
      guard !files.contains(where: { $0.name == name }) else {
        throw FirmwareError("\(PrintableText.of(name)) is twice in the zip archive")
      }
      taken.append(range)
      let content = Array(archive[start..<start + size])
      guard CRC32.of(content.span) == UInt32(try number(entry + 16, 4)) else {
        throw FirmwareError("\(PrintableText.of(name)) in the zip archive is damaged")
      }
      files.append((name, content))
      entry += 46 + nameLength + (try number(entry + 30, 2)) + (try number(entry + 32, 2))
    }
  }
}
