/// A source of random bits that cannot be predicted from earlier ones: a hardware generator, or the operating
/// system's.
public protocol RandomSource: ~Copyable {
  /// The next 32 random bits.
  mutating func next() -> UInt32
}

extension RandomSource where Self: ~Copyable {
  /// Fills `buffer` with random bytes.
  @inline(never)
  public mutating func fill(_ buffer: inout MutableSpan<UInt8>) {
    var index = 0
    while index < buffer.count {
      var word = next()
      var byte = 0
      while byte < 4, index < buffer.count {
        buffer[index] = UInt8(truncatingIfNeeded: word)
        word = word &>> 8
        index &+= 1
        byte &+= 1
      }
    }
  }
}
