/// The position of bytes in a packet.
struct SMPBytes: BitwiseCopyable {
  var start = 0
  var count = 0

  /// The positions of them.
  var range: Range<Int> { start..<(start &+ count) }
}

/// The contents of the body of a request. Without an array: with one, Swift 6.3 cannot make what `SMPRequest`
/// needs for tests.
struct SMPBody: BitwiseCopyable {
  /// The keys that were read.
  private var found = SMPKeys.none
  /// The numbers that were read; 0 for those that were not.
  private(set) var epoch: UInt32 = 0
  private(set) var sequence: UInt32 = 0
  private(set) var offset: UInt32 = 0
  private(set) var length: UInt32 = 0
  private(set) var bootMode: UInt32 = 0
  private(set) var force: UInt32 = 0
  private(set) var show: UInt32 = 0
  private(set) var maximumSize: UInt32 = 0
  /// The position of the text or of the nonce that was read, as no request has both; its length is 0 if there
  /// is none.
  private(set) var text = SMPBytes()
  /// The position of the bytes that were read.
  private(set) var bytes = SMPBytes()

  /// Reads the values of a map under the keys of requests. `false` if it is malformed, lacks a required key,
  /// or has a value of another type; other keys are skipped. A request without a body has no keys.
  @inline(never)
  mutating func read(_ body: Span<UInt8>, needed: SMPKeys, optional: SMPKeys) -> Bool {
    guard body.count > 0 else { return needed == .none }
    var reader = CBORReader(body)
    guard var entries = reader.map() else { return false }
    while reader.next(in: &entries) {
      guard let name = reader.text() else { return false }
      guard let key = SMPKey(name), needed.has(key) || optional.has(key) else {
        guard reader.skip() else { return false }
        continue
      }
      if key.isNumber {
        if let number = reader.unsigned32() {
          switch key {
          case .epoch: epoch = number
          case .sequence: sequence = number
          case .offset: offset = number
          case .length: length = number
          case .bootMode: bootMode = number
          case .show: show = number
          case .maximumSize: maximumSize = number
          default: force = number
          }
          found.insert(key)
        } else {
          // Clients encode `force` in different ways; only a number above 0 counts.
          guard key == .force, reader.skip() else { return false }
        }
        continue
      }
      guard let string = reader.string(key.isText ? .text : .bytes) else { return false }
      let count = string.count
      // Proofs and digests have 32 bytes, nonces 16.
      if key == .proof || key == .digest, count != SessionKeySchedule.proofSize { return false }
      if key == .nonce, count != SessionKeySchedule.nonceSize { return false }
      let range = SMPBytes(start: SMPHeader.size &+ reader.offset &- count, count: count)
      if key.isText || key == .nonce { text = range } else { bytes = range }
      found.insert(key)
    }
    return found.hasAll(needed)
  }

  /// Whether there was such a key.
  func has(_ key: SMPKey) -> Bool { found.has(key) }
}
