/// The memory of a `ByteRing`. Its initial value is all zero bits, so that a global variable of this type is
/// in .bss and takes no flash.
public struct ByteRingStorage<let bytes: Int>: ~Copyable {
  private var appended: UInt32 = 0
  private var taken: UInt32 = 0
  private var contents: [bytes of UInt8] = .init(repeating: 0)

  public init() {}
}

/// A queue of bytes between an interrupt handler and the interrupted code: one side only appends, the other
/// only removes.
///
/// Shared are the bytes and two counters, of all bytes appended and removed. Only the appending side writes
/// `appended`, after the bytes; only the removing side writes `taken`, after it has read the bytes. Each word
/// is written by one instruction, and a processor with one core observes its own accesses in order. An
/// outdated counter of the other side shows less room or fewer bytes than there are, never more.
public struct ByteRing: BitwiseCopyable, @unchecked Sendable {
  private let appended: SharedWord
  private let taken: SharedWord
  private let bytes: SharedBytes
  /// The capacity in bytes: a power of two, or 0.
  public let capacity: Int

  /// Uses the queue in `storage`, which must have a fixed address and no other user; new storage is an empty
  /// queue. The capacity is the greatest power of two within the storage. Instances with the same storage are
  /// the same queue.
  public init<let bytes: Int>(_ storage: UnsafeMutablePointer<ByteRingStorage<bytes>>) {
    unsafe self.init(UnsafeMutableRawPointer(storage), bytes: bytes)
  }

  /// As above, for storage that is part of another.
  init(_ start: UnsafeMutableRawPointer, bytes: Int) {
    unsafe appended = SharedWord(start)
    unsafe taken = SharedWord(start + 4)
    unsafe self.bytes = SharedBytes(start + 8)
    var capacity = bytes > 0 ? 1 : 0
    while capacity > 0, capacity <= bytes &>> 1 { capacity = capacity &* 2 }
    self.capacity = capacity
  }

  /// The number of queued bytes, for either side.
  public var count: Int {
    Int(truncatingIfNeeded: appended.value &- taken.value)
  }
  /// Whether the queue is empty.
  public var isEmpty: Bool { count == 0 }
  /// The number of bytes for which there is room.
  public var room: Int { capacity &- count }

  /// Appends a byte. For the appending side. Returns `false` without effect if there is no room.
  public func append(_ byte: UInt8) -> Bool {
    guard room > 0 else { return false }
    let position = appended.value
    bytes[storageIndex(of: position)] = byte
    appended.value = position &+ 1
    return true
  }

  /// Appends all of `packet`, which becomes visible to the other side at once. For the appending side.
  /// Returns `false` without effect if there is not enough room.
  public func append(_ packet: Span<UInt8>) -> Bool {
    guard room >= packet.count else { return false }
    var position = appended.value
    for index in 0..<packet.count {
      bytes[storageIndex(of: position)] = packet[index]
      position &+= 1
    }
    if packet.count > 0 { appended.value = position }
    return true
  }

  /// Removes the oldest byte. For the removing side.
  public func take() -> UInt8? {
    guard !isEmpty else { return nil }
    let position = taken.value
    let byte = bytes[storageIndex(of: position)]
    taken.value = position &+ 1
    return byte
  }

  /// Moves the oldest bytes to the start of `buffer` and returns their number. For the removing side.
  public func take(into buffer: inout MutableSpan<UInt8>) -> Int {
    let count = min(self.count, buffer.count)
    guard count > 0 else { return 0 }
    let position = taken.value
    // One range, or two if it wraps.
    let start = storageIndex(of: position)
    let first = min(count, capacity &- start)
    buffer.withUnsafeMutableBufferPointer { target in
      guard let target = target.baseAddress else { return }
      unsafe bytes.copy(from: start, first, to: target)
      if first < count { unsafe bytes.copy(from: 0, count &- first, to: target + first) }
    }
    taken.value = position &+ UInt32(truncatingIfNeeded: count)
    return count
  }

  /// Positions for appending single bytes: `put` at each from `next` to before `end`, then `publish`. For the
  /// appending side, in a handler that must not read the counters for each byte.
  var appending: (next: UInt32, end: UInt32) {
    (appended.value, taken.value &+ UInt32(truncatingIfNeeded: capacity))
  }
  /// Stores a byte at a position returned by `appending`.
  @inline(always)
  func put(_ byte: UInt8, at position: UInt32) { bytes[storageIndex(of: position)] = byte }
  /// Makes all bytes before `position` visible to the other side.
  @inline(always)
  func publish(_ position: UInt32) { appended.value = position }

  @inline(always)
  private func storageIndex(of count: UInt32) -> Int {
    Int(truncatingIfNeeded: count & UInt32(truncatingIfNeeded: capacity &- 1))
  }
}
