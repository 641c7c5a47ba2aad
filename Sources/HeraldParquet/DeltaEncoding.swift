/// The encoding DELTA_BINARY_PACKED of whole numbers: differences in blocks of 128, packed in four miniblocks
/// of 32, each with as many bits as its largest difference to the least one of the block.
enum DeltaEncoding {
  private static let blockSize = 128
  private static let miniblockSize = 32

  /// Encodes numbers. `isAligned` rounds the widths up to whole bytes, which a compressor makes shorter than
  /// numbers whose bits begin anywhere in a byte if the differences are few or alike.
  ///
  /// `bits` is the width of the numbers' type, 32 or 64, within which all differences wrap around.
  static func encode(_ values: [Int64], bits: Int, isAligned: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    Varint.append(UInt64(blockSize), to: &bytes)
    Varint.append(UInt64(blockSize / miniblockSize), to: &bytes)
    Varint.append(UInt64(values.count), to: &bytes)
    Varint.append(zigzag: values.first ?? 0, to: &bytes)
    var start = 1
    var deltas: [Int64] = []
    deltas.reserveCapacity(blockSize)
    while start < values.count {
      deltas.removeAll(keepingCapacity: true)
      for index in start..<min(start + blockSize, values.count) {
        let delta = values[index] &- values[index - 1]
        deltas.append(bits == 32 ? Int64(Int32(truncatingIfNeeded: delta)) : delta)
      }
      start += deltas.count
      append(deltas, bits, isAligned, &bytes)
    }
    return bytes
  }

  private static func append(_ deltas: [Int64], _ bits: Int, _ isAligned: Bool, _ bytes: inout [UInt8]) {
    let least = deltas.min() ?? 0
    Varint.append(zigzag: least, to: &bytes)
    var widths: [Int] = []
    for start in stride(from: 0, to: blockSize, by: miniblockSize) {
      var used: UInt64 = 0
      for delta in deltas.dropFirst(start).prefix(miniblockSize) {
        used |= UInt64(bitPattern: delta &- least)
      }
      let width = min(BitPacker.width(of: used), bits)
      widths.append(isAligned ? (width + 7) / 8 * 8 : width)
    }
    bytes += widths.map { UInt8(truncatingIfNeeded: $0) }
    var packer = BitPacker(appendingTo: bytes)
    for (index, width) in widths.enumerated() where index * miniblockSize < deltas.count {
      let start = index * miniblockSize
      for number in start..<start + miniblockSize {
        packer.append(number < deltas.count ? UInt64(bitPattern: deltas[number] &- least) : 0, width: width)
      }
    }
    packer.align()
    bytes = packer.bytes
  }
}
