import HeraldText
import Testing

@testable import HeraldImages

@Suite("Limits of image files")
struct ImageLimitsTests {
  /// Intel HEX of records with one byte each.
  private static func hex(_ records: [(address: UInt32, byte: UInt8)]) -> [UInt8] {
    var text = ""
    for (address, byte) in records {
      for record in [
        [2, 0, 0, 4, UInt8(truncatingIfNeeded: address >> 24), UInt8(truncatingIfNeeded: address >> 16)],
        [1, UInt8(truncatingIfNeeded: address >> 8), UInt8(truncatingIfNeeded: address), 0, byte],
      ] as [[UInt8]] {
        text += ":\((record + [0 &- record.reduce(0, &+)]).hexadecimal)\n"
      }
    }
    return Array((text + ":00000001FF\n").utf8)
  }

  @Test("Records that alternate between segments make two segments, however many there are")
  func alternating() throws {
    for count in [10, 10_000] as [UInt32] {
      let records = (0..<count).flatMap { index in
        [(address: index, byte: UInt8(1)), (address: 0x2000_0000 + index, byte: UInt8(2))]
      }
      let image = try FirmwareImage(Self.hex(records))
      #expect(image.segments.map(\.address) == [0, 0x2000_0000])
      #expect(image.segments.allSatisfy { $0.bytes.count == Int(count) })
    }
  }

  @Test("Backwards, each record in front of the one before")
  func descending() throws {
    let image = try FirmwareImage(Self.hex((0..<5000).reversed().map { ($0, 7) }))
    #expect(image.segments.count == 1 && image.byteCount == 5000)
  }

  @Test("More separate pieces than firmware has are refused in every format, before a form is made of them")
  func pieces() throws {
    let most = FirmwareImage.mostSegments
    let apart = (0...most).map { FirmwareImage.Segment(address: UInt32($0) * 512, bytes: [1]) }
    let reason = FirmwareError("the file has 65280 separate pieces, and firmware has at most 65279")
    #expect(throws: reason) { try FirmwareImage(format: .intelHex, pieces: apart) }
    #expect(throws: reason) {
      try FirmwareImage(Self.hex(apart.map { (address: $0.address, byte: 1) }))
    }
    let image = try FirmwareImage(format: .intelHex, pieces: Array(apart.dropLast()))
    #expect(try image.file(.uf2, .init(family: 1)).count == most * 512)
    #expect(try FirmwareImage(image.file(.elf)).segments.count == most)
  }

  @Test("Far apart is no binary, and no gap is filled in front of an image for MCUboot")
  func farApart() throws {
    let image = try FirmwareImage(Self.hex([(0, 1), (0xF000_0000, 2)]))
    #expect(throws: FirmwareError.self) { try image.file(.binary) }
    // A header that says four gigabytes, and a piece at three of them.
    var header: [UInt8] = [0x3D, 0xB8, 0xF3, 0x96, 0, 0, 0, 0, 32, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]
    header += [UInt8](repeating: 0, count: 16)
    #expect(
      throws: FirmwareError("the MCUboot image is cut off: its program ends at byte 4294967327 of 32")
    ) {
      try FirmwareImage(
        format: .intelHex,
        pieces: [.init(address: 0, bytes: header), .init(address: 0xC000_0000, bytes: [1])])
    }
  }
}
