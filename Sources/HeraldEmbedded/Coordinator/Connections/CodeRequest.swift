/// Which code of another system is searched for on a connection.
enum CodeRequest: UInt8, BitwiseCopyable, Sendable {
  /// None yet.
  case none = 0
  /// Finds CovidWatch's service.
  case numberService = 1
  /// Finds the characteristic of the number in it.
  case numberCharacteristic = 2
  /// Reads the number.
  case number = 3
  /// Finds C19X's service.
  case codeService = 4
  /// Finds the UUID of its characteristic, which is the code.
  case codeCharacteristic = 5
  /// The search has ended.
  case answered = 6
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
