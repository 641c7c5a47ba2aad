import HeraldHAL

/// What the end of a slot says to MCUboot about the image in it (MCUboot's document "Boot loader design",
/// "Image trailer"). From the end towards the start, each in units of `alignment`: a magic number of 16
/// bytes, whether the image is confirmed, whether it was copied, the kind of swap, and the swapped size.
///
/// imgtool writes it with `--pad`, `--test` and `--confirm`: into a binary with all that is between image and
/// trailer, into Intel HEX without it.
package struct MCUbootTrailer: Equatable, Sendable {
  /// The address of the magic number.
  package let address: UInt32
  /// The alignment of the fields, 8 to 128 bytes.
  package let alignment: Int
  /// Whether the image is confirmed (`image_ok` is 1): it stays. Otherwise it is tried once.
  package let isConfirmed: Bool
  /// Whether the image was copied by the boot loader (`copy_done` is 1).
  package let isCopied: Bool
  /// The kind of swap (bits 0 to 3: 2 test, 3 permanent, 4 revert) and the number of the image (bits 4 to 7);
  /// `nil` if it is erased.
  package let swapInfo: UInt8?
  /// How many bytes of the file are neither the image nor its trailer, nor erased (FF).
  package let otherBytes: Int

  /// The magic number for an alignment of 8; for others its first two bytes are the alignment.
  private static let magic: [UInt8] = [
    0x77, 0xC2, 0x95, 0xF3, 0x60, 0xD2, 0xEF, 0x7F, 0x35, 0x52, 0x50, 0x0F, 0x2C, 0xB6, 0x79, 0x80,
  ]
  private static let magicTail: [UInt8] = [
    0x2D, 0xE1, 0x5D, 0x29, 0x41, 0x0B, 0x8D, 0x77, 0x67, 0x9C, 0x11, 0x0F, 0x1F, 0x8A,
  ]

  /// The trailer at the end of the last segment; `nil` if there is none.
  /// - Parameter imageSize: bytes of the image at the start of the first segment.
  init?(_ segments: [FirmwareImage.Segment], imageSize: Int) {
    guard let first = segments.first, let last = segments.last, last.bytes.count >= 16,
      let alignment = Self.alignment(Array(last.bytes.suffix(16)))
    else { return nil }
    let end = Int(last.end)
    let imageEnd = Int(first.address) + imageSize
    let magicSize = (16 + alignment - 1) / alignment * alignment
    guard end - 16 >= imageEnd else { return nil }
    /// The first byte of the field that is this many fields in front of the magic number.
    func field(_ number: Int) -> UInt8? {
      let address = end - magicSize - number * alignment
      guard address >= imageEnd,
        let holder = segments.first(where: { Int($0.address) <= address && address < Int($0.end) })
      else { return nil }
      return holder.bytes[address - Int(holder.address)]
    }
    address = UInt32(truncatingIfNeeded: end - 16)
    self.alignment = alignment
    isConfirmed = field(1) == 1
    isCopied = field(2) == 1
    swapInfo = field(3).flatMap { $0 == 0xFF ? nil : $0 }
    let start = end - magicSize - 4 * alignment
    otherBytes = Self.programmed(segments, from: imageEnd, to: max(imageEnd, start))
  }

  /// How many bytes from one address to another are not erased.
  static func programmed(_ segments: [FirmwareImage.Segment], from start: Int, to end: Int) -> Int {
    segments.reduce(0) { sum, segment in
      let from = max(start, Int(segment.address)) - Int(segment.address)
      let to = min(end, Int(segment.end)) - Int(segment.address)
      return from < to ? sum + segment.bytes[from..<to].count { $0 != 0xFF } : sum
    }
  }

  private static func alignment(_ bytes: [UInt8]) -> Int? {
    if bytes == magic { return 8 }
    guard Array(bytes.dropFirst(2)) == magicTail else { return nil }
    let alignment = Int(bytes[0]) | Int(bytes[1]) << 8
    return [8, 16, 32, 64, 128].contains(alignment) ? alignment : nil
  }
}
