/// What a firmware file puts where in a chip's memory.
public struct FirmwareImage: Equatable, Sendable {
  /// The form of a file.
  public enum Format: String, Sendable {
    /// Executable and Linkable Format.
    case elf = "ELF"
    /// Intel's hexadecimal records.
    case intelHex = "Intel HEX"
  }

  /// Bytes that lie together.
  public struct Segment: Equatable, Sendable {
    /// Where the first byte goes.
    public let address: UInt32
    /// The bytes.
    public let bytes: [UInt8]
    /// The address behind the last byte; up to 2³².
    public var end: UInt64 { UInt64(address) + UInt64(bytes.count) }
  }

  /// What a Cortex-M loads first: the start of its vector table.
  public struct VectorTable: Equatable, Sendable {
    /// Where the table lies.
    public let address: UInt32
    /// The stack pointer at reset.
    public let initialStackPointer: UInt32
    /// The reset handler, without the bit that says Thumb.
    public let resetHandler: UInt32
    /// Whether it can be one: the stack aligned and in RAM (0x20000000 and up), the handler in Thumb code of this image.
    public let isPlausible: Bool
  }

  /// The form of the file.
  public let format: Format
  /// Sorted by address; none touch or overlap.
  public let segments: [Segment]
  /// Where the program begins by the file's own word, if it says so.
  public let entry: UInt32?

  /// The largest file that is read.
  public static let largestFile = 64 << 20

  /// Parses a file by what it begins with.
  /// - Throws: `FirmwareError`, which says where and why.
  public init(_ bytes: [UInt8]) throws(FirmwareError) {
    if bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]) {
      self = try ELFImage.parse(bytes.span)
    } else if bytes.first(where: { ![0x20, 0x09, 0x0D, 0x0A].contains($0) }) == UInt8(ascii: ":") {
      self = try IntelHex.parse(bytes)
    } else {
      throw FirmwareError("this is neither ELF nor Intel HEX")
    }
  }

  /// An image from pieces in any order: pieces that touch are joined.
  init(format: Format, pieces: [Segment], entry: UInt32?) throws(FirmwareError) {
    var joined: [Segment] = []
    for piece in pieces.filter({ !$0.bytes.isEmpty }).sorted(by: { $0.address < $1.address }) {
      guard piece.end <= 1 << 32 else {
        throw FirmwareError("the bytes at 0x\(piece.address.hexadecimal(8)) go beyond the end of memory")
      }
      guard let last = joined.last, UInt64(piece.address) <= last.end else {
        joined.append(piece)
        continue
      }
      guard UInt64(piece.address) == last.end else {
        throw FirmwareError("two pieces overlap at 0x\(piece.address.hexadecimal(8))")
      }
      joined[joined.count - 1] = Segment(address: last.address, bytes: last.bytes + piece.bytes)
    }
    guard !joined.isEmpty else { throw FirmwareError("the file holds no bytes for the chip's memory") }
    self.format = format
    segments = joined
    self.entry = entry
  }

  /// How many bytes in all.
  public var byteCount: Int { segments.reduce(0) { $0 + $1.bytes.count } }

  /// The start of the first segment, read as a vector table; `nil` if that is shorter than eight bytes.
  public var vectorTable: VectorTable? {
    guard let first = segments.first, first.bytes.count >= 8 else { return nil }
    func word(_ index: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(first.bytes[index + $1]) << UInt32(8 * $1) }
    }
    let stack = word(0)
    let handler = word(4)
    let start = handler & ~1
    let isInside = segments.contains { start >= $0.address && UInt64(start) < $0.end }
    return VectorTable(
      address: first.address, initialStackPointer: stack, resetHandler: start,
      isPlausible: stack & 3 == 0 && stack > 0x2000_0000 && stack < 0x4000_0000 && handler & 1 == 1
        && isInside)
  }
}

/// Why a file is no firmware image.
public struct FirmwareError: Error, Equatable, CustomStringConvertible, Sendable {
  /// Where and why.
  public let description: String

  init(_ description: String) { self.description = description }
}
