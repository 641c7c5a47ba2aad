import Testing

@testable import HeraldDeviceLink

@Suite("CBOR")
struct CBORTests {
  private func written(_ write: (inout CBORWriter) -> Void) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 64)
    var span = buffer.mutableSpan
    var writer = CBORWriter(span._mutatingExtracting(0...))
    write(&writer)
    let count = writer.count
    return Array(buffer[..<count])
  }

  @Test(
    "reads and writes the unsigned integers of RFC 8949, appendix A",
    arguments: [
      (0, "00"), (1, "01"), (10, "0a"), (23, "17"), (24, "1818"), (25, "1819"), (100, "1864"),
      (1000, "1903e8"),
      // Not of the appendix: where the forms end.
      (255, "18ff"), (256, "190100"), (65_535, "19ffff"), (65_536, "1a00010000"),
      (1_000_000, "1a000f4240"), (1_000_000_000_000, "1b000000e8d4a51000"),
      (18_446_744_073_709_551_615, "1bffffffffffffffff"),
    ] as [(UInt64, String)])
  func unsigned(value: UInt64, encoded: String) {
    let bytes = hex(encoded)
    var reader = CBORReader(bytes.span)
    check(reader.unsigned() == value)
    check(reader.isAtEnd)
    check(written { $0.unsigned(value) } == bytes)
  }

  @Test(
    "reads and writes the signed integers of RFC 8949, appendix A",
    arguments: [
      (-1, "20"), (-10, "29"), (-100, "3863"), (-1000, "3903e7"), (1000, "1903e8"),
      (.max, "1b7fffffffffffffff"),
      (.min, "3b7fffffffffffffff"),
    ] as [(Int64, String)])
  func signed(value: Int64, encoded: String) {
    let bytes = hex(encoded)
    var reader = CBORReader(bytes.span)
    check(reader.integer() == value)
    check(reader.isAtEnd)
    check(written { $0.integer(value) } == bytes)
  }

  @Test("reads an integer that is wider than it need be")
  func wide() {
    let bytes = hex("1b0000000000000005 1a00000005 190005 1805 05")
    var reader = CBORReader(bytes.span)
    for _ in 0..<5 {
      let value = reader.unsigned32()
      check(value == 5)
    }
    check(reader.isAtEnd)
  }

  @Test("refuses integers that are out of range of what is asked for, and consumes nothing")
  func outOfRange() {
    let negative = hex("3bffffffffffffffff")
    var reader = CBORReader(negative.span)
    check(reader.integer() == nil)
    check(reader.unsigned() == nil)
    check(reader.offset == 0)
    let wide = hex("1b0000000100000000")
    var wideReader = CBORReader(wide.span)
    check(wideReader.unsigned32() == nil)
    check(wideReader.unsigned() == 0x1_0000_0000)
  }

  @Test("reads and writes simple values and strings")
  func strings() {
    let bytes = hex("f4 f5 f6 44 01020304 64 49455446 40 60 62c3bc")
    var reader = CBORReader(bytes.span)
    check(reader.boolean() == false)
    check(reader.boolean() == true)
    check(reader.boolean() == nil)
    check(reader.skip())
    check(reader.text() == nil)
    check(reader.byteString()?.equals("\u{1}\u{2}\u{3}\u{4}") == true)
    check(reader.text()?.equals("IETF") == true)
    check(reader.byteString()?.count == 0)
    check(reader.text()?.count == 0)
    check(reader.text()?.equals("ü") == true)
    check(reader.isAtEnd)
    let data: [UInt8] = [1, 2, 3, 4]
    check(
      written {
        $0.boolean(false)
        $0.boolean(true)
        $0.null()
        $0.byteString(data.span)
        $0.text("IETF")
      } == hex("f4 f5 f6 44 01020304 64 49455446"))
  }

  @Test("walks maps and arrays, of definite and of indefinite length")
  func containers() {
    // {"a": 1, "b": [2, 3]} and {_ "a": 1, "b": [_ 2, 3]} (RFC 8949, appendix A)
    for encoded in ["a26161016162820203", "bf61610161629f0203ffff"] {
      let bytes = hex(encoded)
      var reader = CBORReader(bytes.span)
      guard var map = reader.map() else {
        Issue.record("no map")
        return
      }
      check(reader.next(in: &map))
      check(reader.text()?.equals("a") == true)
      check(reader.unsigned() == 1)
      check(reader.next(in: &map))
      check(reader.text()?.equals("b") == true)
      guard var array = reader.array() else {
        Issue.record("no array")
        return
      }
      check(reader.next(in: &array))
      check(reader.unsigned() == 2)
      check(reader.next(in: &array))
      check(reader.unsigned() == 3)
      check(!reader.next(in: &array))
      check(!reader.next(in: &map))
      check(!reader.next(in: &map))
      check(reader.isAtEnd)
    }
    check(
      written {
        $0.map(2)
        $0.text("a")
        $0.unsigned(1)
        $0.text("b")
        $0.array(2)
        $0.unsigned(2)
        $0.unsigned(3)
      } == hex("a26161016162820203"))
  }

  @Test(
    "skips every kind of item of RFC 8949, appendix A",
    arguments: [
      "c249010000000000000000", "3bffffffffffffffff", "f90000", "fb3ff199999999999a", "fa47c35000", "f97e00",
      "f97bff", "f7", "f0", "f8ff", "c074323031332d30332d32315432303a30343a30305a", "c11a514b67b0",
      "d74401020304",
      "d818456449455446", "80", "83010203", "8301820203820405",
      "98190102030405060708090a0b0c0d0e0f101112131415161718181819", "a0", "a201020304",
      "a56161614161626142616361436164614461656145", "826161a161626163", "5f42010243030405ff",
      "7f657374726561646d696e67ff", "9fff", "9f018202039f0405ffff", "83018202039f0405ff",
      "bf61610161629f0203ffff",
      "826161bf61626163ff", "bf6346756ef563416d7421ff",
    ])
  func skips(encoded: String) {
    let bytes = hex(encoded + "17")
    var reader = CBORReader(bytes.span)
    check(reader.skip())
    check(reader.offset == bytes.count - 1)
    for length in 0..<(bytes.count - 1) {
      var cut = CBORReader(bytes.span.extracting(0..<length))
      let isSkipped = cut.skip()
      check(!isSkipped && cut.offset == 0, "cut to \(length) bytes")
    }
  }

  @Test(
    "refuses what is not well-formed (RFC 8949, appendix F)",
    arguments: [
      "1c", "1d", "1e", "3c", "5d", "7e", "9c", "bd", "dc", "fe", "ff", "81ff", "8200ff", "a1ff", "a100ff",
      "9f8200ff",
      "bf00ff", "bf000000ff", "5f00ff", "5f6100ff", "5f5f4100ffff", "7f4100ff", "1f", "3f", "df", "c1ff",
      "9fc1ff",
      "f800", "f81f", "81", "a100", "5bffffffffffffffff010203", "7b7fffffffffffffff010203",
      "9bffffffffffffffff",
      "bb8000000000000000", "9b0000000100000001 00",
    ])
  func malformed(encoded: String) {
    let bytes = hex(encoded)
    var reader = CBORReader(bytes.span)
    check(!reader.skip())
    check(reader.offset == 0)
  }

  @Test("skips sixteen containers inside each other, and not seventeen")
  func depth() {
    for (count, isTaken) in [(16, true), (17, false), (10_000, false)] {
      let definite = [UInt8](repeating: 0x81, count: count) + [0]
      var reader = CBORReader(definite.span)
      check(reader.skip() == isTaken)
      let indefinite = [UInt8](repeating: 0x9F, count: count) + [UInt8](repeating: 0xFF, count: count)
      var other = CBORReader(indefinite.span)
      check(other.skip() == isTaken)
    }
    let tags = [UInt8](repeating: 0xC1, count: 10_000) + [0]
    var reader = CBORReader(tags.span)
    check(reader.skip())
  }

  @Test("does not read strings of indefinite length, and skips them")
  func indefiniteStrings() {
    let bytes = hex("7f657374726561646d696e67ff 5f42010243030405ff 01")
    var reader = CBORReader(bytes.span)
    check(reader.text() == nil)
    check(reader.skip())
    check(reader.byteString() == nil)
    check(reader.skip())
    check(reader.unsigned() == 1)
  }

  @Test("writes nothing of an item that does not fit whole")
  func overflow() {
    var buffer = [UInt8](repeating: 0xEE, count: 5)
    var span = buffer.mutableSpan
    var writer = CBORWriter(span._mutatingExtracting(0...))
    writer.text("abc")
    check(!writer.overflowed)
    writer.text("d")
    check(writer.overflowed)
    check(writer.count == 4)
    writer.unsigned(1)
    check(writer.count == 4)
    check(buffer == hex("63616263EE"))
  }
}
