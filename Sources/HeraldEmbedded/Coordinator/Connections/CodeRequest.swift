/// The step of the search for codes of additional services on a connection, and which of the searches it
/// belongs to (`AdditionalServices.search`).
struct CodeRequest: Equatable, BitwiseCopyable, Sendable {
  /// What is requested.
  enum Step: UInt8, BitwiseCopyable, Sendable {
    /// The service.
    case service = 1
    /// The characteristics of the service.
    case characteristics = 2
    /// The value of one.
    case value = 3
  }

  /// The step in bits 0 and 1, above it the position of the search.
  private var rawValue: UInt8

  private init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The first request of the search at a position.
  init(searchAt position: Int) {
    rawValue = UInt8(truncatingIfNeeded: position) &<< 2 | Step.service.rawValue
  }

  /// The search has not begun.
  static var none: CodeRequest { CodeRequest(rawValue: 0) }
  /// The search has ended.
  static var answered: CodeRequest { CodeRequest(rawValue: 0xFC) }

  /// The last position of a search.
  static var lastPosition: Int { 61 }
  /// The position of the search.
  var position: Int { Int(rawValue &>> 2) }
  /// The step; `nil` before the first and after the last.
  var step: Step? { Step(rawValue: rawValue & 3) }
  /// Another step of the same search.
  func with(_ step: Step) -> CodeRequest { CodeRequest(rawValue: rawValue & 0xFC | step.rawValue) }
}

/// The state of the search for codes.
enum CodeOutcome: UInt8, BitwiseCopyable, Sendable {
  /// A request is to be sent, or another part of a response is outstanding.
  case goingOn
  /// The search has ended.
  case ended
  /// The peer returned an error.
  case refused
  /// The peer did not respond in time.
  case timedOut
  /// The peer violated the protocol.
  case malformed
}
