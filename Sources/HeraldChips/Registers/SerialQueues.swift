/// The memory of `SerialQueues`: `incoming` and `outgoing` bytes, powers of two. The longest packet has to
/// fit into the latter.
public struct SerialStorage<let incoming: Int, let outgoing: Int>: ~Copyable {
  private var isSending: UInt32 = 0
  private var overruns: UInt32 = 0
  private var framing: UInt32 = 0
  private var received = ByteRingStorage<incoming>()
  private var toSend = ByteRingStorage<outgoing>()

  /// Empty queues.
  public init() {}
}

/// The queues that a UART without direct memory access, or its driver, shares with its interrupt handler.
///
/// The handler alone appends to `received` and counts errors; the loop alone appends to the bytes to be sent.
/// The consumer is named by `isSending`: the loop while it is 0, the handler while it is 1. The loop alone
/// sets it to 1, the handler alone to 0.
public struct SerialQueues: BitwiseCopyable, @unchecked Sendable {
  /// Received bytes that were not read.
  let received: ByteRing
  private let toSend: ByteRing
  private let isSending: SharedWord
  private let overruns: SharedWord
  private let framing: SharedWord

  /// The queues in `storage`, which has a fixed address and is used for nothing else. A second instance for
  /// the same storage is the same queues.
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

  /// The number of received bytes that were not read. To be called with interrupts disabled, before the
  /// processor sleeps.
  public var waiting: Int { received.count }
  /// The errors since start.
  public var faults: SerialFaults { SerialFaults(overruns: overruns.value, framing: framing.value) }

  /// Queues bytes to be sent, all of them or none, and returns the byte that the loop has to write to the
  /// hardware, if no transmission is in progress. For the loop. `nil`: there is no room, now or, if there are
  /// more bytes than the queue holds, ever.
  func send(_ bytes: Span<UInt8>) -> Sending? {
    guard toSend.append(bytes) else { return nil }
    // While a byte is being sent the handler sends the next one after it, and checks for it after this
    // append. If none is, the handler does not touch the queue or the flag until one was sent: sending begins
    // here.
    guard isSending.value == 0, let byte = toSend.take() else { return .isUnderWay }
    isSending.value = 1
    return .begins(byte)
  }

  /// What the caller of `send` has to do.
  enum Sending: BitwiseCopyable {
    /// No action: the handler continues.
    case isUnderWay
    /// This byte is to be written to the hardware.
    case begins(UInt8)
  }

  /// Whether bytes are being sent with which the handler continues.
  var isUnderWay: Bool { isSending.value != 0 }

  /// The next byte for the hardware, now that one was sent; `nil` if that was the last. For the handler.
  func next() -> UInt8? {
    if let byte = toSend.take() { return byte }
    isSending.value = 0
    return nil
  }

  /// Counts a loss. For the handler.
  func countOverrun() { overruns.value &+= 1 }
  /// Counts a framing error. For the handler.
  func countFraming() { framing.value &+= 1 }
}

/// The errors of a serial line, since start.
public struct SerialFaults: Equatable, BitwiseCopyable, Sendable {
  /// Times that bytes were lost because they were received faster than they were read.
  public var overruns: UInt32 = 0
  /// Times that a byte had no stop bit, or the line was held low.
  public var framing: UInt32 = 0

  /// Initialises each member.
  public init(overruns: UInt32 = 0, framing: UInt32 = 0) {
    (self.overruns, self.framing) = (overruns, framing)
  }
}
