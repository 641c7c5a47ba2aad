/// Packs numbers of a fixed width, from the least significant bit of each byte on.
struct BitPacker {
  private(set) var bytes: [UInt8]
  private var pending: UInt64 = 0
  private var count = 0

  /// Appends to `bytes`.
  init(appendingTo bytes: consuming [UInt8] = []) { self.bytes = bytes }

  /// Appends the low `width` bits of a number, 0…64.
  mutating func append(_ value: UInt64, width: Int) {
    if width > 32 {
      append(value & 0xFFFF_FFFF, width: 32)
      append(value >> 32, width: width - 32)
      return
    }
    // At most 7 bits are pending, so that all fit.
    pending |= (value & (1 << UInt64(width) - 1)) << UInt64(count)
    count += width
    while count >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: pending))
      pending >>= 8
      count -= 8
    }
  }

  /// Fills the last byte with zeros.
  mutating func align() {
    if count > 0 { bytes.append(UInt8(truncatingIfNeeded: pending)) }
    (pending, count) = (0, 0)
  }

  /// The number of bits of a number; 0 for 0.
  static func width(of value: UInt64) -> Int { UInt64.bitWidth - value.leadingZeroBitCount }
}

/// The hybrid of run lengths and bit packing in which Parquet has definition levels and the indices of
/// dictionaries.
///
/// A run of equal numbers is a varint of twice its length, and the number in whole bytes; other numbers are
/// in groups of eight: a varint of twice the number of groups and 1, and the numbers packed.
enum RunLengthHybrid {
  /// The shortest run that is written as one.
  private static let shortestRun = 8

  /// Appends numbers, all of which have at most `width` bits.
  static func append(_ values: [UInt32], width: Int, to bytes: inout [UInt8]) {
    var index = 0
    var begin = 0
    while index < values.count {
      var end = index + 1
      while end < values.count, values[end] == values[index] { end += 1 }
      // Packed groups have eight numbers each: the first of a run fill the last group.
      let filling = (8 - (index - begin) % 8) % 8
      if end - index - filling >= shortestRun {
        pack(values[begin..<index + filling], width, &bytes)
        run(of: values[index], count: end - index - filling, width, &bytes)
        begin = end
      }
      index = end
    }
    pack(values[begin...], width, &bytes)
  }

  private static func run(of value: UInt32, count: Int, _ width: Int, _ bytes: inout [UInt8]) {
    Varint.append(UInt64(count) << 1, to: &bytes)
    for byte in 0..<(width + 7) / 8 { bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(byte * 8))) }
  }

  private static func pack(_ values: ArraySlice<UInt32>, _ width: Int, _ bytes: inout [UInt8]) {
    guard !values.isEmpty else { return }
    let groups = (values.count + 7) / 8
    Varint.append(UInt64(groups) << 1 | 1, to: &bytes)
    var packer = BitPacker(appendingTo: bytes)
    for value in values { packer.append(UInt64(value), width: width) }
    for _ in values.count..<groups * 8 { packer.append(0, width: width) }
    packer.align()
    bytes = packer.bytes
  }
}
