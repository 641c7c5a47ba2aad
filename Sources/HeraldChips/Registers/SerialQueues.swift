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
/// The handler alone appends to `received` and counts what goes wrong; the loop alone appends to what is to
/// be sent. The consumer is named by `isSending`: the loop while it is 0, the handler while it is 1. The loop
/// alone sets it to 1, the handler alone to 0.
public struct SerialQueues: BitwiseCopyable, @unchecked Sendable {
  /// What has come and was not taken.
  let received: ByteRing
  private let toSend: ByteRing
  private let isSending: SharedWord
  private let overruns: SharedWord
  private let framing: SharedWord

  /// The queues in `storage`, which stays where it is and is used for nothing else. Whoever makes them again,
  /// for the same storage, has the same queues.
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

  /// How many bytes have come that were not taken. To be asked with interrupts held, before the processor
  /// sleeps.
  public var waiting: Int { received.count }
  /// What has gone wrong since start.
  public var faults: SerialFaults { SerialFaults(overruns: overruns.value, framing: framing.value) }

  /// Queues bytes to be sent, all of them or none, and gives the one that the loop is to hand to the
  /// hardware, if nothing is on its way. The loop's. `nil`: there is no room, now or, if there are more bytes
  /// than the queue holds, ever.
  func send(_ bytes: Span<UInt8>) -> Sending? {
    guard toSend.append(bytes) else { return nil }
    // While a byte is on its way the handler takes the next one when that has left, and looks for it after
    // this append. If none is, the handler does not touch the queue or the flag until one has left: sending
    // begins here.
    guard isSending.value == 0, let byte = toSend.take() else { return .isUnderWay }
    isSending.value = 1
    return .begins(byte)
  }

  /// What `send` leaves to be done.
  enum Sending: BitwiseCopyable {
    /// Nothing: the handler continues.
    case isUnderWay
    /// This byte is to be handed to the hardware.
    case begins(UInt8)
  }

  /// Whether bytes are on their way that the handler continues with.
  var isUnderWay: Bool { isSending.value != 0 }

  /// The next byte to hand to the hardware, now that one has left; `nil` if that was the last. The handler's.
  func next() -> UInt8? {
    if let byte = toSend.take() { return byte }
    isSending.value = 0
    return nil
  }

  /// Counts a loss. The handler's.
  func countOverrun() { overruns.value &+= 1 }
  /// Counts a byte that was none. The handler's.
  func countFraming() { framing.value &+= 1 }
}

/// What has gone wrong on a serial line, since start.
public struct SerialFaults: Equatable, BitwiseCopyable, Sendable {
  /// Times that bytes were lost because they came faster than they were taken.
  public var overruns: UInt32 = 0
  /// Times that a byte had no stop bit, or the line was held low.
  public var framing: UInt32 = 0

  /// So many of each.
  public init(overruns: UInt32 = 0, framing: UInt32 = 0) {
    (self.overruns, self.framing) = (overruns, framing)
  }
}
