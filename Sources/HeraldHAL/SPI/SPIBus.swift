/// A serial bus with one chip on it, as a memory chip needs it: mode 0 (clock low at rest, data taken with
/// its rising edge), the most significant bit first.
///
/// Each call selects the chip, moves all bytes without a gap that the chip could notice, and deselects it. It
/// is finished when it returns.
public protocol SPIBus: ~Copyable {
  /// Sends `head` and then `body`, which may be empty.
  mutating func send(_ head: Span<UInt8>, _ body: Span<UInt8>) throws(SPIError)
  /// Sends `head` and then takes as many bytes as `buffer` has.
  mutating func send(_ head: Span<UInt8>, receiving buffer: inout MutableSpan<UInt8>) throws(SPIError)
  /// Waits for at least so many microseconds, during which the chip is not selected. At most 100.
  mutating func pause(microseconds: Int) throws(SPIError)
}

/// Why a bus transfer failed.
public enum SPIError: Error, BitwiseCopyable, Sendable {
  /// The controller of the bus did not finish, or is not started.
  case noAnswer
}
