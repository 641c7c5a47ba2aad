/// What a programmer sees at the other end.
public struct BoardIdentification: Equatable, Sendable {
  /// The boards that this may be; empty if it is none that herald-flash knows. Several where a programming
  /// method cannot tell them apart.
  public let boards: [BoardDescription]
  /// What it said of itself, as lines of a name and a value that are safe to show: chip, serial number, boot
  /// loader.
  public let details: [(name: String, value: String)]
  /// Whether its memory is locked against debugging.
  public let isLocked: Bool

  /// A identification from its parts.
  public init(boards: [BoardDescription], details: [(name: String, value: String)], isLocked: Bool = false) {
    self.boards = boards
    self.details = details
    self.isLocked = isLocked
  }

  /// Whether all three are the same.
  public static func == (left: BoardIdentification, right: BoardIdentification) -> Bool {
    left.boards == right.boards && left.isLocked == right.isLocked
      && left.details.elementsEqual(right.details) { $0 == $1 }
  }
}
