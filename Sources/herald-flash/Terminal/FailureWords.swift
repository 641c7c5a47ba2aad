import Foundation
import HeraldConsole
import HeraldFlash
import HeraldText

extension Console {
  /// Prints the failure, the state of the board if `saysState`, and advice to standard error. Names of files,
  /// places and devices in them have no effect on a terminal.
  static func complain(_ failure: FlashFailure, saysState: Bool) {
    note("herald-flash: \(PrintableText.of(failure.what, limit: .max))")
    if saysState { note("  \(failure.state.words)") }
    if let advice = failure.advice { note("  → \(PrintableText.of(advice, limit: .max))") }
  }

  /// Asks for confirmation on the terminal. Returns `false` for any answer but yes, or without a terminal.
  static func confirm(_ prompt: String) -> Bool {
    guard isatty(STDIN_FILENO) == 1 else { return false }
    Console.ask("\(prompt) [y/N]")
    let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased()
    return answer == "y" || answer == "yes"
  }
}

/// A failure, for JSON output.
struct FailureRow: Encodable {
  let result = "failed"
  let cause: String
  let what: String
  let boardState: String
  let advice: String?

  init(_ failure: FlashFailure) {
    cause = failure.cause.word
    what = failure.what
    boardState = failure.state.rawValue
    advice = failure.advice
  }
}

extension FlashFailure.BoardState {
  /// The state of the board's contents, as text.
  var words: String {
    switch self {
    case .untouched: "nothing was written: the board's contents are unchanged"
    case .partlyWritten:
      "part of the new firmware is written: the board does not start it until all of it is"
    case .unverified: "all of it was written, and it was not seen to be right"
    case .written: "all of it was written and compared; it was not started"
    case .erased: "the firmware is erased: nothing starts until some is written"
    case .beside: "the firmware that was there runs on; what has arrived of the new one lies beside it"
    case .unknown: "what the board holds now is not known"
    }
  }
}

extension FlashFailure.Cause {
  /// The state of the board's contents, as a word in JSON output.
  var word: String {
    switch self {
    case .link(let cause): cause.rawValue
    case .image: "image"
    case .doesNotFit: "does-not-fit"
    case .signature: "signature"
    case .older: "older"
    case .locked: "locked"
    case .different: "different"
    case .cannot: "cannot"
    }
  }
}
