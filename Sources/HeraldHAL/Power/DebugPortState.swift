/// Whether a debugger that is connected to the chip can read its memory.
public enum DebugPortState: UInt8, BitwiseCopyable, Sendable {
  /// The chip does not say it, or there is no chip.
  case notKnown = 0
  /// A debugger can read the memory.
  case open = 1
  /// A debugger cannot read the memory.
  case closed = 2
}
