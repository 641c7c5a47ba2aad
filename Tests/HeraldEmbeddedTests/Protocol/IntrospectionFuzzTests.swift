import HeraldBluetooth
import HeraldEmbedded
import TestInputs
import Testing

/// Introspects any bytes and holds the outcome against what must be true of every outcome.
func fuzzIntrospection(_ bytes: Span<UInt8>) -> Bool {
  let report = AdvertisingReport(
    address: DeviceAddress(high: 1, low: 2, kind: .random), rssi: RSSI(-1), kind: .legacy)
  let found = Introspection(customService: UUID128(1, 2)).classify(report, bytes)
  let identity = found.pseudoAddress.map { TargetIdentity($0) } ?? TargetIdentity(report.address)
  guard found.identity == identity, found.services.rawValue < 8 else { return false }
  // Nothing can be seen that there are no bytes for.
  if found.services.contains(.long), bytes.count < 18 { return false }
  if found.services.contains(.short), bytes.count < 4 { return false }
  if found.pseudoAddress != nil, bytes.count < 10 { return false }
  if found.txPower != nil, bytes.count < 3 { return false }
  if found.apple != .none, bytes.count < 4 { return false }
  return true
}

@Suite("Introspection: random bytes")
struct IntrospectionFuzzTests {
  /// Advertisements to mutate.
  private static let seeds: [[UInt8]] = [
    "020106 0303F6FC 1107 9BFD5BD672451E80D3424647AF328142",
    "020106 1107 9BFD5BD672451E80D3424647AF328142 09FF FAFF A0A1A2A3A4A5",
    "020106 0303F6FC 020AF4 09FF F105 A0A1A2A3A4A5",
    "02011A020A0C0BFF4C001006071EA3DD89E014FF4C000100000000000000000000200000000000",
    "1bff4c000c0e00c857ac085510515d52cf3862211006551eee51497a",
    "02011a0dff4c0010050814123456100101", "0502 0118F6FC 03ff4c00 04ff4c0001 0000000000",
  ].map { (text: String) in hexBytes(text) }

  @Test("A hundred and twenty thousand random and mutated advertisements")
  func random() {
    var random = SplitMix64(seed: 4)
    for number in 0..<120_000 {
      let bytes = number % 4 == 0 ? random.bytes() : random.mutated(Self.seeds)
      guard fuzzIntrospection(bytes.span) else {
        Issue.record("case \(number): \(bytes)")
        return
      }
    }
  }

  @Test("Every seed cut at every place")
  func truncated() {
    for seed in Self.seeds {
      for count in 0...seed.count {
        let isSound = fuzzIntrospection(seed.span.extracting(0..<count))
        #expect(isSound)
      }
    }
  }
}
