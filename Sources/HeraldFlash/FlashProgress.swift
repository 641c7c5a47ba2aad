/// The progress of a long operation.
package struct FlashProgress: Equatable, Sendable {
  /// What is being done.
  package enum Step: String, Sendable {
    case erasing, writing, verifying, waiting
  }

  /// What is being done.
  package let step: Step
  /// Bytes done in this step.
  package let done: Int
  /// Bytes in all of this step; 0 if not known.
  package let total: Int

  /// Progress from its parts.
  package init(_ step: Step, done: Int, total: Int) {
    self.step = step
    self.done = done
    self.total = total
  }
}

/// What to erase.
package enum EraseScope: Equatable, Sendable {
  /// The firmware; log and settings stay.
  case firmware
  /// The whole chip, including its read protection.
  case chip
}
