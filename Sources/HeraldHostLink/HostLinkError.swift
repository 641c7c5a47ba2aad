import Foundation
import HeraldText

/// An error between this computer and a device, with a text for the user and a cause for programs.
///
/// The text states what happened, to which object, and, if possible, the recommended action. Text from a
/// device is sanitised by `PrintableText`.
public struct HostLinkError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The class of the error, which determines the exit status of the command line.
  public enum Cause: String, Sendable, CaseIterable {
    /// No device, or none that matches.
    case noDevice = "no-device"
    /// More than one device matches, and none was selected.
    case severalDevices = "several-devices"
    /// The user has no permission to open the device.
    case permission = "permission"
    /// Another program uses the device.
    case busy = "busy"
    /// The link to the device could not be opened, or was interrupted.
    case link = "link"
    /// The device did not respond in time.
    case noAnswer = "no-answer"
    /// The device sent invalid data.
    case protocolViolation = "protocol"
    /// The device refused the request.
    case refused = "refused"
    /// The device did not prove possession of the access key stored on this computer.
    case notProved = "not-proved"
    /// The operation was completed in part, which is kept.
    case partial = "partial"
    /// A file or folder on this computer could not be read or written.
    case storage = "storage"
    /// Nothing is recorded of what was asked for: it says neither that somebody was there nor that nobody
    /// was.
    case unrecorded = "unrecorded"
    /// The request is invalid.
    case usage = "usage"
    /// The user did not confirm.
    case notConfirmed = "not-confirmed"
  }

  /// The cause.
  public let cause: Cause
  /// What happened, and to which object.
  public let what: String
  /// The recommended action; `nil` if there is none.
  public let advice: String?

  /// Initialises each member.
  public init(_ cause: Cause, _ what: String, advice: String? = nil) {
    self.cause = cause
    self.what = what
    self.advice = advice
  }

  /// The error and the advice, on one line.
  public var description: String { advice.map { "\(what): \($0)" } ?? what }
}

extension HostLinkError {
  /// The advice after a full disk or quota.
  package static let spaceAdvice = "free space on its disk, then run the same command again"

  /// Whether an `errno` value says that a disk or quota is full.
  package static func isFull(_ code: Int32) -> Bool { code == ENOSPC || code == EDQUOT }

  /// The error of a failed system call, from the thread's `errno` value `code`. After a full disk the advice
  /// is `spaceAdvice`.
  static func system(_ cause: Cause, _ what: String, code: Int32, advice: String? = nil) -> HostLinkError {
    HostLinkError(
      cause, "\(what) (\(SystemCall.text(of: code)))", advice: isFull(code) ? spaceAdvice : advice)
  }
}

extension HostLinkError.Cause {
  /// The exit status of a program that ends with this error. These numbers are documented and stable.
  public var exitStatus: Int32 {
    switch self {
    case .noDevice: 2
    case .severalDevices: 3
    case .permission: 4
    case .busy: 5
    case .link: 6
    case .noAnswer: 7
    case .protocolViolation: 8
    case .refused: 9
    case .partial: 10
    case .storage: 11
    case .unrecorded: 12
    case .notConfirmed: 16
    case .notProved: 18
    case .usage: 64
    }
  }
}
