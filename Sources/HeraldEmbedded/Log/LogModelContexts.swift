extension LogModel {
  /// The positions of the probabilities of each decision.
  enum Context {
    static var measured: Int { 0 }  // 3: after a reading, a detection, something else
    static var kind: Int { 3 }  // a tree of 4 bits
    static var step: Int { 19 }  // a tree of 5 bits
    static var mediumStep: Int { 51 }  // a tree of 4 bits
    static var longStep: Int { 67 }  // a tree of 4 bits
    static var afterDetection: Int { 83 }  // 1
    static var silence: Int { 84 }  // 4 rhythms of 52 lengths
    static var rank: Int { 292 }  // 24 ranks in the list, for the first candidate and for others
    static var rssi: Int { 340 }  // 9 trees of 4 bits, 15 each: the first node is 1
    static var longJump: Int { 476 }  // a tree of 3 bits
    static var firstRSSI: Int { 484 }  // a tree of 4 bits
    static var direct: Int { 500 }  // 5: after a searched target, a direct one, a detection; other kinds
    static var known: Int { 505 }  // 3: of a reading, of a detection, of other kinds
    static var lost: Int { 508 }  // 4: the first, second, third and further ones from the end
    static var addressKind: Int { 512 }  // a tree of 2 bits
    static var addressTop: Int { 516 }  // a tree of 2 bits
    static var repeated: Int { 520 }  // 2: a payload that was there before; which of the two
    static var count: Int { 522 }
  }
}
