import HeraldEmbedded
import TestInputs
import Testing

/// What a venue's payload says; `nil` if it is none.
private func venue(_ payload: [UInt8]) -> (country: UInt16, state: UInt16, code: UInt32, name: [UInt8]?)? {
  guard let venue = VenuePayload(payload.span) else { return nil }
  return (venue.country, venue.state, venue.code, venue.premisesName?.array)
}

/// A supplier of a venue whose premises have a name.
private func named(
  _ name: String, country: UInt16, state: UInt16, code: UInt32
) -> VenuePayloadSupplier<501> {
  var supplier = VenuePayloadSupplier<501>(country: country, state: state, code: code)
  supplier.setExtendedData(([0x10, UInt8(name.utf8.count)] + Array(name.utf8)).span)
  return supplier
}

@Suite("Families of payloads")
struct PayloadFamiliesTests {
  private static let adamsPizza = hexBytes("30 EEDD FF11 DDCCBBAA 10 0B 4164616D732050697A7A61")
  private static let stakehouse = hexBytes(
    "30 3A03 0400 F3E00100 10 11 4572696E2773205374616B65686F757365")

  @Test("HP-41 A venue's payload: number, country and state, then what it says about the place")
  func venuePayload() {
    var plain = VenuePayloadSupplier<0>(country: 0xDDEE, state: 0x11FF, code: 0xAABB_CCDD)
    #expect(offered(by: &plain, at: nil) == hexBytes("30 EE DD FF 11 DD CC BB AA"))
    var pizza = named("Adams Pizza", country: 0xDDEE, state: 0x11FF, code: 0xAABB_CCDD)
    #expect(offered(by: &pizza, at: nil) == Self.adamsPizza)
    #expect(offered(by: &pizza, at: 5, room: 22) == Self.adamsPizza)
    #expect(offered(by: &pizza, at: 5, room: 21).isEmpty)
    var erin = named("Erin's Stakehouse", country: 826, state: 4, code: 123_123)
    #expect(offered(by: &erin, at: nil) == Self.stakehouse)
    #expect(erin.fixedLength == 0 && erin.nextChange(after: 5, now: .start) == .never)
  }

  @Test("HP-41 A venue's payload has at most 510 bytes, and what does not fit changes nothing")
  func longVenuePayload() {
    var supplier = VenuePayloadSupplier<600>(country: 1, state: 2, code: 3)
    let data = [UInt8](repeating: 0x80, count: 502)
    let tooMuch = supplier.setExtendedData(data.span)
    #expect(!tooMuch && offered(by: &supplier, at: nil).count == 9)
    let enough = supplier.setExtendedData(data.span.extracting(first: 501))
    #expect(enough && offered(by: &supplier, at: nil).count == Payload.maximumLength)
    var small = VenuePayloadSupplier<10>(country: 1, state: 2, code: 3)
    let fits = small.setExtendedData(data.span.extracting(first: 10))
    let refused = small.setExtendedData(data.span.extracting(first: 11))
    #expect(fits && !refused && offered(by: &small, at: nil).count == 19)
    let emptied = small.setExtendedData([UInt8]().span)
    #expect(emptied && offered(by: &small, at: nil).count == 9)
  }

  @Test("Without a number a venue offers nothing")
  func nowhere() {
    var supplier = VenuePayloadSupplier<8>(country: 826, state: 4, code: 0)
    #expect(offered(by: &supplier, at: nil).isEmpty)
  }

  @Test("A venue's payload is read back, whatever else it says")
  func readVenue() {
    #expect(
      venue(Self.stakehouse).map { $0 == (826, 4, 123_123, Array("Erin's Stakehouse".utf8)) } == true)
    #expect(
      venue(Self.adamsPizza).map { $0 == (0xDDEE, 0x11FF, 0xAABB_CCDD, Array("Adams Pizza".utf8)) } == true)
    #expect(venue(hexBytes("30 EEDD FF11 DDCCBBAA")).map { $0 == (0xDDEE, 0x11FF, 0xAABB_CCDD, nil) } == true)
    // A time and a custom segment before the name, whose length is wrong.
    let odd = hexBytes("30 3A03 0000 01000000 20 04 80E16B5F 90 01 00 10 20 4142")
    #expect(venue(odd).map { $0 == (826, 0, 1, [0x41, 0x42]) } == true)
  }

  @Test("HP-40 What is no venue's payload, or one of a version to come, stays bytes")
  func notVenue() {
    for payload in ["", "30", "30 EEDD FF11 DDCCBB", "31 EEDD FF11 DDCCBBAA", "10 EEDD FF11 DDCCBBAA"] {
      #expect(venue(hexBytes(payload)) == nil)
    }
    let later = PayloadHeader(hexBytes("31 3A03 0400 F3E00100").span)
    #expect(later?.family == .venueBeacon && later?.version == 1)
    #expect(later?.origin == .country(826, state: 4))
  }

  @Test("HP-40 The header tells family, version and origin, or that it does not know")
  func headers() {
    let origins: [(String, PayloadFamily, UInt8, PayloadHeader.Origin)] = [
      ("00 01020304 05", .custom, 0, .routingCode(0x0403_0201)),
      ("07 FFFFFFFF", .custom, 7, .routingCode(.max)),
      ("00 010203", .custom, 0, .unknown),
      ("08 3A03 0000 D2", .customWithCountry, 0, .country(826, state: 0)),
      ("0F 3A03 0100", .customWithCountry, 7, .country(826, state: 1)),
      ("10 2A02 0000", .simple, 0, .country(554, state: 0)),
      ("20 FA00 0100", .secured, 0, .country(250, state: 1)),
      ("30 3A03 04", .venueBeacon, 0, .unknown),
      ("91 3A03 0400", .blueTrace, 1, .country(826, state: 4)),
      ("18 3A03 0400", .unknown, 0, .unknown), ("80 3A03 0400", .exposureNotification, 0, .unknown),
      ("88 3A03 0400", .robert, 0, .unknown), ("99 3A03 0400", .dp3t, 1, .unknown),
      ("A0 3A03 0400", .pact, 0, .unknown), ("FF 3A03 0400", .unknown, 7, .unknown),
    ]
    for (bytes, family, version, origin) in origins {
      let header = PayloadHeader(hexBytes(bytes).span)
      #expect(header?.family == family && header?.version == version && header?.origin == origin, "\(bytes)")
    }
    #expect(PayloadHeader([UInt8]().span) == nil)
  }

  @Test("HP-41 The test payload has the identifier behind three zeros and a length of its own")
  func testPayload() throws {
    var usual = try #require(TestPayloadSupplier(identifier: 0x0102_0304))
    #expect(
      offered(by: &usual, at: nil) == hexBytes("000000 04030201") + [UInt8](repeating: 0, count: 122))
    #expect(usual.fixedLength == 129)
    var shortest = try #require(TestPayloadSupplier(identifier: -2, length: 7))
    #expect(offered(by: &shortest, at: nil, room: 7) == hexBytes("000000 FEFFFFFF"))
    #expect(offered(by: &shortest, at: nil, room: 6).isEmpty)
    var longest = try #require(TestPayloadSupplier(identifier: 1, length: 510))
    #expect(offered(by: &longest, at: nil).count == 510)
    for length in [Int.min, -1, 0, 6, 511, .max] {
      #expect(TestPayloadSupplier(identifier: 1, length: length) == nil)
    }
  }

  @Test("HP-42 Test payloads in one message are split by their length")
  func splitting() throws {
    let supplier = try #require(TestPayloadSupplier(identifier: 1, length: 9))
    #expect(supplier.lengthOfFirstPayload(inShared: [UInt8](repeating: 0, count: 20).span) == 9)
    #expect(supplier.lengthOfFirstPayload(inShared: [UInt8](repeating: 0, count: 8).span) == 0)
  }

  @Test("HP-40 Bytes of an unknown family are offered unchanged, 1 to 510 of them")
  func opaquePayload() {
    var supplier = OpaquePayloadSupplier<600>()
    #expect(offered(by: &supplier, at: nil).isEmpty)
    let bytes = (0..<511).map { UInt8(truncatingIfNeeded: $0 ^ 0xA5) }
    for count in [1, 21, 510] {
      let isTaken = supplier.set(bytes.span.extracting(first: count))
      #expect(isTaken && offered(by: &supplier, at: nil) == Array(bytes[..<count]))
    }
    let isTaken = supplier.set(bytes.span)
    #expect(!isTaken && offered(by: &supplier, at: nil).count == 510)
    #expect(offered(by: &supplier, at: nil, room: 509).isEmpty)
    var small = OpaquePayloadSupplier<4>()
    let isRefused = !small.set(bytes.span.extracting(first: 5))
    #expect(isRefused && small.fixedLength == 0)
    supplier.set([UInt8]().span)
    #expect(offered(by: &supplier, at: nil).isEmpty)
  }
}
