import HeraldHAL

// What the table stores of a peer of systems other than Herald.

extension Target {
  /// Whether a code of it is to be read over a connection.
  public var owesCode: Bool {
    get { has(Self.owesCodeFlag) }
    set { set(Self.owesCodeFlag, newValue) }
  }

  /// Whether its codes were read, or not found.
  public var codeIsRead: Bool {
    get { has(Self.codeReadFlag) }
    set { set(Self.codeReadFlag, newValue) }
  }

  /// Whether a contact event number that it advertises differs from the last one logged.
  func isNew(number: Span<UInt8>) -> Bool {
    system != .iOS && (told == 0 || told & 0xFF_FFFF != Self.digest(of: number))
  }

  /// Whether another number of the peer may be logged: one in each 16 s. A peer that changes it more often
  /// would fill the log.
  func mayShowNumber(at now: Instant) -> Bool {
    told == 0 || UInt8(truncatingIfNeeded: told &>> 24) != now.sixteenSeconds
  }

  /// Stores the number that it advertises, and when: in the lower 24 bits and the upper 8 of the field that
  /// holds the shared payloads of an iPhone.
  mutating func note(number: Span<UInt8>, at now: Instant) {
    told = UInt32(now.sixteenSeconds) &<< 24 | Self.digest(of: number)
  }

  /// A digest of 24 bits of a number, never all zero.
  private static func digest(of number: Span<UInt8>) -> UInt32 {
    var digest: UInt32 = 0x811C_9DC5
    var index = 0
    while index < number.count {
      digest = (digest ^ UInt32(number[unchecked: index])) &* 0x0100_0193
      index &+= 1
    }
    digest = (digest ^ digest &>> 24) & 0xFF_FFFF
    return digest == 0 ? 1 : digest
  }
}
