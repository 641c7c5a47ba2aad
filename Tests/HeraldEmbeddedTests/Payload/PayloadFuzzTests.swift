import HeraldEmbedded
import TestInputs
import Testing

/// Reads any bytes as extended data and holds the outcome against what the rules say of it, one after the
/// other.
func fuzzExtendedData(_ bytes: Span<UInt8>) -> Bool {
  var segments = ExtendedData(bytes)
  var place = 0
  while bytes.count - place >= 3 {
    let length = min(Int(bytes[place + 1]), bytes.count - place - 2)
    defer { place += 2 + length }
    if length == 0 { continue }
    guard segments.next(), segments.code.rawValue == bytes[place] else { return false }
    guard segments.range == place + 2..<place + 2 + length else { return false }
    guard segments.bytes.count == length, segments.bytes[length - 1] == bytes[place + 1 + length] else {
      return false
    }
    guard (segments.u8 != nil) == (length == 1), (segments.i8 != nil) == (length == 1),
      (segments.u32 != nil) == (length == 4), (segments.float32 != nil) == (length == 4),
      (segments.position != nil) == (length == 4), (segments.float64 != nil) == (length == 8),
      (segments.metres != nil) == (length == 4 || length == 8)
    else { return false }
  }
  return !segments.next()
}

/// Reads any bytes as a payload; what it says must have bytes that say it.
func fuzzPayload(_ bytes: Span<UInt8>) -> Bool {
  guard let header = PayloadHeader(bytes) else { return bytes.isEmpty && VenuePayload(bytes) == nil }
  guard header.typeAndVersion == bytes[0], header.version < 8 else { return false }
  if header.origin != .unknown, bytes.count < 5 { return false }
  guard let venue = VenuePayload(bytes) else { return bytes[0] != 0x30 || bytes.count < 9 }
  guard header.origin == .country(venue.country, state: venue.state) else { return false }
  if let name = venue.premisesName, name.isEmpty || name.count > bytes.count - 11 { return false }
  return venue.extendedData.data.count == bytes.count - 9
    && fuzzExtendedData(venue.extendedData.data)
}

@Suite("Payloads: random bytes")
struct PayloadFuzzTests {
  /// Payloads to mutate.
  private static let seeds: [[UInt8]] = [
    "30 EEDDFF11DDCCBBAA 10 0B 4164616D732050697A7A61", "30 3A030400F3E00100 20 04 80E16B5F 21 04 80E16B5F",
    "30 3A030400F3E00100 03 04 0000C03F 04 08 000000000000D03F 06 04 120CF8FF 40 01 C3 41 01 0C",
    "08 3A030000D202964900000000", "10 3A030400E2CFBEB32DE932C9171C658B5F57A337",
    "91 3A030400 1B00 0800 4142313233343536 40 01 C3 41 02 0C00 42 03 414243", "00 0000 2A000000 000000",
  ].map { (text: String) in hexBytes(text) }

  @Test("HP-40 A hundred and twenty thousand random and mutated payloads")
  func random() {
    var random = SplitMix64(seed: 30)
    for number in 0..<120_000 {
      var bytes: [UInt8]
      if number % 4 == 0 {
        bytes = random.bytes()
        // Lengths that leave room for what follows.
        for place in bytes.indices where random.next() % 3 == 0 { bytes[place] &= 7 }
      } else {
        bytes = random.mutated(Self.seeds)
      }
      guard fuzzPayload(bytes.span), fuzzExtendedData(bytes.span) else {
        Issue.record("case \(number): \(bytes)")
        return
      }
    }
  }

  @Test("Every seed cut at every place")
  func truncated() {
    for seed in Self.seeds {
      for count in 0...seed.count {
        let isSound = fuzzPayload(seed.span.extracting(0..<count))
        #expect(isSound)
      }
    }
  }
}
