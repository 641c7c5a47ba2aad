import HeraldBluetooth
import HeraldCrypto
import HeraldHAL

/// The key of one sealed segment (docs/log-format.md).
struct LogSegmentSeal: BitwiseCopyable {
  private(set) var isOn = false
  private var key: [16 of UInt8] = .init(repeating: 0)
  private var sequence: UInt32 = 0

  init() {}

  /// The first 16 bytes of `keys` are the key.
  @inline(never)
  mutating func begin(_ keys: Span<UInt8>, sequence: UInt32) {
    isOn = true
    self.sequence = sequence
    for index in 0..<16 { key[index] = keys[index] }
  }

  /// Erases the key.
  @inline(never)
  mutating func end() {
    isOn = false
    var bytes = key.mutableSpan
    bytes.wipe()
  }

  /// Encrypts a block that is programmed at `position` of its page, and nowhere else with this key, and
  /// writes its tag. `clear` bytes in front are authenticated only.
  @inline(never)
  mutating func seal(_ packet: inout MutableSpan<UInt8>, clear: Int, at position: Int) -> Bool {
    var cipher = AES128CCM(key: key, nonce: Self.nonce(sequence: sequence, position: position))
    return cipher.seal(&packet, clear: clear, tag: LogFormat.tagSize)
  }

  /// Decrypts a block that `seal` encrypted; `false` if its tag is not the right one.
  mutating func open(_ packet: inout MutableSpan<UInt8>, clear: Int, at position: Int) -> Bool {
    var cipher = AES128CCM(key: key, nonce: Self.nonce(sequence: sequence, position: position))
    return cipher.open(&packet, clear: clear, tag: LogFormat.tagSize)
  }

  /// The nonce of a block: the number of its page and its offset in it, big-endian, behind five zeros.
  static func nonce(sequence: UInt32, position: Int) -> [13 of UInt8] {
    var nonce: [13 of UInt8] = .init(repeating: 0)
    let offset = UInt32(truncatingIfNeeded: position)
    for index in 0..<4 {
      let shift = UInt32(truncatingIfNeeded: 24 &- index &* 8)
      nonce[5 &+ index] = UInt8(truncatingIfNeeded: sequence &>> shift)
      nonce[9 &+ index] = UInt8(truncatingIfNeeded: offset &>> shift)
    }
    return nonce
  }
}

extension LogBitEncoder {
  /// What follows is not sealed.
  mutating func endSeal() { seal.end() }
}

/// The frame of a block of a sealed segment, by its first bytes, which are not encrypted.
struct SealedBlockFrame: BitwiseCopyable {
  /// The first byte of an open block with the most content.
  static var fullMark: UInt8 { 0xFC }
  /// The first byte of an open block whose length follows.
  static var openMark: UInt8 { 0xFD }

  /// The contents of the block.
  let kind: LogBlock.Kind
  /// Bytes that are not encrypted.
  let clear: Int
  /// Bytes of content.
  let content: Int

  /// The frame of a block that begins with `bytes`; `nil` if there is none.
  init?(_ bytes: Span<UInt8>) {
    guard bytes.count >= 2 else { return nil }
    switch bytes[0] {
    case 0:
      kind = .raw
      clear = 2
      content = Int(bytes[1])
      guard content >= 1, content <= LogFormat.rawLimit else { return nil }
    case Self.fullMark:
      kind = .open
      clear = 1
      content = LogFormat.sealedLimit
    case Self.openMark:
      kind = .open
      clear = 2
      content = Int(bytes[1])
      guard content >= 1, content < LogFormat.sealedLimit else { return nil }
    case let count:
      kind = .final
      clear = 1
      content = Int(count)
      guard content <= LogFormat.sealedLimit else { return nil }
    }
  }

  /// Bytes up to the end of the tag.
  var end: Int { clear &+ content &+ LogFormat.tagSize }

  /// Bytes to the next block.
  func size(word: Int) -> Int { LogFormat.aligned(end, to: word) }
}
