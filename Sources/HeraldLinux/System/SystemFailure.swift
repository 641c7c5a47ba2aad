import Glibc

/// The failure of an operating system call: the action, its object, the reason, and advice.
package struct SystemFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The action, as it follows "cannot": `open`, `connect to`, ….
  package let action: String
  /// The object of the action: a path or an address.
  package let subject: String
  /// The system's error number; 0 if the system did not report the error.
  package let code: Int32
  /// The reason for the user.
  package let reason: String
  /// Advice for the user; empty if there is none.
  package let advice: String

  /// Creates a failure with the system's text for the error number.
  package init(_ action: String, _ subject: String, code: Int32, advice: String = "") {
    self.init(action, subject, reason: String(cString: strerror(code)), code: code, advice: advice)
  }

  /// Creates a failure with the given reason.
  package init(_ action: String, _ subject: String, reason: String, code: Int32 = 0, advice: String = "") {
    self.action = action
    self.subject = subject
    self.code = code
    self.reason = reason
    self.advice = advice
  }

  /// The message, one line: "cannot open /dev/ttyACM0: Permission denied; …".
  package var description: String {
    "cannot \(action) \(subject): \(reason)" + (advice.isEmpty ? "" : "; \(advice)")
  }
}
