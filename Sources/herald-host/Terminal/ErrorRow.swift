import HeraldHostLink

/// What went wrong, for programs.
struct ErrorRow: Encodable, Sendable {
  /// `HostLinkError.Cause` as a word that does not change.
  let cause: String
  let what: String
  let advice: String?
  /// What a program that fails by it alone exits with.
  let exitStatus: Int32

  init(_ error: HostLinkError) {
    cause = error.cause.rawValue
    what = error.what
    advice = error.advice
    exitStatus = error.cause.exitStatus
  }
}
