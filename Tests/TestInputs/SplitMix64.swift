/// A repeatable source of random numbers for property tests: SplitMix64, so that a failing case can be run
/// again.
public struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  /// A source that gives the same numbers for the same seed.
  public init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension SplitMix64 {
  /// Up to 39 bytes, any of them.
  public mutating func bytes() -> [UInt8] {
    (0..<Int(next() % 40)).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  /// One of `seeds`, changed in one to four places: a byte replaced, a bit flipped, the end cut off, or a byte
  /// doubled.
  public mutating func mutated(_ seeds: [[UInt8]]) -> [UInt8] {
    var bytes = seeds[Int(next() % UInt64(seeds.count))]
    for _ in 0...(next() % 4) where !bytes.isEmpty {
      let place = Int(next() % UInt64(bytes.count))
      switch next() % 4 {
      case 0: bytes[place] = UInt8(truncatingIfNeeded: next())
      case 1: bytes[place] ^= 1 << UInt8(next() % 8)
      case 2: bytes.removeLast(bytes.count - place)
      default: bytes.insert(bytes[place], at: place)
      }
    }
    return bytes
  }
}
