import HeraldHAL
import HeraldText

/// Microsoft's UF2: blocks of 512 bytes, each with the address of its payload.
///
/// Each is: 0 `0A324655`, 4 `9E5D5157`, 8 flags, 12 address, 16 bytes of payload, 20 number of the block, 24
/// how many there are, 28 family, 32 payload and what is tagged on, 508 `0AB16F30`; all u32, little-endian
/// (the format's README, "File format").
package enum UF2 {
  /// The size of a block in bytes.
  package static let blockSize = 512
  /// The maximum size of payload and extension tags in bytes.
  static let dataSize = 476
  /// The payload that every boot loader takes.
  static let payloadSize = 256

  static let firstMagic: UInt32 = 0x0A32_4655
  static let secondMagic: UInt32 = 0x9E5D_5157
  static let lastMagic: UInt32 = 0x0AB1_6F30

  private enum Flag {
    static let notForFlash: UInt32 = 0x1
    static let fileContainer: UInt32 = 0x1000
    static let family: UInt32 = 0x2000
    static let checksum: UInt32 = 0x4000
    static let tags: UInt32 = 0x8000
  }

  /// Parses a whole file. Blocks may come in any order, but each must be there once; blocks that are not for
  /// flash, checksums and tags are skipped. A file that holds blocks of several families, or of none and one,
  /// is refused: which of them would be written is the boot loader's choice.
  static func parse(_ file: [UInt8]) throws(FirmwareError) -> FirmwareImage {
    guard file.count % blockSize == 0 else {
      throw FirmwareError("a UF2 file has whole blocks of 512 bytes, and this one has \(file.count) bytes")
    }
    let total = file.count / blockSize
    try checkFamilies(file)
    var pieces: [FirmwareImage.Segment] = []
    var seen = [Bool](repeating: false, count: total)
    var family: UInt32?
    for index in 0..<total {
      let start = index * blockSize
      let block = try block(file.span.extracting(start..<start + blockSize), index)
      guard block.total == total else {
        throw FirmwareError("block \(index) says there are \(block.total) blocks, and the file has \(total)")
      }
      guard block.number < total, !seen[Int(block.number)] else {
        throw FirmwareError(
          "block \(index) has the number \(block.number), which another block has or which is too high")
      }
      seen[Int(block.number)] = true
      if block.flags & Flag.notForFlash != 0 { continue }
      family = block.flags & Flag.family != 0 ? block.family : nil
      let bytes = file[start + 32..<start + 32 + Int(block.size)]
      pieces.append(FirmwareImage.Segment(address: block.address, bytes: Array(bytes)))
    }
    return try FirmwareImage(format: .uf2, pieces: pieces, uf2Family: family)
  }

  /// The maximum number of families that are named.
  private static let mostFamilies = 4

  /// Refuses a file with blocks of several families before anything else is said of it: the blocks of each
  /// have numbers of their own.
  private static func checkFamilies(_ file: [UInt8]) throws(FirmwareError) {
    var found: [UInt32?] = []
    for index in 0..<file.count / blockSize where found.count <= mostFamilies {
      let block = try block(file.span.extracting(index * blockSize..<(index + 1) * blockSize), index)
      if block.flags & Flag.notForFlash != 0 { continue }
      let named = block.flags & Flag.family != 0 ? block.family : nil
      if !found.contains(named) { found.append(named) }
    }
    guard found.count > 1 else { return }
    let names = found.prefix(mostFamilies).map { $0.map { "0x\($0.hexadecimal(8))" } ?? "none" }
    throw FirmwareError(
      "the file has blocks of several families (\(names.joined(separator: ", "))\(found.count > mostFamilies ? " and others" : "")), of which a boot loader writes its own: take the file for one board alone"
    )
  }

  private struct Header {
    let flags, address, size, number, total, family: UInt32
  }

  private static func block(_ bytes: Span<UInt8>, _ index: Int) throws(FirmwareError) -> Header {
    var reader = ByteReader(bytes)
    guard reader.u32() == firstMagic, reader.u32() == secondMagic, let flags = reader.u32(),
      let address = reader.u32(), let size = reader.u32(), let number = reader.u32(),
      let total = reader.u32(), let family = reader.u32(), reader.skip(dataSize), reader.u32() == lastMagic
    else { throw FirmwareError("block \(index) does not begin and end as a UF2 block") }
    guard flags & Flag.fileContainer == 0 else {
      throw FirmwareError("block \(index) belongs to a file in a container, not to firmware")
    }
    let room = dataSize - (flags & Flag.checksum != 0 ? 24 : 0)
    guard size <= room else {
      throw FirmwareError("block \(index) says it has \(size) bytes, and there is room for \(room)")
    }
    return Header(flags: flags, address: address, size: size, number: number, total: total, family: family)
  }

  /// A file with the bytes of `image` in blocks of 256, at addresses that are multiples of 256; what is
  /// between segments in a block becomes `fill`.
  package static func write(_ image: FirmwareImage, family: UInt32, fill: UInt8) -> [UInt8] {
    file(blocks(of: image, fill: fill), family)
  }

  /// A file for a boot loader that programs blocks as they arrive and starts an application whose first two
  /// words are not erased, whether it is complete or not, such as Adafruit's.
  ///
  /// The first block has 256 bytes of FF for the start of the image: an application that is there is not
  /// started from then on. The blocks of the first page of the image, with its vector table, are the last
  /// ones; `tableStart` is the offset in the file at which they begin. The two have to reach the boot loader
  /// before and after all others.
  package static func writeTableLast(_ image: FirmwareImage, family: UInt32, pageSize: UInt32) -> (
    file: [UInt8], tableStart: Int
  ) {
    let blocks = blocks(of: image, fill: 0xFF)
    guard let first = blocks.first?.address else { return ([], 0) }
    let end = UInt64(first / pageSize * pageSize) + UInt64(pageSize)
    let table = blocks.prefix { UInt64($0.address) < end }
    let others = blocks.dropFirst(table.count)
    let blank = Block(address: first, bytes: [UInt8](repeating: 0xFF, count: payloadSize))
    return (file([blank] + others + table, family), (1 + others.count) * blockSize)
  }

  private static func blocks(of image: FirmwareImage, fill: UInt8) -> [Block] {
    var blocks: [Block] = []
    for segment in image.segments {
      var offset = 0
      while offset < segment.bytes.count {
        let address = segment.address + UInt32(offset)
        let start = address / UInt32(payloadSize) * UInt32(payloadSize)
        let skipped = Int(address - start)
        let count = min(payloadSize - skipped, segment.bytes.count - offset)
        if blocks.last?.address != start {
          blocks.append(Block(address: start, bytes: [UInt8](repeating: fill, count: payloadSize)))
        }
        blocks[blocks.count - 1].bytes.replaceSubrange(
          skipped..<skipped + count, with: segment.bytes[offset..<offset + count])
        offset += count
      }
    }
    return blocks
  }

  private static func file(_ blocks: [Block], _ family: UInt32) -> [UInt8] {
    var file: [UInt8] = []
    file.reserveCapacity(blocks.count * blockSize)
    for (number, block) in blocks.enumerated() {
      for word in [
        firstMagic, secondMagic, Flag.family, block.address, UInt32(payloadSize), UInt32(number),
        UInt32(blocks.count), family,
      ] { file.append(littleEndian: word) }
      file += block.bytes
      // The bytes after the payload are not written to the chip: the format specifies FF, common tools use 0,
      // and boot loaders ignore them.
      file += [UInt8](repeating: 0, count: dataSize - payloadSize)
      file.append(littleEndian: lastMagic)
    }
    return file
  }

  /// The payload of a block, and its address.
  private struct Block {
    let address: UInt32
    var bytes: [UInt8]
  }
}

extension [UInt8] {
  /// Appends a number, the least byte first.
  package mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
    for index in 0..<Number.bitWidth / 8 { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
  }
}
