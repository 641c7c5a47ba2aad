/// Repeatable random changes to a seed: flipped bits, replaced, inserted and removed bytes, cut and doubled ends.
struct Mutations {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  private mutating func random(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return bound <= 0 ? 0 : Int(truncatingIfNeeded: (state >> 33) % UInt64(bound))
  }

  mutating func mutate(_ seed: [UInt8]) -> [UInt8] {
    var bytes = seed
    for _ in 0...random(4) {
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
