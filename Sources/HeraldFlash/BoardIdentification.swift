import HeraldImages

/// The identification of a connected board.
package struct BoardIdentification: Equatable, Sendable {
  /// The boards that match; empty if the board is not supported, several if the programming method cannot
  /// distinguish them.
  package let boards: [BoardDescription]
  /// Details reported by the board, as pairs of name and value that are safe to show: chip, serial number,
  /// boot loader.
  package let details: [(name: String, value: String)]
  /// Whether its memory is locked against debugging.
  package let isLocked: Bool
  /// The version of the firmware that runs there; `nil` if none runs, or the programming method does not
  /// report it.
  package let version: MCUbootImage.Version?

  /// An identification from its parts.
  package init(
    boards: [BoardDescription], details: [(name: String, value: String)], isLocked: Bool = false,
    version: MCUbootImage.Version? = nil
  ) {
    self.boards = boards
    self.details = details
    self.isLocked = isLocked
    self.version = version
  }

  /// Whether all of them are the same.
  package static func == (left: BoardIdentification, right: BoardIdentification) -> Bool {
    left.boards == right.boards && left.isLocked == right.isLocked && left.version == right.version
      && left.details.elementsEqual(right.details) { $0 == $1 }
  }
}
