import HeraldHostLink
import HeraldText

/// Why flashing failed, what state the board is in now, and the command that continues from there.
package struct FlashFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The contents of the board after a failure.
  package enum BoardState: String, Sendable {
    /// Nothing was written; the previous contents are unchanged.
    case untouched
    /// Part of the new firmware was written: it does not start until it is written again.
    case partlyWritten = "partly-written"
    /// All was written, but not verified.
    case unverified
    /// All was written and verified, but not started.
    case written
    /// Erased, in whole or in part: nothing starts.
    case erased
    /// The previous firmware still runs; the incomplete new one is stored beside it, and is not started by
    /// itself.
    case beside
    /// The contents are unknown.
    case unknown
  }

  /// The class of the error, which determines the exit status.
  package enum Cause: Equatable, Sendable {
    /// The board was not found, could not be opened, or communication failed.
    case link(HostLinkError.Cause)
    /// The image is invalid, or cannot be read.
    case image
    /// The image is for another board, or does not fit this one.
    case doesNotFit
    /// The image is not signed, or not with a key that is trusted.
    case signature
    /// The image is older than what runs on the board.
    case older
    /// The chip is locked.
    case locked
    /// The contents of the board differ from the image.
    case different
    /// This programming method has no such command.
    case cannot
  }

  /// The class of the error, from which the exit status follows.
  package let cause: Cause
  /// What happened, and to which object.
  package let what: String
  /// The present contents of the board.
  package let state: BoardState
  /// The recommended action: a command, if there is one.
  package let advice: String?

  /// A failure from its parts.
  package init(_ cause: Cause, _ what: String, state: BoardState, advice: String? = nil) {
    self.cause = cause
    self.what = what
    self.state = state
    self.advice = advice
  }

  /// A failure of the link, with the state of the board.
  package init(_ error: HostLinkError, state: BoardState) {
    self.init(.link(error.cause), error.what, state: state, advice: error.advice)
  }

  /// The failure for an unknown board name, with similar names.
  package static func unknownBoard(_ name: String) -> FlashFailure {
    let nearest = NearestWord.of(name, in: BoardCatalogue.all.map(\.name))
    return FlashFailure(
      .link(.usage), "there is no board \(PrintableText.of(name))", state: .untouched,
      advice: nearest.map { "did you mean \($0)?" } ?? "`herald-flash boards` lists those that are known")
  }

  /// Whether the same command can succeed if nothing else is changed: the link broke or brought other bytes
  /// than were sent, or there was no response. What was refused, does not fit or differs fails again.
  var isTransient: Bool {
    switch cause {
    case .link(let cause):
      [.link, .noAnswer, .noDevice, .protocolViolation, .partial, .busy].contains(cause)
    case .image, .doesNotFit, .signature, .older, .locked, .different, .cannot: false
    }
  }

  /// The failure of a command, with the command that continues: it alone if it can succeed as it is, after
  /// the failure's own advice if a boot loader waits for an image (`isWaiting`), and none otherwise.
  package func continued(by command: String, isWaiting: Bool = false) -> FlashFailure {
    let next: String? =
      if isTransient {
        isWaiting ? command : advice ?? command
      } else if isWaiting {
        advice.map { "\($0); the boot loader waits for an image: `\(command)`" }
          ?? "the boot loader waits for another image: `\(command)` with its name"
      } else {
        advice
      }
    return FlashFailure(cause, what, state: state, advice: next)
  }

  /// The same failure with another state of the board.
  func with(_ state: BoardState) -> FlashFailure { FlashFailure(cause, what, state: state, advice: advice) }

  /// What happened and what to do, on one line.
  package var description: String { advice.map { "\(what): \($0)" } ?? what }
}
