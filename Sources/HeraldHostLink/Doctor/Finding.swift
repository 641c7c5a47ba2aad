/// The subject of a check, and its result.
public struct Finding: Equatable, Sendable, Encodable {
  /// How bad it is.
  public enum Verdict: String, Sendable, Encodable {
    /// As it should be.
    case good
    /// Not as it should be, but nothing fails by it now.
    case note
    /// Something does not work, or will not.
    case problem
  }

  /// The subject: a constant word.
  public let subject: String
  /// How bad it is.
  public let verdict: Verdict
  /// What was found.
  public let what: String
  /// What to do about it; `nil` where there is nothing to do.
  public let advice: String?

  init(_ subject: String, _ verdict: Verdict, _ what: String, advice: String? = nil) {
    self.subject = subject
    self.verdict = verdict
    self.what = what
    self.advice = advice
  }
}

extension Finding {
  /// The USB library works.
  public static let usable = Finding("libusb", .good, "libusb works")

  /// The USB library does not work.
  public static func unusable(_ error: HostLinkError) -> Finding {
    Finding("libusb", .problem, error.what, advice: error.advice)
  }

  /// A device could not be opened.
  public static func unreachable(_ error: HostLinkError) -> Finding {
    Finding("device", .problem, error.what, advice: error.advice)
  }
}
