/// The line to the controller, as reading found it.
@usableFromInline
enum TransportLine: UInt8, BitwiseCopyable {
  /// It works.
  case up = 0
  /// It was found gone at this poll, and was not before.
  case lost = 1
  /// It was found gone at this poll again.
  case missing = 2
  /// It was gone at the last poll.
  case gone = 3
}
