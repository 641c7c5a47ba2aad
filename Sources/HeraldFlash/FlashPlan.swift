import HeraldImages

/// The writing of an image to a board, checked for compatibility.
package struct FlashPlan: Equatable, Sendable {
  /// The image.
  package let image: FirmwareImage
  /// The board it was checked against.
  package let board: BoardDescription
  /// Whether the log and the settings are erased as well. By default they are kept.
  package let erasesAll: Bool

  /// A plan, if the image fits the board.
  /// - Throws: `.doesNotFit`, with the reason; nothing was written.
  package init(image: FirmwareImage, board: BoardDescription, erasesAll: Bool = false) throws(FlashFailure) {
    if let obstacle = board.obstacle(to: image) {
      throw FlashFailure(
        .doesNotFit, "the image \(obstacle)", state: .untouched,
        advice: "`herald-flash info FILE` says which boards an image fits")
    }
    self.image = image
    self.board = board
    self.erasesAll = erasesAll
  }

  /// The pages of flash that it writes to, by their first addresses, in order; each is erased before. None is
  /// outside the board's `firmware`, which begins and ends with a page where log or settings are beside it.
  /// Words for the chip's configuration are in no page.
  package var pages: [UInt32] {
    let size = UInt64(board.pageSize)
    var pages: [UInt32] = []
    for segment in image.segments where board.firmware.contains(segment.address, segment.end) {
      var page = UInt64(segment.address) / size * size
      while page < segment.end {
        let start = UInt32(truncatingIfNeeded: page)
        if pages.last != start { pages.append(start) }
        page += size
      }
    }
    return pages
  }
}
