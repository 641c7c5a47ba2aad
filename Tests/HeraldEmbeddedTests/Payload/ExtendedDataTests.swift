import HeraldEmbedded
import HeraldHAL
import TestInputs
import Testing

/// A segment as a test compares it.
struct Segment: Equatable {
  let code: UInt8
  let bytes: [UInt8]
  init(_ code: UInt8, _ bytes: [UInt8]) {
    self.code = code
    self.bytes = bytes
  }
}

extension Span<UInt8> {
  /// The bytes as an array, to compare with.
  var array: [UInt8] { indices.map { self[$0] } }
}

/// All segments of extended data.
func segments(_ data: [UInt8]) -> [Segment] {
  var found: [Segment] = []
  var segments = ExtendedData(data.span)
  while segments.next() { found.append(Segment(segments.code.rawValue, segments.bytes.array)) }
  return found
}

/// A segment as every number it could be.
private struct Reading: Equatable {
  let code: ExtendedDataCode
  var u8: UInt8?
  var i8: Int8?
  var u32: UInt32?
  var float32: Float?
  var float64: Double?
  var metres: Double?
  var position: PositionInMinutes?
}

private func readings(_ data: [UInt8]) -> [Reading] {
  var found: [Reading] = []
  var segments = ExtendedData(data.span)
  while segments.next() {
    found.append(
      Reading(
        code: segments.code, u8: segments.u8, i8: segments.i8, u32: segments.u32, float32: segments.float32,
        float64: segments.float64, metres: segments.metres, position: segments.position))
  }
  return found
}

/// The bytes of the first segment with a code.
private func first(_ code: ExtendedDataCode, in data: [UInt8]) -> [UInt8]? {
  ExtendedData(data.span).first(code)?.array
}

/// What `body` writes into a buffer of `room` bytes, and whether all of it fitted.
private func written(
  room: Int = 64, _ body: (inout ByteWriter) -> Void
) -> (bytes: [UInt8], isWhole: Bool) {
  var buffer = [UInt8](repeating: 0xEE, count: room)
  var count = 0
  var isWhole = false
  do {
    var writer = ByteWriter(buffer.mutableSpan)
    body(&writer)
    count = writer.count
    isWhole = !writer.overflowed
  }
  return (Array(buffer[..<count]), isWhole)
}

@Suite("Extended data")
struct ExtendedDataTests {
  @Test("HP-29 Numbers that help estimate a distance come back as they were written, little-endian")
  func numbers() {
    let data = written {
      $0.extendedSegment(.rssiKind, u8: 2)
      $0.extendedSegment(.rssiError, u8: 5)
      $0.extendedSegment(.sonarRange, float32: 1.5)
      $0.extendedSegment(.sonarError, float64: 0.25)
      $0.extendedSegment(.positionWGS84, position: PositionInMinutes(latitude: 3090, longitude: -8))
      $0.extendedSegment(.ownRSSI, i8: -61)
      $0.extendedSegment(.ownTxPower, u8: 12)
    }
    #expect(data.isWhole)
    #expect(
      data.bytes
        == hexBytes(
          "01 01 02  02 01 05  03 04 0000C03F  04 08 000000000000D03F  06 04 120C F8FF  40 01 C3  41 01 0C"))
    let read = readings(data.bytes)
    #expect(
      read.map(\.code) == [
        .rssiKind, .rssiError, .sonarRange, .sonarError, .positionWGS84, .ownRSSI, .ownTxPower,
      ])
    #expect(read.map(\.u8) == [2, 5, nil, nil, nil, 0xC3, 12])
    #expect(read.map(\.i8) == [2, 5, nil, nil, nil, -61, 12])
    #expect(read.map(\.float64) == [nil, nil, nil, 0.25, nil, nil, nil])
    #expect(read[2].float32 == 1.5 && read[2].metres == 1.5)
    #expect(read[3].float32 == nil && read[3].metres == 0.25)
    #expect(read[4].position == PositionInMinutes(latitude: 3090, longitude: -8))
  }

  @Test("HP-29 A segment of every kind is written with these bytes and read back from them")
  func everyKind() {
    let data = written(room: 512) {
      $0.extendedSegment(.formatVersion, u8: 1)
      $0.extendedSegment(.rssiKind, u8: 4)
      $0.extendedSegment(.rssiError, u8: 0xFF)
      $0.extendedSegment(.sonarRange, float64: 2.5)
      $0.extendedSegment(.sonarError, float32: 0.5)
      $0.extendedSegment(.area, text: "Foyer")
      $0.extendedSegment(.positionWGS84, position: PositionInMinutes(latitude: -1, longitude: 10_800))
      $0.extendedSegment(
        .positionWebMercator, position: PositionInMinutes(latitude: 5400, longitude: -10_800))
      $0.extendedSegment(.positionITRF2014, position: PositionInMinutes(latitude: .min, longitude: .max))
      $0.extendedSegment(.premisesName, text: "Adams Pizza")
      $0.extendedSegment(.premisesLocation, text: "Bar")
      $0.extendedSegment(.premisesArea, text: "2")
      $0.extendedSegment(.url, text: "https://a.b")
      $0.extendedSegment(.address, text: "1 High St\nYork")
      $0.extendedSegment(.entrySource, text: "qr")
      $0.extendedSegment(.entrySourceVersion, text: "c19-1")
      $0.extendedSegment(.locationCompany, text: "42")
      $0.extendedSegment(.gs1Company, u32: 0xFFFF_FFFE)
      $0.extendedSegment(.startTime, u32: 1_600_905_600)
      $0.extendedSegment(.endTime, u32: 1_600_909_200)
      $0.extendedSegment(.encryptedForPhone, [0x00].span)
      $0.extendedSegment(.encryptedForAuthority, [0xFF, 0xFE].span)
      $0.extendedSegment(.ownRSSI, i8: -128)
      $0.extendedSegment(.ownTxPower, u8: 8)
      $0.extendedSegment(.ownModel, text: "P7")
      $0.extendedSegment(ExtendedDataCode(rawValue: 0x80), [0x01, 0x02, 0x03].span)
    }
    let expected: [(UInt8, StaticString)] = [
      (0x00, "01"), (0x01, "04"), (0x02, "FF"), (0x03, "0000000000000440"), (0x04, "0000003F"),
      (0x05, "466F796572"), (0x06, "FFFF 302A"), (0x07, "1815 D0D5"), (0x08, "0080 FF7F"),
      (0x10, "4164616D732050697A7A61"), (0x11, "426172"), (0x12, "32"), (0x13, "68747470733A2F2F612E62"),
      (0x14, "312048696768205374 0A 596F726B"), (0x15, "7172"), (0x16, "6331392D31"), (0x17, "3432"),
      (0x18, "FEFFFFFF"), (0x20, "80E16B5F"), (0x21, "90EF6B5F"), (0x3E, "00"), (0x3F, "FFFE"), (0x40, "80"),
      (0x41, "08"), (0x42, "5037"), (0x80, "010203"),
    ]
    #expect(data.isWhole)
    let encoded = expected.flatMap { code, text -> [UInt8] in
      let value = hexBytes(text)
      return [code, UInt8(value.count)] + value
    }
    #expect(data.bytes == encoded)
    #expect(segments(data.bytes) == expected.map { Segment($0.0, hexBytes($0.1)) })
  }

  @Test("Every code has the number of the specification")
  func codes() {
    let numbers: [(ExtendedDataCode, UInt8)] = [
      (.formatVersion, 0x00), (.rssiKind, 0x01), (.rssiError, 0x02), (.sonarRange, 0x03), (.sonarError, 0x04),
      (.area, 0x05), (.positionWGS84, 0x06), (.positionWebMercator, 0x07), (.positionITRF2014, 0x08),
      (.premisesName, 0x10), (.premisesLocation, 0x11), (.premisesArea, 0x12), (.url, 0x13), (.address, 0x14),
      (.entrySource, 0x15), (.entrySourceVersion, 0x16), (.locationCompany, 0x17), (.gs1Company, 0x18),
      (.startTime, 0x20), (.endTime, 0x21), (.encryptedForPhone, 0x3E), (.encryptedForAuthority, 0x3F),
      (.ownRSSI, 0x40), (.ownTxPower, 0x41), (.ownModel, 0x42),
    ]
    for (code, number) in numbers { #expect(code.rawValue == number) }
  }

  @Test("Texts, times and company numbers")
  func texts() {
    let data = written {
      $0.extendedSegment(.formatVersion, u8: 1)
      $0.extendedSegment(.premisesName, Array("Café".utf8).span)
      $0.extendedSegment(.entrySource, text: "ble")
      $0.extendedSegment(.gs1Company, u32: 0x0102_0304)
      $0.extendedSegment(.startTime, u32: 1_600_905_600)
      $0.extendedSegment(.encryptedForPhone, [0, 0xFF].span)
    }
    #expect(data.isWhole)
    #expect(
      data.bytes
        == hexBytes(
          "00 01 01  10 05 436166C3A9  15 03 626C65  18 04 04030201  20 04 80E16B5F  3E 02 00FF"))
    #expect(first(.startTime, in: data.bytes) == hexBytes("80E16B5F"))
    #expect(first(.endTime, in: data.bytes) == nil)
    #expect(readings(data.bytes).map(\.u32) == [nil, nil, nil, 0x0102_0304, 1_600_905_600, nil])
  }

  @Test("HP-29 A length that runs past the end means up to the end")
  func clamped() {
    #expect(segments(hexBytes("10 0B 4164")) == [Segment(0x10, [0x41, 0x64])])
    #expect(segments(hexBytes("41 01 0C 10 FF 41")) == [Segment(0x41, [0x0C]), Segment(0x10, [0x41])])
  }

  @Test("Fewer than three bytes are no segment, and segments without bytes are skipped")
  func empty() {
    for data in ["", "10", "10 00", "10 01", "10 00 11", "10 00 11 00 12 00"] {
      #expect(segments(hexBytes(data)).isEmpty)
    }
    #expect(segments(hexBytes("10 00 11 01 41")) == [Segment(0x11, [0x41])])
    #expect(segments(hexBytes("41 01 0C 10 01")) == [Segment(0x41, [0x0C])])
  }

  @Test("HP-40 Codes that nobody knows are carried, reserved and custom ones alike")
  func unknown() {
    #expect(
      segments(hexBytes("19 01 AA 7F 02 BBCC 80 01 DD FF 01 EE"))
        == [
          Segment(0x19, [0xAA]), Segment(0x7F, [0xBB, 0xCC]), Segment(0x80, [0xDD]), Segment(0xFF, [0xEE]),
        ])
  }

  @Test("A number of another length than its kind is no number, but its bytes are there")
  func otherLengths() {
    let data = hexBytes("41 02 0C00  20 03 010203  03 05 0102030405")
    #expect(
      readings(data) == [Reading(code: .ownTxPower), Reading(code: .startTime), Reading(code: .sonarRange)])
    #expect(segments(data).map(\.bytes) == [[0x0C, 0], [1, 2, 3], [1, 2, 3, 4, 5]])
  }

  @Test("Before the first segment there is nothing, and after the last it stays the last")
  func ends() {
    var segments = ExtendedData(hexBytes("41 01 0C").span)
    let before = (segments.bytes.count, segments.u8, segments.range)
    #expect(before == (0, nil, 0..<0))
    let moves = [segments.next(), segments.next(), segments.next()]
    #expect(moves == [true, false, false])
    let after = (segments.code, segments.u8, segments.range)
    #expect(after == (.ownTxPower, 0x0C, 2..<3))
  }

  @Test("A segment is written as a whole or not at all")
  func overflow() {
    #expect(written(room: 5) { $0.extendedSegment(.gs1Company, u32: 1) } == ([], false))
    #expect(
      written(room: 6) { $0.extendedSegment(.gs1Company, u32: 1) } == (hexBytes("18 04 01000000"), true))
    #expect(written(room: 9) { $0.extendedSegment(.sonarRange, float64: 1) } == ([], false))
    #expect(written(room: 4) { $0.extendedSegment(.entrySource, text: "ble") } == ([], false))
    let long = [UInt8](repeating: 0x41, count: 256)
    #expect(written(room: 512) { $0.extendedSegment(.url, long.span) } == ([], false))
    let longest = written(room: 512) { $0.extendedSegment(.url, long.span.extracting(first: 255)) }
    #expect(longest.isWhole && longest.bytes.count == 257 && longest.bytes[1] == 0xFF)
    #expect(written { $0.extendedSegment(.url, [UInt8]().span) } == ([], true))
  }
}
