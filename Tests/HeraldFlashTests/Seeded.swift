/// Numbers that look random and are the same every time.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state ^ state >> 29) &* 0xBF58_476D_1CE4_E5B9
  }

  /// One of `seeds` with some bytes changed, cut or added; or bytes of no pattern.
  mutating func mutated(_ seeds: [[UInt8]]) -> [UInt8] {
    var bytes = seeds[Int(next() % UInt64(seeds.count))]
    for _ in 0..<next() % 4 {
      let place = bytes.isEmpty ? 0 : Int(next() % UInt64(bytes.count))
      switch next() % 4 {
      case 0 where !bytes.isEmpty: bytes[place] = UInt8(truncatingIfNeeded: next())
      case 1: bytes.removeLast(min(bytes.count, Int(next() % 4)))
      case 2: bytes.insert(UInt8(truncatingIfNeeded: next()), at: place)
      default: bytes += (0..<next() % 8).map { _ in UInt8(truncatingIfNeeded: next()) }
      }
    }
    return bytes
  }
}
