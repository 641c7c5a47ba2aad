import Glibc

/// A call to the operating system failed: what was tried, on what, why it did not work, and what can be done.
public struct SystemFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was tried, as it follows "cannot": `open`, `connect to`, ….
  public let action: String
  /// What it was tried on: a path, an address.
  public let subject: String
  /// The system's error number; 0 if the failure is not one of the system's own.
  public let code: Int32
  /// Why, in words.
  public let reason: String
  /// What the person can do about it; empty if nothing general can be said.
  public let advice: String

  /// A failure of the system, with its own words for the reason.
  public init(_ action: String, _ subject: String, code: Int32, advice: String = "") {
    self.init(action, subject, reason: String(cString: strerror(code)), code: code, advice: advice)
  }

  /// A failure with a reason of our own.
  public init(_ action: String, _ subject: String, reason: String, code: Int32 = 0, advice: String = "") {
    self.action = action
    self.subject = subject
    self.code = code
    self.reason = reason
    self.advice = advice
  }

  /// One line: "cannot open /dev/ttyACM0: Permission denied; …".
  public var description: String {
    "cannot \(action) \(subject): \(reason)" + (advice.isEmpty ? "" : "; \(advice)")
  }
}
