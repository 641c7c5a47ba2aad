import HeraldHAL

/// A random source that returns the given values, and then zeros.
struct ScriptedRandom: RandomSource {
  private var words: ArraySlice<UInt32>
  /// How many words were asked for.
  private(set) var asked = 0

  init(_ words: [UInt32]) { self.words = words[...] }

  mutating func next() -> UInt32 {
    asked += 1
    return words.popFirst() ?? 0
  }
}
