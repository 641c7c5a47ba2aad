import HeraldText

extension IntelHex {
  /// The bytes of `image` as the Python library `intelhex` writes them: the entry first, if there is one, as
  /// a linear start address; lines of 16 bytes that do not go beyond a gap or a multiple of 64 KiB; the upper
  /// half of the address where it changes, but not at all below 64 KiB.
  package static func write(_ image: FirmwareImage) -> [UInt8] {
    var text: [UInt8] = []
    if let entry = image.entry { text += line(0, 5, bigEndian(entry, 4)) }
    let needsUpperHalf = (image.segments.last?.end ?? 0) > 0x1_0000
    var upperHalf: UInt32?
    for segment in image.segments {
      var offset = 0
      while offset < segment.bytes.count {
        let address = segment.address + UInt32(offset)
        if needsUpperHalf, address >> 16 != upperHalf {
          upperHalf = address >> 16
          text += line(0, 4, bigEndian(address >> 16, 2))
        }
        let count = min(16, segment.bytes.count - offset, 0x1_0000 - Int(address & 0xFFFF))
        text += line(UInt16(address & 0xFFFF), 0, segment.bytes[offset..<offset + count])
        offset += count
      }
    }
    return text + line(0, 1, [UInt8]())
  }

  private static func bigEndian(_ number: UInt32, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
  }

  private static func line(_ address: UInt16, _ type: UInt8, _ data: some Collection<UInt8>) -> [UInt8] {
    var record = [UInt8(data.count), UInt8(address >> 8), UInt8(address & 0xFF), type]
    record += data
    record.append(0 &- record.reduce(0, &+))
    return Array(":\(record.hexadecimal.uppercased())\n".utf8)
  }
}
