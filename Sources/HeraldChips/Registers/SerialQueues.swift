/// The memory of `SerialQueues`: `incoming` and `outgoing` bytes, powers of two. `outgoing` must be at least
/// the length of the longest packet.
public struct SerialStorage<let incoming: Int, let outgoing: Int>: ~Copyable {
  private var isSending: UInt32 = 0
  private var overruns: UInt32 = 0
  private var framing: UInt32 = 0
  private var received = ByteRingStorage<incoming>()
  private var toSend = ByteRingStorage<outgoing>()

  /// Creates empty queues.
  public init() {}
}

/// The queues that the driver of a UART without DMA shares with its interrupt handler.
///
/// Only the handler appends to `received` and counts errors; only the loop appends to the bytes to be sent.
/// `isSending` determines which side removes those: the loop while it is 0, the handler while it is 1. Only
/// the loop sets it to 1, only the handler to 0.
public struct SerialQueues: BitwiseCopyable, @unchecked Sendable {
  /// The received bytes that have not been read.
  let received: ByteRing
  private let toSend: ByteRing
  private let isSending: SharedWord
  private let overruns: SharedWord
  private let framing: SharedWord

  /// Uses the queues in `storage`, which must have a fixed address and no other user. Instances with the same
  /// storage are the same queues.
  public init<let incoming: Int, let outgoing: Int>(
    _ storage: UnsafeMutablePointer<SerialStorage<incoming, outgoing>>
  ) {
    let start = UnsafeMutableRawPointer(storage)
    unsafe isSending = SharedWord(start)
    unsafe overruns = SharedWord(start + 4)
    unsafe framing = SharedWord(start + 8)
    received = unsafe ByteRing(start + 12, bytes: incoming)
    toSend = unsafe ByteRing(start + 12 + MemoryLayout<ByteRingStorage<incoming>>.stride, bytes: outgoing)
  }

  /// The number of received bytes that have not been read. To be called with interrupts disabled, before the
  /// processor sleeps.
  public var waiting: Int { received.count }
  /// The errors since start.
  public var faults: SerialFaults { SerialFaults(overruns: overruns.value, framing: framing.value) }

  /// Queues bytes to be sent, all of them or none, and returns the byte that the loop must write to the
  /// hardware if no transmission is in progress. For the loop. `nil`: there is no room at present, or the
  /// bytes exceed the capacity of the queue.
  func send(_ bytes: Span<UInt8>) -> Sending? {
    guard toSend.append(bytes) else { return nil }
    // While a byte is being sent, the handler checks the queue after this append and sends the next one.
    // Otherwise the handler accesses neither the queue nor the flag until a byte is sent: the transmission is
    // started here.
    guard isSending.value == 0, let byte = toSend.take() else { return .isUnderWay }
    isSending.value = 1
    return .begins(byte)
  }

  /// The action required of the caller of `send`.
  enum Sending: BitwiseCopyable {
    /// None: the handler continues.
    case isUnderWay
    /// Write this byte to the hardware.
    case begins(UInt8)
  }

  /// Whether a transmission is in progress, which the handler continues.
  var isUnderWay: Bool { isSending.value != 0 }

  /// The next byte for the hardware after one was sent; `nil` if that was the last. For the handler.
  func next() -> UInt8? {
    if let byte = toSend.take() { return byte }
    isSending.value = 0
    return nil
  }

  /// Counts an overrun. For the handler.
  func countOverrun() { overruns.value &+= 1 }
  /// Counts a framing error. For the handler.
  func countFraming() { framing.value &+= 1 }
}

/// The errors of a serial line, since start.
public struct SerialFaults: Equatable, BitwiseCopyable, Sendable {
  /// The number of overruns: losses of bytes that were received faster than they were read.
  public var overruns: UInt32 = 0
  /// The number of framing errors: a byte without stop bit, or a break condition.
  public var framing: UInt32 = 0

  /// Initialises each member.
  public init(overruns: UInt32 = 0, framing: UInt32 = 0) {
    (self.overruns, self.framing) = (overruns, framing)
  }
}
