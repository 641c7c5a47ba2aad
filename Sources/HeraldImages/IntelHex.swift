/// Intel's hexadecimal object format: lines `:LLAAAATTdata…CC`.
package enum IntelHex {
  /// Parses a whole file. Every checksum is checked, and errors name the line.
  static func parse(_ text: [UInt8]) throws(FirmwareError) -> FirmwareImage {
    var pieces: [FirmwareImage.Segment] = []
    var current: [UInt8] = []
    var start: UInt32 = 0
    var base: UInt32 = 0
    var entry: UInt32?
    var hasEnded = false
    var number = 0
    for line in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
      number += 1
      let trimmed = line.filter { ![0x20, 0x09, 0x0D].contains($0) }
      if trimmed.isEmpty { continue }
      guard !hasEnded else { throw FirmwareError("line \(number) comes after the end record") }
      let record = try record(trimmed, number)
      let offset = UInt32(record[1]) << 8 | UInt32(record[2])
      let data = record[4..<record.count - 1]
      func value() -> UInt32 { data.reduce(0) { $0 << 8 | UInt32($1) } }
      func expect(_ count: Int) throws(FirmwareError) {
        guard data.count == count else {
          throw FirmwareError(
            "line \(number): a record of type \(record[3]) has \(count) bytes, not \(data.count)")
        }
      }
      switch record[3] {
      case 0:
        let (address, overflow) = base.addingReportingOverflow(offset)
        guard !overflow else {
          throw FirmwareError("line \(number): the address is beyond the end of memory")
        }
        if UInt64(address) != UInt64(start) + UInt64(current.count) {
          pieces.append(FirmwareImage.Segment(address: start, bytes: current))
          current = []
          start = address
        }
        current += data
      case 1:
        try expect(0)
        hasEnded = true
      case 2:
        try expect(2)
        base = value() << 4
      case 4:
        try expect(2)
        base = value() << 16
      case 3:
        try expect(4)
        // A code segment and an instruction pointer of the 8086; tools write it for any program below 1 MiB.
        entry = ((value() >> 16) << 4) + (value() & 0xFFFF)
      case 5:
        try expect(4)
        entry = value()
      case 0x0A...0x0E:
        throw FirmwareError(
          "line \(number): this is a Universal Hex file for several boards; use the one for a single board")
      default: throw FirmwareError("line \(number): there is no record type \(record[3])")
      }
    }
    guard hasEnded else { throw FirmwareError("the end record is missing: the file is cut off") }
    pieces.append(FirmwareImage.Segment(address: start, bytes: current))
    return try FirmwareImage(format: .intelHex, pieces: pieces, entry: entry)
  }

  /// The bytes of a line, its checksum included and right; at least five.
  private static func record(_ line: [UInt8], _ number: Int) throws(FirmwareError) -> [UInt8] {
    guard line[0] == UInt8(ascii: ":"), line.count % 2 == 1, line.count >= 11 else {
      throw FirmwareError("line \(number) is no record")
    }
    var bytes: [UInt8] = []
    for index in stride(from: 1, to: line.count, by: 2) {
      guard let high = digit(line[index]), let low = digit(line[index + 1]) else {
        throw FirmwareError("line \(number) has a character that is no hexadecimal digit")
      }
      bytes.append(high << 4 | low)
    }
    guard bytes.count == Int(bytes[0]) + 5 else {
      throw FirmwareError("line \(number) has \(bytes.count - 5) bytes and says \(bytes[0])")
    }
    guard bytes.reduce(0, &+) == 0 else { throw FirmwareError("line \(number) has a wrong checksum") }
    return bytes
  }

  private static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case 0x30...0x39: character - 0x30
    case 0x41...0x46: character - 0x41 + 10
    case 0x61...0x66: character - 0x61 + 10
    default: nil
    }
  }
}
