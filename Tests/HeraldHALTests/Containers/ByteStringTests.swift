import HeraldBluetooth
import HeraldHAL
import Testing

@Suite("ByteReader, ByteWriter and InlineBytes")
struct ByteStringTests {
  @Test("Integers are read in the order their names say")
  func readOrder() {
    let bytes: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08]
    var reader = ByteReader(bytes.span)
    let u16 = reader.u16()
    let u32 = reader.u32()
    let i8 = reader.i8()
    #expect(u16 == 0x0201 && u32 == 0x0605_0403 && i8 == 7)
    reader = ByteReader(bytes.span)
    let u64 = reader.u64()
    #expect(u64 == 0x0807_0605_0403_0201)
    reader = ByteReader(bytes.span)
    let big16 = reader.bigEndianU16()
    let big32 = reader.bigEndianU32()
    #expect(big16 == 0x0102 && big32 == 0x0304_0506)
    reader = ByteReader(bytes.span)
    let big64 = reader.bigEndianU64()
    #expect(big64 == 0x0102_0304_0506_0708)
  }

  @Test("Reading past the end gives nil and consumes nothing")
  func readEnd() {
    let bytes: [UInt8] = [1, 2, 3]
    var reader = ByteReader(bytes.span)
    let u32 = reader.u32()
    let u64 = reader.u64()
    let big64 = reader.bigEndianU64()
    let slice = reader.bytes(4) == nil
    let negative = reader.bytes(-1) == nil
    let skipped = reader.skip(4) || reader.skip(-1) || reader.skip(.max) || reader.skip(.min)
    #expect(u32 == nil && u64 == nil && big64 == nil && slice && negative && !skipped)
    #expect(reader.offset == 0 && reader.remaining == 3)
    let rest = reader.rest().count
    let u8 = reader.u8()
    #expect(rest == 3 && u8 == nil && reader.isAtEnd)
  }

  @Test("Integers are written in the order their names say")
  func writeOrder() {
    var buffer = [UInt8](repeating: 0xAA, count: 32)
    var span = buffer.mutableSpan
    var writer = ByteWriter(span._mutatingExtracting(0..<32), from: 1)
    writer.u8(0x01)
    writer.u16(0x0203)
    writer.u32(0x0405_0607)
    writer.bigEndianU16(0x0809)
    writer.bigEndianU64(0x0102_0304_0506_0708)
    writer.text("hi")
    writer.i8(-1)
    let count = writer.count
    let overflowed = writer.overflowed
    #expect(count == 21 && !overflowed)
    let expected: [UInt8] = [
      0xAA, 0x01, 0x03, 0x02, 0x07, 0x06, 0x05, 0x04, 0x08, 0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x68, 0x69, 0xFF,
      0xAA,
    ]
    #expect(Array(buffer.prefix(22)) == expected)
    #expect(buffer[31] == 0xAA)
  }

  @Test("What does not fit is refused as a whole, and everything after it")
  func writeOverflow() {
    var buffer = [UInt8](repeating: 0, count: 5)
    var span = buffer.mutableSpan
    var writer = ByteWriter(span._mutatingExtracting(0..<5))
    writer.u16(0x0101)
    writer.u32(0xFFFF_FFFF)
    writer.u8(0xFF)
    let overflowed = writer.overflowed
    let count = writer.count
    let remaining = writer.remaining
    #expect(overflowed && count == 2 && remaining == 0)
    #expect(buffer == [1, 1, 0, 0, 0])
  }

  @Test("A start outside the buffer is an overflow", arguments: [-1, 6, Int.max, Int.min])
  func writeOutside(start: Int) {
    var buffer = [UInt8](repeating: 0, count: 5)
    var span = buffer.mutableSpan
    var writer = ByteWriter(span._mutatingExtracting(0..<5), from: start)
    writer.u8(1)
    let overflowed = writer.overflowed
    #expect(overflowed)
    #expect(buffer == [0, 0, 0, 0, 0])
  }

  @Test("An address is written as a whole or not at all")
  func address() {
    var buffer = [UInt8](repeating: 0, count: 7)
    var span = buffer.mutableSpan
    var writer = ByteWriter(span._mutatingExtracting(0..<7))
    writer.deviceAddress(DeviceAddress(high: 0x0605, low: 0x0403_0201, kind: .random))
    let first = writer.overflowed
    writer.deviceAddress(.zero)
    let second = writer.overflowed
    #expect(!first && second)
    #expect(buffer == [1, 2, 3, 4, 5, 6, 0])
  }

  @Test("Bytes that lie further on are moved to where the next one goes, and writing can begin anew")
  func moving() {
    var bytes: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 7]
    var span = bytes.mutableSpan
    var writer = ByteWriter(span._mutatingExtracting(0...), from: 1)
    writer.move(from: 4, 3)
    writer.move(from: 4, 1)
    let moved = writer.count == 5 && !writer.overflowed
    // In front of the next byte, and past the end.
    writer.move(from: 4, 1)
    let isRefused = writer.overflowed && writer.count == 5
    writer.rewind(to: 3)
    writer.advance(2)
    let again = writer.count == 5 && !writer.overflowed
    writer.move(from: 6, 3)
    let isLong = writer.overflowed && writer.count == 5
    writer.rewind(to: 5)
    writer.advance(4)
    let isFull = writer.overflowed && writer.count == 5
    #expect(moved && isRefused && again && isLong && isFull)
    #expect(bytes == [0, 4, 5, 6, 4, 5, 6, 7])
  }

  @Test("Byte strings refuse what does not fit, and compare by their bytes")
  func inlineBytes() {
    var left = InlineBytes<4>()
    let bytes: [UInt8] = [1, 2, 3]
    let first = left.append(bytes.span)
    let second = left.append(bytes.span)
    let third = left.append(4)
    let fourth = left.append(5)
    #expect(first && !second && third && !fourth && left.count == 4 && left.remaining == 0)
    #expect(left[0] == 1 && left[3] == 4 && left[4] == nil && left[-1] == nil)
    var right = InlineBytes<4>([9, 9, 9, 9].span)
    #expect(right != nil && InlineBytes<4>([1, 2, 3, 4, 5].span) == nil)
    right?.removeAll()
    for value in UInt8(1)...4 { right?.append(value) }
    #expect(right == left)
    let copy = left.span.count
    #expect(copy == 4)
  }
}
