import HeraldHAL

/// 32-bit little-endian ELF for Arm (System V ABI, and the Arm architecture's supplement), as far as flashing
/// needs it: the loadable segments, at the addresses they are stored at.
enum ELFImage {
  /// Parses a whole file.
  static func parse(_ file: Span<UInt8>) throws(FirmwareError) -> FirmwareImage {
    var reader = ByteReader(file)
    guard reader.skip(4), let width = reader.u8(), let order = reader.u8(), reader.skip(10),
      reader.u16() != nil, let machine = reader.u16(), reader.skip(4), let entry = reader.u32(),
      let headersOffset = reader.u32(), reader.skip(10), let headerSize = reader.u16(),
      let headerCount = reader.u16()
    else { throw FirmwareError("the ELF header is cut off") }
    guard width == 1, order == 1, machine == 40 else {
      throw FirmwareError(
        "this ELF file is not for 32-bit little-endian Arm (class \(width), order \(order), machine \(machine))"
      )
    }
    guard headerSize >= 32 else { throw FirmwareError("the ELF program headers are too short") }
    var pieces: [FirmwareImage.Segment] = []
    var loaded: UInt64 = 0
    for index in 0..<Int(headerCount) {
      let start = Int(headersOffset) + index * Int(headerSize)
      guard start + 32 <= file.count else { throw FirmwareError("ELF program header \(index) is cut off") }
      var header = ByteReader(file.extracting(start..<start + 32))
      guard let type = header.u32(), let offset = header.u32(), header.skip(4), let address = header.u32(),
        let size = header.u32()
      else { continue }
      // Only what is loaded, and of it only what the file holds: the rest is RAM that start-up code clears.
      guard type == 1, size > 0 else { continue }
      let end = UInt64(offset) + UInt64(size)
      guard end <= UInt64(file.count) else {
        throw FirmwareError("ELF segment \(index) goes beyond the end of the file")
      }
      // Headers that share the file's bytes could ask for 65535 times its size.
      loaded += UInt64(size)
      guard loaded <= UInt64(file.count) else {
        throw FirmwareError("the ELF segments hold more than the file does")
      }
      let bytes = file.extracting(Int(offset)..<Int(end)).withUnsafeBufferPointer { Array($0) }
      pieces.append(FirmwareImage.Segment(address: address, bytes: bytes))
    }
    return try FirmwareImage(format: .elf, pieces: pieces, entry: entry)
  }
}
