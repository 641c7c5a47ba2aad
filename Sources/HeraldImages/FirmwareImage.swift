import HeraldCrypto
import HeraldText

/// What a firmware file puts where in a chip's memory.
package struct FirmwareImage: Equatable, Sendable {
  /// The form of a file.
  package enum Format: String, Sendable, CaseIterable {
    /// Executable and Linkable Format.
    case elf = "ELF"
    /// Intel's hexadecimal records.
    case intelHex = "Intel HEX"
    /// Microsoft's blocks for drives.
    case uf2 = "UF2"
    /// MCUboot's header, program and TLV lists, as in memory.
    case mcuboot = "MCUboot"
    /// The raw bytes of memory, without an address.
    case binary = "binary"
    /// A package for a boot loader on a serial port.
    case package = "DFU package"
  }

  /// Contiguous bytes.
  package struct Segment: Equatable, Sendable {
    /// Where the first byte goes.
    package let address: UInt32
    /// The bytes.
    package let bytes: [UInt8]
    /// The address behind the last byte; up to 2³².
    package var end: UInt64 { UInt64(address) + UInt64(bytes.count) }

    /// A segment from its parts.
    package init(address: UInt32, bytes: [UInt8]) {
      self.address = address
      self.bytes = bytes
    }
  }

  /// What a Cortex-M loads first: the start of its vector table.
  package struct VectorTable: Equatable, Sendable {
    /// Offset of the table.
    package let address: UInt32
    /// The stack pointer at reset.
    package let initialStackPointer: UInt32
    /// The address of the reset handler, without the Thumb bit.
    package let resetHandler: UInt32
    /// Whether it can be one: the stack aligned and in RAM (0x20000000 and up), the handler in Thumb code of
    /// this image. Of a program in MCUboot's form, in clear, the handler may be anywhere below RAM: the file
    /// may have another address than the program is linked for.
    package let isPlausible: Bool
  }

  /// The form of the file.
  package let format: Format
  /// The segments in ascending order of address, neither adjacent nor overlapping.
  package let segments: [Segment]
  /// The entry address in the file, if it has one.
  package let entry: UInt32?
  /// The family identifier of UF2 blocks; `nil` if there is none.
  package let uf2Family: UInt32?
  /// The MCUboot image at the start of these bytes, for any file format; `nil` if it is none.
  package let mcuboot: MCUbootImage?
  /// MCUboot's trailer at the end of these bytes, behind the image; `nil` if there is none.
  package let trailer: MCUbootTrailer?
  /// The package in which it came, if it was one.
  package let package: DFUPackage?

  /// The maximum size of a file in bytes.
  package static let largestFile = 64 << 20
  /// The maximum number of segments: as many as the header of an ELF file counts.
  package static let mostSegments = 0xFEFF

  /// Parses a file, whose format is detected from its first bytes. A file in no known format is a raw binary
  /// at `base`, which is then required. An MCUboot image is at `base`, by default at 0. The application of a
  /// package is at `base`, or at the address determined by the package's SoftDevice, or at `packageBase`.
  /// - Throws: `FirmwareError` with the position and the reason.
  package init(_ bytes: [UInt8], base: UInt32? = nil, packageBase: UInt32? = nil) throws(FirmwareError) {
    if bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]) {
      self = try ELFImage.parse(bytes.span)
    } else if bytes.starts(with: [0x55, 0x46, 0x32, 0x0A]) {
      self = try UF2.parse(bytes)
    } else if bytes.starts(with: [0x3D, 0xB8, 0xF3, 0x96]) {
      self = try FirmwareImage(format: .mcuboot, pieces: [Segment(address: base ?? 0, bytes: bytes)])
    } else if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      let package = try DFUPackage(file: bytes)
      guard let address = base ?? package.start ?? packageBase else {
        throw FirmwareError(
          "the package does not say where its application goes: name the board (--board), or the address (--base)"
        )
      }
      self = try FirmwareImage(
        format: .package, pieces: [Segment(address: address, bytes: package.application)], package: package)
    } else if bytes.first(where: { ![0x20, 0x09, 0x0D, 0x0A].contains($0) }) == UInt8(ascii: ":") {
      self = try IntelHex.parse(bytes)
    } else if let base {
      self = try FirmwareImage(format: .binary, pieces: [Segment(address: base, bytes: bytes)])
    } else {
      throw FirmwareError(
        "this is neither ELF, Intel HEX, UF2, an MCUboot image nor a DFU package; a raw binary needs the address it goes to (--base)"
      )
    }
  }

  /// An image from pieces in any order: pieces that touch are joined.
  /// - Throws: `FirmwareError` if they overlap, go beyond the end of memory, are none or too many apart, or
  ///   begin as an MCUboot image and are not one.
  package init(
    format: Format, pieces: [Segment], entry: UInt32? = nil, uf2Family: UInt32? = nil,
    package: DFUPackage? = nil
  ) throws(FirmwareError) {
    var joined: [Segment] = []
    var start: UInt32 = 0
    var current: [UInt8] = []
    for piece in pieces.filter({ !$0.bytes.isEmpty }).sorted(by: { $0.address < $1.address }) {
      guard piece.end <= 1 << 32 else {
        throw FirmwareError("the bytes at 0x\(piece.address.hexadecimal(8)) go beyond the end of memory")
      }
      let end = UInt64(start) + UInt64(current.count)
      if current.isEmpty || UInt64(piece.address) > end {
        if !current.isEmpty { joined.append(Segment(address: start, bytes: current)) }
        start = piece.address
        current = piece.bytes
      } else {
        guard UInt64(piece.address) == end else {
          throw FirmwareError("two pieces overlap at 0x\(piece.address.hexadecimal(8))")
        }
        current += piece.bytes
      }
    }
    guard !current.isEmpty else { throw FirmwareError("the file holds no bytes for the chip's memory") }
    joined.append(Segment(address: start, bytes: current))
    guard joined.count <= Self.mostSegments else {
      throw FirmwareError(
        "the file has \(joined.count) separate pieces, and firmware has at most \(Self.mostSegments)")
    }
    self.format = format
    segments = joined
    self.entry = entry
    self.uf2Family = uf2Family
    self.package = package
    mcuboot =
      joined[0].bytes.starts(with: [0x3D, 0xB8, 0xF3, 0x96])
      ? try MCUbootImage(MCUbootImage.file(of: joined)) : nil
    trailer = mcuboot.flatMap { MCUbootTrailer(joined, imageSize: $0.bytes.count) }
  }

  /// How many bytes behind an MCUboot image are neither its trailer nor erased.
  package var bytesBehindImage: Int {
    guard let mcuboot, let first = segments.first, let last = segments.last else { return 0 }
    return trailer?.otherBytes
      ?? MCUbootTrailer.programmed(
        segments, from: Int(first.address) + mcuboot.bytes.count, to: Int(last.end))
  }

  /// How many bytes in all.
  package var byteCount: Int { segments.reduce(0) { $0 + $1.bytes.count } }

  /// The SHA-256 of its bytes, segment after segment: the same for one image in all forms, unless gaps were
  /// filled.
  package var contentHash: [UInt8] {
    var hash = SHA256()
    for segment in segments { hash.update(segment.bytes.span) }
    var digest = [32 of UInt8](repeating: 0)
    hash.finish(into: &digest)
    return digest.span.withUnsafeBufferPointer { Array($0) }
  }

  /// Where the program begins that a processor would start: behind MCUboot's header, if there is one.
  private var programAddress: UInt32? {
    segments.first.map { $0.address &+ UInt32(truncatingIfNeeded: mcuboot?.headerSize ?? 0) }
  }

  /// The start of the program, read as a vector table; `nil` if that is shorter than eight bytes.
  package var vectorTable: VectorTable? {
    guard let first = segments.first, let address = programAddress else { return nil }
    let offset = mcuboot?.headerSize ?? 0
    guard first.bytes.count >= offset + 8 else { return nil }
    func word(_ index: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(first.bytes[offset + index + $1]) << UInt32(8 * $1) }
    }
    let stack = word(0)
    let handler = word(4)
    let start = handler & ~1
    let isInside =
      mcuboot?.isClear == true
      ? start > 0 && start < 0x2000_0000
      : segments.contains { start >= $0.address && UInt64(start) < $0.end }
    return VectorTable(
      address: address, initialStackPointer: stack, resetHandler: start,
      isPlausible: stack & 3 == 0 && stack > 0x2000_0000 && stack < 0x4000_0000 && handler & 1 == 1
        && isInside)
  }
}

/// Why a file is no firmware image, or none can be made.
package struct FirmwareError: Error, Equatable, CustomStringConvertible, Sendable {
  /// Where and why.
  package let description: String

  /// An error with this text.
  package init(_ description: String) { self.description = description }
}
