/// Writes ELF: what loaders read (a program header for each segment) and what tools read (a section for
/// each).
extension ELFImage {
  private static let headerSize = 52
  private static let programHeaderSize = 32
  private static let sectionHeaderSize = 40

  /// An executable for Arm with the segments of `image` at their addresses.
  static func write(_ image: FirmwareImage) -> [UInt8] {
    let count = image.segments.count
    let namesSection = count + 1
    var names: [UInt8] = [0]
    var nameOffsets: [UInt32] = []
    for index in 0..<count {
      nameOffsets.append(UInt32(names.count))
      names += Array(".segment\(index)".utf8) + [0]
    }
    let namesName = UInt32(names.count)
    names += Array(".shstrtab".utf8) + [0]

    var offsets: [UInt32] = []
    var position = aligned(headerSize + programHeaderSize * count)
    for segment in image.segments {
      offsets.append(UInt32(position))
      position = aligned(position + segment.bytes.count)
    }
    let namesOffset = position
    let sections = aligned(namesOffset + names.count)

    var file = header(
      entry: image.entry ?? image.vectorTable.map { $0.resetHandler | 1 } ?? 0, segments: count,
      sectionsOffset: sections, sectionCount: count + 2, namesSection: namesSection)
    for (segment, offset) in zip(image.segments, offsets) {
      // Loaded; at the same address in memory and in flash; readable and executable.
      let size = UInt32(segment.bytes.count)
      for word in [1, offset, segment.address, segment.address, size, size, 5, 4] {
        file.append(littleEndian: word)
      }
    }
    for (segment, offset) in zip(image.segments, offsets) {
      file += [UInt8](repeating: 0, count: Int(offset) - file.count)
      file += segment.bytes
    }
    file += [UInt8](repeating: 0, count: namesOffset - file.count)
    file += names
    file += [UInt8](repeating: 0, count: sections - file.count)
    file += [UInt8](repeating: 0, count: sectionHeaderSize)
    for (index, segment) in image.segments.enumerated() {
      // Bytes of the program, which take memory and hold code.
      let words = [
        nameOffsets[index], 1, 6, segment.address, offsets[index], UInt32(segment.bytes.count), 0, 0, 4, 0,
      ]
      for word in words { file.append(littleEndian: word) }
    }
    for word in [namesName, 3, 0, 0, UInt32(namesOffset), UInt32(names.count), 0, 0, 1, 0] {
      file.append(littleEndian: word)
    }
    return file
  }

  private static func aligned(_ offset: Int) -> Int { (offset + 3) / 4 * 4 }

  private static func header(
    entry: UInt32, segments: Int, sectionsOffset: Int, sectionCount: Int, namesSection: Int
  ) -> [UInt8] {
    var file: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 1, 1, 1, 0] + [UInt8](repeating: 0, count: 8)
    file.append(littleEndian: UInt16(2))
    file.append(littleEndian: UInt16(40))
    file.append(littleEndian: UInt32(1))
    file.append(littleEndian: entry)
    file.append(littleEndian: UInt32(headerSize))
    file.append(littleEndian: UInt32(sectionsOffset))
    // Version 5 of Arm's binary interface.
    file.append(littleEndian: UInt32(0x0500_0000))
    for half in [
      headerSize, programHeaderSize, segments, sectionHeaderSize, sectionCount, namesSection,
    ] { file.append(littleEndian: UInt16(truncatingIfNeeded: half)) }
    return file
  }
}
