import HeraldHostLink

/// An error, for JSON output.
struct ErrorRow: Encodable, Sendable {
  /// `HostLinkError.Cause` as a stable word.
  let cause: String
  let what: String
  let advice: String?
  /// The exit status of a program that fails with this error only.
  let exitStatus: Int32

  init(_ error: HostLinkError) {
    cause = error.cause.rawValue
    what = error.what
    advice = error.advice
    exitStatus = error.cause.exitStatus
  }
}
