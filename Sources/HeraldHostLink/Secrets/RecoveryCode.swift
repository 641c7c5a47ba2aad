import HeraldCrypto
import HeraldEmbedded
import HeraldText

/// A private key as text that is written on paper and typed back: 14 groups of five characters
/// (docs/log-format.md, "The copy on paper").
///
/// The alphabet is Crockford's Base32: digits and letters without I, L, O and U; case does not matter, and I,
/// L and O are read as 1, 1 and 0. The first four characters of a group are 20 bits. The fifth is a check
/// over GF(32), which finds each wrong character, each two that are exchanged, and a group in place of
/// another. The 280 bits are those of the key, and the first 24 of its SHA-256.
public enum RecoveryCode {
  /// The number of groups.
  public static let groupCount = 14
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  private static let groupSize = 5

  /// What is wrong with a text.
  enum Failure: Error, Equatable {
    /// These groups, counted from 1, have a typing error.
    case groups([Int])
    /// The text has another number of groups.
    case count(Int)
    /// Each group is right by itself, but they are not those of one key.
    case sum
  }

  /// A product in GF(32), modulo x⁵ + x² + 1.
  static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
    var (result, factor): (UInt8, UInt8) = (0, one)
    for bit in 0..<5 as Range<UInt8> {
      if other >> bit & 1 == 1 { result ^= factor }
      factor = factor & 16 == 0 ? factor << 1 : (factor << 1 ^ 0b10_0101)
    }
    return result
  }

  /// The check of four values in the group with this index: their sum with the weights 2, 4, 8 and 16, and
  /// the index.
  private static func check(_ values: some Sequence<UInt8>, _ index: Int) -> UInt8 {
    var sum = UInt8(index)
    for (position, value) in values.enumerated() { sum ^= product(value, 2 << UInt8(position)) }
    return sum
  }

  /// The 280 bits of a key: its 32 bytes, and the first three of its SHA-256.
  private static func extended(_ key: UnsafeBufferPointer<UInt8>) -> SecretMemory {
    var memory = SecretMemory(capacity: OwnerKey.size + 3)
    var hash = SHA256()
    for (index, byte) in key.enumerated() {
      memory.bytes[index] = byte
      hash.update(byte)
    }
    var digest: [32 of UInt8] = .init(repeating: 0)
    hash.finish(into: &digest)
    for index in 0..<3 { memory.bytes[OwnerKey.size + index] = digest[index] }
    memory.count = OwnerKey.size + 3
    return memory
  }

  /// The groups of a key, as ASCII, in two lines of seven.
  static func text(of key: UnsafeBufferPointer<UInt8>) -> SecretMemory {
    let bits = extended(key)
    var text = SecretMemory(capacity: groupCount * (groupSize + 1))
    for group in 0..<groupCount {
      var values = SecretMemory(capacity: groupSize - 1)
      for index in 0..<(groupSize - 1) {
        var value: UInt8 = 0
        for bit in 0..<5 {
          let number = (group * (groupSize - 1) + index) * 5 + bit
          value = value << 1 | bits.bytes[number / 8] >> UInt8(7 - number % 8) & 1
        }
        values.bytes[index] = value
        values.count += 1
      }
      for value in values.used { text.append(byte: alphabet[Int(value)]) }
      text.append(byte: alphabet[Int(check(values.used, group))])
      text.append(byte: group % 7 == 6 ? 0x0A : 0x20)
    }
    return text
  }

  /// The value of a character; `nil` if it is not of the alphabet.
  private static func value(of byte: UInt8) -> UInt8? {
    let capital = (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
    let read: UInt8 =
      switch capital {
      case UInt8(ascii: "O"): UInt8(ascii: "0")
      case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
      default: capital
      }
    return alphabet.firstIndex(of: read).map { UInt8($0) }
  }

  /// Which groups of a text are wrong: those with a typing error, counted from `first`. Groups are separated
  /// by white space or hyphens.
  static func wrongGroups(in text: UnsafeBufferPointer<UInt8>, from first: Int = 0) -> (
    count: Int, wrong: [Int]
  ) {
    var wrong: [Int] = []
    var count = 0
    for group in groups(of: text) {
      if values(of: group, index: first + count) == nil { wrong.append(first + count + 1) }
      count += 1
    }
    return (count, wrong)
  }

  private static func groups(of text: UnsafeBufferPointer<UInt8>) -> [Slice<UnsafeBufferPointer<UInt8>>] {
    text.split { $0 <= 0x20 || $0 == UInt8(ascii: "-") }
  }

  /// The four values of a group, as 20 bits; `nil` if it has a typing error.
  private static func values(of group: Slice<UnsafeBufferPointer<UInt8>>, index: Int) -> UInt32? {
    guard group.count == groupSize else { return nil }
    var bits: UInt32 = 0
    var sum = UInt8(truncatingIfNeeded: index)
    for (position, byte) in group.enumerated() {
      guard let value = value(of: byte) else { return nil }
      if position == groupSize - 1 { return value == sum ? bits : nil }
      bits = bits << 5 | UInt32(value)
      sum ^= product(value, 2 << UInt8(position))
    }
    return nil
  }

  /// The key of a text.
  static func key(of text: UnsafeBufferPointer<UInt8>) throws(Failure) -> SecretMemory {
    let found = groups(of: text)
    let (count, wrong) = wrongGroups(in: text)
    guard count == groupCount else { throw .count(count) }
    guard wrong.isEmpty else { throw .groups(wrong) }
    var bits = SecretMemory(capacity: OwnerKey.size + 3)
    bits.count = bits.bytes.count
    for (index, group) in found.enumerated() {
      guard let values = values(of: group, index: index) else { throw .groups([index + 1]) }
      for bit in 0..<20 where values >> UInt32(19 - bit) & 1 == 1 {
        let number = index * 20 + bit
        bits.bytes[number / 8] |= 1 << UInt8(7 - number % 8)
      }
    }
    let right = extended(UnsafeBufferPointer(rebasing: bits.used[..<OwnerKey.size]))
    guard right.used.elementsEqual(bits.used) else { throw .sum }
    bits.count = OwnerKey.size
    return bits
  }
}
