import HeraldHAL

/// The hash function SHA-256 (FIPS 180-4, section 6.2), over any number of bytes in any number of parts.
///
/// Small rather than fast: one loop of 64 rounds over a message schedule of sixteen words in the block
/// buffer. `finish` erases all values derived from the message; a caller that passes a secret to `update`
/// calls it.
public struct SHA256: ~Copyable {
  /// The eight words of the hash value, the last one first: the words of `compress` then move to the front,
  /// where copies are fast.
  private var state: [8 of UInt32]
  /// The block being filled, as big-endian words; consumed by the rounds.
  private var schedule: [16 of UInt32]
  /// Bytes of message so far.
  private var length: UInt64

  /// A hash of an empty message so far.
  ///
  /// Not inlined: otherwise the compiler builds it on the stack and copies it.
  @inline(never)
  public init() {
    state = sha256InitialState
    schedule = .init(repeating: 0)
    length = 0
  }

  /// An instance that must not be used before `begin`: all zero bits, which are written in place. Any other
  /// is built on the stack and copied, for which small devices have no room.
  @inline(__always)
  init(idle: Void) {
    state = .init(repeating: 0)
    schedule = .init(repeating: 0)
    length = 0
  }

  /// Resets it to the hash of an empty message.
  @inline(__always)
  mutating func begin() {
    state = sha256InitialState
    length = 0
  }

  /// The digest of `message`.
  public static func digest(of message: Span<UInt8>) -> [32 of UInt8] {
    var hash = SHA256()
    var digest: [32 of UInt8] = .init(repeating: 0)
    hash.update(message)
    hash.finish(into: &digest)
    return digest
  }

  /// Continues with `bytes`.
  @inline(never)
  public mutating func update(_ bytes: Span<UInt8>) {
    for index in 0..<bytes.count { gather(bytes[unchecked: index]) }
  }

  /// Continues with constant text.
  @inline(never)
  public mutating func update(_ text: StaticString) {
    guard text.hasPointerRepresentation else { return }
    for index in 0..<text.utf8CodeUnitCount { gather(text.utf8Start[index]) }
  }

  /// Continues with a byte.
  public mutating func update(_ byte: UInt8) { gather(byte) }

  /// Writes the digest of all bytes so far, most significant first. Afterwards this is the hash of an empty
  /// message, and the former state is erased.
  @inline(never)
  public mutating func finish(into digest: inout [32 of UInt8]) {
    let bits = length &<< 3
    gather(0x80)
    while length.low32 & 63 != 56 { gather(0) }
    schedule[14] = bits.high32
    schedule[15] = bits.low32
    compress()

    for index in 0..<32 {
      let shift = UInt32(truncatingIfNeeded: 24 &- (index & 3) &* 8)
      digest[unchecked: index] = UInt8(truncatingIfNeeded: state[unchecked: 7 &- index &>> 2] &>> shift)
    }
    var words = schedule.mutableSpan
    words.wipe()
    state = sha256InitialState
    length = 0
  }

  @inline(never)
  private mutating func gather(_ byte: UInt8) {
    let index = Int(truncatingIfNeeded: length.low32 & 63)
    let word = index &>> 2
    schedule[unchecked: word] = schedule[unchecked: word] &<< 8 | UInt32(byte)
    length &+= 1
    if index == 63 { compress() }
  }

  private mutating func compress() {
    var work = state
    for round in 0..<64 {
      let position = round & 15
      if round >= 16 {
        schedule[unchecked: position] = scheduled(position)
      }
      let a = work[7]
      let e = work[3]
      let sum1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
      let choice = (e & work[2]) ^ (~e & work[1])
      let first =
        work[0] &+ sum1 &+ choice &+ sha256Constants[unchecked: round] &+ schedule[unchecked: position]
      let sum0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
      let majority = (a & work[6]) ^ (a & work[5]) ^ (work[6] & work[5])
      for index in 0..<7 { work[unchecked: index] = work[unchecked: index &+ 1] }
      work[3] &+= first
      work[7] = first &+ sum0 &+ majority
    }
    for index in 0..<8 { state[unchecked: index] &+= work[unchecked: index] }
  }

  /// Word t of the message schedule, t ≥ 16 and t mod 16 = `position`, from the sixteen before it. `mutating`
  /// because a borrow of the array would copy it.
  @inline(__always)
  private mutating func scheduled(_ position: Int) -> UInt32 {
    let back15 = schedule[unchecked: (position &+ 1) & 15]
    let back2 = schedule[unchecked: (position &+ 14) & 15]
    let sigma0 = rotated(back15, 7) ^ rotated(back15, 18) ^ (back15 &>> 3)
    let sigma1 = rotated(back2, 17) ^ rotated(back2, 19) ^ (back2 &>> 10)
    return schedule[unchecked: position] &+ sigma0 &+ schedule[unchecked: (position &+ 9) & 15] &+ sigma1
  }
}

/// `word` rotated to the right by `count` bits, 1…31.
@inline(__always)
private func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
  word &>> count | word &<< (32 &- count)
}

/// The first 32 bits of the fractional parts of the square roots of the first eight primes (5.3.3), the last
/// one first.
private let sha256InitialState: [8 of UInt32] = [
  0x5be0_cd19, 0x1f83_d9ab, 0x9b05_688c, 0x510e_527f, 0xa54f_f53a, 0x3c6e_f372, 0xbb67_ae85, 0x6a09_e667,
]

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (4.2.2).
private let sha256Constants: [64 of UInt32] = [
  0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
  0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
  0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
  0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
  0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
  0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
  0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
  0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
]
