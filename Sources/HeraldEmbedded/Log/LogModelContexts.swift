extension LogModel {
  /// The positions of the probabilities of each decision.
  enum Context {
    static var measured: Int { 0 }  // 3: after a reading, a detection, something else
    static var kind: Int { 3 }  // a tree of 4 bits
    static var step: Int { 19 }  // a tree of 5 bits
    static var mediumStep: Int { 51 }  // a tree of 5 bits
    static var longStep: Int { 83 }  // a tree of 5 bits
    static var afterDetection: Int { 115 }  // 1
    static var silence: Int { 116 }  // 4 rhythms of 56 lengths
    static var jump: Int { 340 }  // 4 trees of 4 bits
    static var longJump: Int { 404 }  // a tree of 3 bits
    static var firstRSSI: Int { 412 }  // a tree of 4 bits
    static var direct: Int { 428 }  // 3: after a target that was searched for, one that was not, a detection
    static var known: Int { 431 }  // 1
    static var count: Int { 432 }
  }
}
