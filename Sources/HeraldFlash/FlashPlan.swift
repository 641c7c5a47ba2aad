/// What is to be written where: an image that was found to fit a board.
public struct FlashPlan: Equatable, Sendable {
  /// The image.
  public let image: FirmwareImage
  /// The board it was checked against.
  public let board: BoardDescription
  /// Whether the log and the settings go as well. They stay unless the person asked for it.
  public let erasesAll: Bool
}

/// What to erase.
public enum EraseScope: Equatable, Sendable {
  /// The firmware; log and settings stay.
  case firmware
  /// The whole chip, what protects it from reading included.
  case chip
}

/// How far something is that takes long.
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
}

/// What a programmer sees at the other end.
public struct Sighting: Equatable, Sendable {
  /// The boards that this may be; empty if it is none that herald-flash knows. Several where a way in cannot tell them apart.
  public let boards: [BoardDescription]
  /// What it said of itself, as lines of a name and a value that are safe to show: chip, serial number, boot loader.
  public let details: [(name: String, value: String)]
  /// Whether its memory is locked against debugging.
  public let isLocked: Bool

  /// A sighting from its parts.
  public init(boards: [BoardDescription], details: [(name: String, value: String)], isLocked: Bool = false) {
    self.boards = boards
    self.details = details
    self.isLocked = isLocked
  }

  public static func == (left: Sighting, right: Sighting) -> Bool {
    left.boards == right.boards && left.isLocked == right.isLocked
      && left.details.elementsEqual(right.details) { $0 == $1 }
  }
}
