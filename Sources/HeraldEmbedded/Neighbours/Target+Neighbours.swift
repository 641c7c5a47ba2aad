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

  /// Takes note of the contact event number it advertises: `true` if that is another than the last. Iphones do not advertise one, and only they are
  /// told others' payloads, so that both can have the same place.
  @usableFromInline
  mutating func note(number: Span<UInt8>) -> Bool {
    var digest: UInt32 = 0x811C_9DC5
    var index = 0
    while index < number.count {
      digest = (digest ^ UInt32(number[unchecked: index])) &* 0x0100_0193
      index &+= 1
    }
    guard digest != told else { return false }
    told = digest
    return true
  }
}
