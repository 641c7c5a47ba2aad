/// Whether a debugger that is connected to the chip can read its memory.
public enum DebugPort: UInt8, BitwiseCopyable, Sendable {
  /// The chip does not say it, or there is no chip.
  case notKnown = 0
  /// It can.
  case open = 1
  /// It cannot.
  case closed = 2
}
