import HeraldHAL

/// The last two payloads that were stored inside their records: phones rotate their addresses more often than
/// their payloads, so the same bytes are read again.
struct LogPayloadMemory: BitwiseCopyable {
  /// The longest payload that is stored in its record: one of the simple payload (Herald). Longer ones have
  /// blocks of their own.
  static var longest: Int { 21 }

  /// A length and 21 bytes each. The first is that at `front`, 0 or 22.
  private var bytes: [44 of UInt8]
  private var front: UInt8

  @inline(__always)
  init() {
    bytes = .init(repeating: 0)
    front = 0
  }

  @inline(__always)
  mutating func forget() {
    bytes[0] = 0
    bytes[22] = 0
    front = 0
  }

  /// The length of the first.
  @inline(__always)
  var count: Int {
    mutating get { Int(bytes[unchecked: Int(front)]) }
  }

  /// A byte of the first.
  @inline(__always)
  subscript(index: Int) -> UInt8 {
    mutating get { bytes[unchecked: Int(front) &+ 1 &+ index] }
    set { bytes[unchecked: Int(front) &+ 1 &+ index] = newValue }
  }

  /// Makes the second the first.
  mutating func exchange() { front = 22 &- front }

  /// Forgets the second and makes a payload of `count` bytes, 1…21, which are to be set, the first.
  mutating func begin(_ count: Int) {
    exchange()
    bytes[unchecked: Int(front)] = UInt8(truncatingIfNeeded: count)
  }

  /// Which of the two is equal to `payload`: 0 the first, 1 the second, 2 neither.
  mutating func find(_ payload: Span<UInt8>) -> UInt32 {
    if isFirst(payload) { return 0 }
    exchange()
    let isSecond = isFirst(payload)
    exchange()
    return isSecond ? 1 : 2
  }

  private mutating func isFirst(_ payload: Span<UInt8>) -> Bool {
    guard payload.count == count else { return false }
    var index = 0
    while index < payload.count {
      if self[index] != payload[index] { return false }
      index &+= 1
    }
    return true
  }
}

extension LogModel {
  /// Where a payload is, if it is not that of a record before: its length, or in blocks before the codeword.
  static var inBlocks: UInt32 { 31 }

  /// The payload of a record; after reading one, `record.inlineCount` bytes at the front of `payloads`, or as
  /// many in blocks. `false` if the input violates the format.
  @_lifetime(coder: copy coder)
  @inline(never)
  mutating func codePayload<C: LogBitCoder & ~Copyable & ~Escapable>(
    _ record: inout LogRecordFields, _ bytes: Span<UInt8>, _ coder: inout C
  ) -> Bool {
    let isShort = bytes.count <= LogPayloadMemory.longest
    let found = isShort && !bytes.isEmpty ? payloads.find(bytes) : 2
    if decision(Context.repeated, found < 2 ? 1 : 0, &coder) != 0 {
      if decision(Context.repeated &+ 1, found, &coder) != 0 { payloads.exchange() }
      record.payload = UInt8(truncatingIfNeeded: payloads.count)
      return record.payload > 0
    }
    let count = Self.plain(
      isShort ? UInt32(truncatingIfNeeded: bytes.count) : Self.inBlocks, bits: 5, &coder)
    record.payload = UInt8(truncatingIfNeeded: count)
    if count == 0 || count == Self.inBlocks { return true }
    guard count <= UInt32(LogPayloadMemory.longest) else { return false }
    payloads.begin(Int(count))
    var index = 0
    while index < Int(count) {
      let byte = C.reads ? 0 : UInt32(bytes[index])
      payloads[index] = UInt8(truncatingIfNeeded: Self.plain(byte, bits: 8, &coder))
      index &+= 1
    }
    return true
  }
}
