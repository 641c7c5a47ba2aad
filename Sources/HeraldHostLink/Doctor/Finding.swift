import HeraldSystem

/// The subject of a check, and its result.
public struct Finding: Equatable, Sendable, Encodable {
  /// The severity of a finding.
  public enum Verdict: String, Sendable, Encodable {
    /// No deviation.
    case good
    /// A deviation without effect on operation at present.
    case note
    /// A function does not work, or will fail.
    case problem
  }

  /// The subject: a constant word.
  public let subject: String
  /// The verdict.
  public let verdict: Verdict
  /// The result.
  public let what: String
  /// The recommended action; `nil` if there is none.
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

  /// Whether NTP keeps this computer's clock, which devices get their dates from.
  package static func clock(_ state: ClockSynchronisation) -> Finding {
    switch state {
    case .synchronised: Finding("clock", .good, "NTP keeps this computer's clock")
    case .unknown: Finding("clock", .good, "the kernel does not say whether NTP keeps this computer's clock")
    case .unsynchronised:
      Finding(
        "clock", .note,
        "NTP does not keep this computer's clock: a device keeps its date if this one differs",
        advice: "have systemd-timesyncd or chrony set it; \(ClockGuard.option) says that it is right")
    }
  }

  /// A device could not be opened.
  public static func unreachable(_ error: HostLinkError) -> Finding {
    Finding("device", .problem, error.what, advice: error.advice)
  }
}
