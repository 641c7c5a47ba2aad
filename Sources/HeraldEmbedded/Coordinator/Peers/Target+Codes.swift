import HeraldHAL

// What the table stores of a peer with codes of additional services.

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

  /// Whether a code that it advertises differs from the last one logged.
  func isNew(code: Span<UInt8>) -> Bool {
    system != .iOS && (told == 0 || told & 0xFF_FFFF != Self.digest(of: code))
  }

  /// Whether another code of the peer may be logged: one in each 16 s. A peer that changes it more often
  /// would fill the log.
  func mayShowCode(at now: Instant) -> Bool {
    told == 0 || UInt8(truncatingIfNeeded: told &>> 24) != now.sixteenSeconds
  }

  /// Stores the code that it advertises, and when: in the lower 24 bits and the upper 8 of the field that
  /// holds the shared payloads of an iPhone.
  mutating func note(code: Span<UInt8>, at now: Instant) {
    told = UInt32(now.sixteenSeconds) &<< 24 | Self.digest(of: code)
  }

  /// A digest of 24 bits of a code, never all zero.
  private static func digest(of code: Span<UInt8>) -> UInt32 {
    var digest: UInt32 = 0x811C_9DC5
    var index = 0
    while index < code.count {
      digest = (digest ^ UInt32(code[unchecked: index])) &* 0x0100_0193
      index &+= 1
    }
    digest = (digest ^ digest &>> 24) & 0xFF_FFFF
    return digest == 0 ? 1 : digest
  }
}
