/// The memory of a `ByteRing`: all zero bits, so that as a global variable it costs no flash.
public struct ByteRingStorage<let bytes: Int>: ~Copyable {
  private var appended: UInt32 = 0
  private var taken: UInt32 = 0
  private var contents: [bytes of UInt8] = .init(repeating: 0)

  public init() {}
}

/// A queue of bytes between an interrupt handler and the code it interrupts: one side only appends, the other
/// only removes.
///
/// Shared are two counters, of all bytes appended and removed, and the bytes. This is safe because the
/// appending side alone writes `appended`, after the bytes it stands for; the reading side alone writes
/// `taken`, after it has read them. Each word is written in one instruction, and a processor with one core
/// sees its own accesses in order. A side that sees an old counter of the other sees less room or fewer bytes
/// than there are, never more.
public struct ByteRing: BitwiseCopyable, @unchecked Sendable {
  private let appended: SharedWord
  private let taken: SharedWord
  private let bytes: SharedBytes
  /// How many bytes it holds at most: a power of two, or 0.
  public let capacity: Int

  /// The queue in `storage`, which has a fixed address and is used for nothing else: an empty one if the
  /// storage is new. It holds the greatest power of two of bytes that the storage has. A second instance for
  /// the same storage is the same queue.
  public init<let bytes: Int>(_ storage: UnsafeMutablePointer<ByteRingStorage<bytes>>) {
    unsafe self.init(UnsafeMutableRawPointer(storage), bytes: bytes)
  }

  /// The same, where the storage is part of another.
  init(_ start: UnsafeMutableRawPointer, bytes: Int) {
    unsafe appended = SharedWord(start)
    unsafe taken = SharedWord(start + 4)
    unsafe self.bytes = SharedBytes(start + 8)
    var capacity = bytes > 0 ? 1 : 0
    while capacity > 0, capacity <= bytes &>> 1 { capacity = capacity &* 2 }
    self.capacity = capacity
  }

  /// How many bytes are queued, as either side sees it.
  public var count: Int {
    Int(truncatingIfNeeded: appended.value &- taken.value)
  }
  /// Whether nothing is queued.
  public var isEmpty: Bool { count == 0 }
  /// How many more bytes fit.
  public var room: Int { capacity &- count }

  /// Appends a byte. For the appending side. Returns `false`, having done nothing, if there is no room.
  public func append(_ byte: UInt8) -> Bool {
    guard room > 0 else { return false }
    let place = appended.value
    bytes[self.place(place)] = byte
    appended.value = place &+ 1
    return true
  }

  /// Appends all of `packet`, visible to the other side at once. For the appending side. Returns `false`,
  /// having done nothing, if there is no room for all of it.
  public func append(_ packet: Span<UInt8>) -> Bool {
    guard room >= packet.count else { return false }
    var place = appended.value
    for index in 0..<packet.count {
      bytes[self.place(place)] = packet[index]
      place &+= 1
    }
    if packet.count > 0 { appended.value = place }
    return true
  }

  /// Removes the oldest byte. For the reading side.
  public func take() -> UInt8? {
    guard !isEmpty else { return nil }
    let place = taken.value
    let byte = bytes[self.place(place)]
    taken.value = place &+ 1
    return byte
  }

  /// Moves the oldest bytes to the front of `buffer` and returns how many. For the reading side.
  public func take(into buffer: inout MutableSpan<UInt8>) -> Int {
    let count = min(self.count, buffer.count)
    guard count > 0 else { return 0 }
    let place = taken.value
    // In one piece, or in two around the end.
    let start = self.place(place)
    let first = min(count, capacity &- start)
    buffer.withUnsafeMutableBufferPointer { target in
      guard let target = target.baseAddress else { return }
      unsafe bytes.copy(from: start, first, to: target)
      if first < count { unsafe bytes.copy(from: 0, count &- first, to: target + first) }
    }
    taken.value = place &+ UInt32(truncatingIfNeeded: count)
    return count
  }

  /// Appends one byte after another: `put` from `next` on as long as that is not `end`, then `publish`. For
  /// the appending side, in a handler that has no time to read the counters for each byte.
  var appending: (next: UInt32, end: UInt32) {
    (appended.value, taken.value &+ UInt32(truncatingIfNeeded: capacity))
  }
  /// The byte at one of the places that `appending` gave.
  @inline(always)
  func put(_ byte: UInt8, at place: UInt32) { bytes[self.place(place)] = byte }
  /// The other side sees all bytes before `place`.
  @inline(always)
  func publish(_ place: UInt32) { appended.value = place }

  @inline(always)
  private func place(_ count: UInt32) -> Int {
    Int(truncatingIfNeeded: count & UInt32(truncatingIfNeeded: capacity &- 1))
  }
}
