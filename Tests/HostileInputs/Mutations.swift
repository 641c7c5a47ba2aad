/// Numbers that look random and are the same every time, and what they make of valid inputs: flipped bits,
/// replaced, inserted and removed bytes, cut and doubled ends.
public struct Mutations: RandomNumberGenerator {
  private var state: UInt64

  /// The same seed makes the same numbers and changes.
  public init(seed: UInt64) { state = seed }

  /// The next number.
  public mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state ^ state >> 29) &* 0xBF58_476D_1CE4_E5B9
  }

  private mutating func random(_ bound: Int) -> Int {
    bound <= 0 ? 0 : Int(truncatingIfNeeded: (next() >> 33) % UInt64(bound))
  }

  /// One of `inputs`, changed in up to four places, or as it is.
  public mutating func mutated(_ inputs: [[UInt8]]) -> [UInt8] {
    guard !inputs.isEmpty else { return [] }
    var bytes = inputs[random(inputs.count)]
    for _ in 0..<random(5) {
      let place = random(bytes.count)
      switch random(7) {
      case 0 where !bytes.isEmpty: bytes[place] ^= 1 << UInt8(random(8))
      case 1 where !bytes.isEmpty: bytes[place] = UInt8(random(256))
      case 2 where !bytes.isEmpty: bytes[place] = [0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF][random(6)]
      case 3: bytes.insert(UInt8(random(256)), at: place)
      case 4 where !bytes.isEmpty: bytes.remove(at: place)
      case 5: bytes.removeLast(random(bytes.count + 1))
      default: bytes += bytes.suffix(random(16))
      }
    }
    return bytes
  }
}
