/// The progress of a long operation.
public struct FlashProgress: Equatable, Sendable {
  /// What is being done.
  public enum Step: String, Sendable {
    case erasing, writing, verifying, waiting
  }

  /// What is being done.
  public let step: Step
  /// Bytes done in this step.
  public let done: Int
  /// Bytes in all of this step; 0 if not known.
  public let total: Int

  /// Progress from its parts.
  public init(_ step: Step, done: Int, total: Int) {
    self.step = step
    self.done = done
    self.total = total
  }
}

/// What to erase.
public enum EraseScope: Equatable, Sendable {
  /// The firmware; log and settings stay.
  case firmware
  /// The whole chip, including its read protection.
  case chip
}
