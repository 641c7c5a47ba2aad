/// The state of the line to the controller, by the result of reading.
enum TransportLine: UInt8, BitwiseCopyable {
  /// The line works.
  case up = 0
  /// Found lost at this poll, for the first time.
  case lost = 1
  /// Found lost at this poll again.
  case missing = 2
  /// Lost at the last poll.
  case gone = 3
}
