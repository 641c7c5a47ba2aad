import HeraldHAL

// What the table keeps of a peer of systems other than Herald.

extension Target {
  /// Whether a code of it is to be read over a connection.
  @inlinable
  public var owesCode: Bool {
    get { has(Self.owesCodeFlag) }
    set { set(Self.owesCodeFlag, newValue) }
  }

  /// Whether its codes were read, or looked for in vain.
  @inlinable
  public var codeIsRead: Bool {
    get { has(Self.codeReadFlag) }
    set { set(Self.codeReadFlag, newValue) }
  }

  /// Whether a contact event number that it advertises is another than the last that was noted.
  @usableFromInline
  func isNew(number: Span<UInt8>) -> Bool {
    system != .iOS && (told == 0 || told & 0xFF_FFFF != Self.digest(of: number))
  }

  /// Whether another number of its may be noted: one in each 16 s. Who changes it more often would fill the
  /// log.
  @usableFromInline
  func mayShowNumber(at now: Instant) -> Bool {
    told == 0 || UInt8(truncatingIfNeeded: told &>> 24) != now.sixteenSeconds
  }

  /// Takes note of the number it advertises, and when: in the lower 24 bits and the upper 8 of what says of
  /// an iPhone what it was told.
  @usableFromInline
  mutating func note(number: Span<UInt8>, at now: Instant) {
    told = UInt32(now.sixteenSeconds) &<< 24 | Self.digest(of: number)
  }

  /// 24 bits that tell one number from the next, never all zero.
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
