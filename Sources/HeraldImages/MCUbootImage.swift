import HeraldHAL
import HeraldText

/// A firmware image as MCUboot has it, little-endian: a header, the program, and behind it one or two lists
/// of entries, the protected one first.
///
/// | byte | meaning |
/// | --- | --- |
/// | 0 | 96F3B83D |
/// | 4 | load address |
/// | 8 | bytes of the header, what pads it included |
/// | 10 | bytes of the protected list, its head included |
/// | 12 | bytes of the program |
/// | 16 | flags |
/// | 20 | version: major u8, minor u8, revision u16, build u32 |
/// | 28 | 0 |
///
/// A list has a head (6908 if protected, else 6907, and the bytes of the whole, each u16) and entries (type
/// u16, length u16, bytes). Hash and signature cover header, program and protected list (MCUboot's document
/// "Boot loader design", "Image format").
package struct MCUbootImage: Equatable, Sendable {
  /// A version, as `1.2.3+4`.
  package struct Version: Equatable, Sendable, CustomStringConvertible {
    /// 0…255.
    package let major: UInt8
    /// 0…255.
    package let minor: UInt8
    /// 0…65535.
    package let revision: UInt16
    /// The build number, 0 to 4,294,967,295.
    package let build: UInt32

    /// A version from its parts.
    package init(major: UInt8, minor: UInt8 = 0, revision: UInt16 = 0, build: UInt32 = 0) {
      self.major = major
      self.minor = minor
      self.revision = revision
      self.build = build
    }

    /// From `1`, `1.2`, `1.2.3` or any of them with `+4` behind it; `nil` if it is none of these, or a number
    /// is too large.
    package init?(_ text: String) {
      let halves = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
      let parts = halves[0].split(separator: ".", omittingEmptySubsequences: false)
      let isDigits = (parts + halves.dropFirst()).allSatisfy { part in
        !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
      }
      guard isDigits, parts.count <= 3, let major = UInt8(parts[0]),
        let minor = parts.count > 1 ? UInt8(parts[1]) : 0,
        let revision = parts.count > 2 ? UInt16(parts[2]) : 0,
        let build = halves.count > 1 ? UInt32(halves[1]) : 0
      else { return nil }
      self.init(major: major, minor: minor, revision: revision, build: build)
    }

    /// From MCUmgr's form: `1.2.3`, or `1.2.3.4` with a build number; `nil` if it is none of these.
    package init?(mcumgr text: String) {
      var parts = text.split(separator: ".", omittingEmptySubsequences: false)
      let build = parts.count == 4 ? "+\(parts.removeLast())" : ""
      self.init(parts.joined(separator: ".") + build)
    }

    /// The version as `1.2.3`, followed by `+4` if there is a build number.
    package var description: String { "\(major).\(minor).\(revision)\(build > 0 ? "+\(build)" : "")" }
  }

  /// An entry of a TLV list.
  package struct Entry: Equatable, Sendable {
    /// The type; see `EntryType`.
    package let type: UInt16
    /// The value, in the format defined by `type`.
    package let value: [UInt8]

    /// Initialises each member.
    package init(type: UInt16, value: [UInt8]) {
      self.type = type
      self.value = value
    }
  }

  /// The first four bytes, as a number.
  package static let magic: UInt32 = 0x96F3_B83D
  /// Bytes of the header in front of the program; there may be more padding.
  package static let headerSize = 32
  /// The first two bytes of a TLV list, as a number.
  package static let listMagic: UInt16 = 0x6907
  /// The same of the list of protected entries.
  package static let protectedListMagic: UInt16 = 0x6908

  /// Where a boot loader copies it to, or 0.
  package let loadAddress: UInt32
  /// Bytes in front of the program.
  package let headerSize: Int
  /// Bytes of the program.
  package let programSize: Int
  /// Bits 2 and 3 encrypted, 4 not bootable, 5 to be loaded into RAM, 8 for a fixed address, 9 to 11
  /// compressed; see `Flag`.
  package let flags: UInt32
  /// The version of the image.
  package let version: Version
  /// What hash and signature cover besides header and program.
  package let protectedEntries: [Entry]
  /// Hash, key and signature.
  package let entries: [Entry]
  /// The complete image, without bytes that follow it in a slot.
  package let bytes: [UInt8]
  /// The number of bytes covered by hash and signature.
  package let coveredSize: Int

  /// Parses an image; bytes after its TLV lists are ignored.
  /// - Throws: `FirmwareError` if the image is truncated or inconsistent.
  package init(_ file: [UInt8]) throws(FirmwareError) {
    var reader = ByteReader(file.span)
    guard reader.u32() == Self.magic else { throw FirmwareError("this is no MCUboot image") }
    guard let loadAddress = reader.u32(), let headerSize = reader.u16(), let protectedSize = reader.u16(),
      let programSize = reader.u32(), let flags = reader.u32(), let major = reader.u8(),
      let minor = reader.u8(), let revision = reader.u16(), let build = reader.u32(), reader.skip(4)
    else { throw FirmwareError("the MCUboot header is cut off") }
    guard headerSize >= Self.headerSize else {
      throw FirmwareError("the MCUboot header says it has \(headerSize) bytes; it has at least 32")
    }
    let end = Int(headerSize) + Int(programSize)
    guard end <= file.count else {
      throw FirmwareError("the MCUboot image is cut off: its program ends at byte \(end) of \(file.count)")
    }
    var position = end
    var protected: [Entry] = []
    if protectedSize > 0 {
      let start = position
      protected = try Self.list(file, &position, Self.protectedListMagic)
      guard position - start == Int(protectedSize) else {
        throw FirmwareError(
          "MCUboot's protected list has \(position - start) bytes, and the header says \(protectedSize)")
      }
    }
    coveredSize = position
    entries = try Self.list(file, &position, Self.listMagic)
    protectedEntries = protected
    bytes = Array(file[..<position])
    self.loadAddress = loadAddress
    self.headerSize = Int(headerSize)
    self.programSize = Int(programSize)
    self.flags = flags
    version = Version(major: major, minor: minor, revision: revision, build: build)
  }

  /// The entries of a list; moves `position` behind it.
  private static func list(_ file: [UInt8], _ position: inout Int, _ magic: UInt16) throws(FirmwareError)
    -> [Entry]
  {
    let kind = magic == protectedListMagic ? "MCUboot's protected list" : "MCUboot's list"
    var head = ByteReader(file.span.extracting(position...))
    guard let found = head.u16(), let size = head.u16() else {
      throw FirmwareError("\(kind) is missing: the image is cut off, or not finished")
    }
    guard found == magic else {
      throw FirmwareError("\(kind) does not begin as one (0x\(found.hexadecimal(4)))")
    }
    guard Int(size) >= 4, position + Int(size) <= file.count else {
      throw FirmwareError("\(kind) says it has \(size) bytes, and \(file.count - position) are there")
    }
    var reader = ByteReader(file.span.extracting(position + 4..<position + Int(size)))
    var entries: [Entry] = []
    while reader.remaining > 0 {
      guard let type = reader.u16(), let length = reader.u16(), let value = reader.bytes(Int(length)) else {
        throw FirmwareError("entry \(entries.count) of \(kind) is cut off")
      }
      entries.append(Entry(type: type, value: value.withUnsafeBufferPointer { Array($0) }))
    }
    position += Int(size)
    return entries
  }

  /// The program, without header and lists.
  package var program: ArraySlice<UInt8> { bytes[headerSize..<headerSize + programSize] }

  /// Whether the flags say that the program is neither encrypted nor compressed.
  var isClear: Bool { flags & (Flag.encrypted | Flag.compressed) == 0 }

  /// What hash and signature cover.
  package var covered: ArraySlice<UInt8> { bytes[..<coveredSize] }

  /// The hash that the image carries, which names it to a device; `nil` if it carries none. The SHA-256, if
  /// there are several.
  package var hash: [UInt8]? {
    [EntryType.sha256, EntryType.sha384, EntryType.sha512].lazy
      .compactMap { type in entries.first { $0.type == type }?.value }.first
  }

  /// The bytes between header and lists, as far as a file with gaps holds them: gaps inside the program are
  /// FF, as in erased flash.
  ///
  /// - Parameter segments: those of a file whose first one begins with an image, in ascending order.
  static func file(of segments: [FirmwareImage.Segment]) -> [UInt8] {
    guard var file = segments.first?.bytes, let start = segments.first?.address else { return [] }
    var reader = ByteReader(file.span)
    guard reader.skip(8), let headerSize = reader.u16(), reader.skip(2), let programSize = reader.u32() else {
      return file
    }
    let end = Int(headerSize) + Int(programSize)
    for segment in segments.dropFirst() {
      let offset = Int(segment.address - start)
      guard offset < end, offset <= FirmwareImage.largestFile else { break }
      file += [UInt8](repeating: 0xFF, count: offset - file.count)
      file += segment.bytes
    }
    return file
  }
}
