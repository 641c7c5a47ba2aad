import HeraldHostLink
import HeraldText

/// Why flashing failed, what state the board is in now, and the command that continues from there.
public struct FlashFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// What the board holds after a failure.
  public enum BoardState: String, Sendable {
    /// Nothing was written: what was there is there.
    case untouched
    /// Some of the new firmware is there: it does not start until it is written again.
    case partlyWritten = "partly-written"
    /// All was written, and it was not seen to be right.
    case unverified
    /// All was written and compared, and it was not started.
    case written
    /// Erased, in whole or in part: nothing starts.
    case erased
    /// The previous firmware still runs; the incomplete new one is stored beside it, and is not started by
    /// itself.
    case beside
    /// Nobody can say.
    case unknown
  }

  /// Why; an exit status follows from it.
  public enum Cause: Equatable, Sendable {
    /// The board was not found, could not be opened, or communication failed.
    case link(HostLinkError.Cause)
    /// The image is none, or cannot be read.
    case image
    /// The image is for another board, or does not fit this one.
    case doesNotFit
    /// The chip is locked.
    case locked
    /// The board holds something else than the image.
    case different
    /// This programming method has no such command.
    case cannot
  }

  /// The class of the error, from which the exit status follows.
  public let cause: Cause
  /// What happened, to what.
  public let what: String
  /// What the board holds now.
  public let state: BoardState
  /// What to do next: a command, where there is one.
  public let advice: String?

  /// A failure from its parts.
  public init(_ cause: Cause, _ what: String, state: BoardState, advice: String? = nil) {
    self.cause = cause
    self.what = what
    self.state = state
    self.advice = advice
  }

  /// A failure of the link, with what the board holds now.
  public init(_ error: HostLinkError, state: BoardState) {
    self.init(.link(error.cause), error.what, state: state, advice: error.advice)
  }

  /// That there is no board of this name, and which one may be meant.
  public static func unknownBoard(_ name: String) -> FlashFailure {
    let nearest = NearestWord.of(name, in: BoardCatalogue.all.map(\.name))
    return FlashFailure(
      .link(.usage), "there is no board \(PrintableText.of(name))", state: .untouched,
      advice: nearest.map { "did you mean \($0)?" } ?? "`herald-flash boards` lists those that are known")
  }

  /// The same failure with another state of the board.
  func with(_ state: BoardState) -> FlashFailure { FlashFailure(cause, what, state: state, advice: advice) }

  /// What happened and what to do, on one line.
  public var description: String { advice.map { "\(what): \($0)" } ?? what }
}
