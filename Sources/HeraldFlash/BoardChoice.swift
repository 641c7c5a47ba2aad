/// Which of the boards that were found is meant.
public enum BoardChoice {
  /// The only one that can be the board `wanted`, or the only one at all if that is `nil`. What cannot be used now counts: it could be the one that is meant.
  /// - Throws: `.noDevice`, or `.severalDevices` with all of them in the text.
  public static func only(of found: [FoundBoard], wanted: BoardDescription?) throws(FlashFailure)
    -> FoundBoard
  {
    let candidates = found.filter { board in
      guard let wanted, let sighting = board.sighting else { return true }
      return sighting.boards.contains(wanted)
    }
    let what = wanted.map { "board that is a \($0.title)" } ?? "board"
    guard let first = candidates.first else {
      let others = found.isEmpty ? "" : "; there is \(list(found))"
      throw FlashFailure(
        .link(.noDevice), "there is no \(what)\(others)", state: .untouched,
        advice: "plug it in, or name it with --to (`herald-flash list` says what is there)")
    }
    guard candidates.count == 1 else {
      throw FlashFailure(
        .link(.severalDevices), "there are \(candidates.count) boards: \(list(candidates))",
        state: .untouched, advice: "choose one with --to")
    }
    if let obstacle = first.obstacle { throw obstacle }
    return first
  }

  private static func list(_ found: [FoundBoard]) -> String {
    found.map { board in
      let names = board.sighting?.boards.map(\.name) ?? []
      return names.isEmpty ? board.location : "\(board.location) (\(names.joined(separator: " or ")))"
    }.joined(separator: ", ")
  }
}
