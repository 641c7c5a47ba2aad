/// Selects one of the boards that were found.
package enum BoardChoice {
  /// The only one that can be the board `wanted`, or the only one found if that is `nil`. Unusable boards
  /// count, as they could be the intended one.
  /// - Throws: `.noDevice`, or `.severalDevices` with all of them in the text.
  package static func only(of found: [FoundBoard], wanted: BoardDescription?) throws(FlashFailure)
    -> FoundBoard
  {
    let candidates = distinct(found).filter { board in
      guard let wanted, let identification = board.identification else { return true }
      return identification.boards.contains(wanted)
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

  /// Removes duplicates found by another programming method: a micro:bit is both a probe and a drive. Boards
  /// are considered the same if they can be the same board, and a better method has found as many of them. A
  /// board that cannot be examined by that method could be any.
  static func distinct(_ found: [FoundBoard]) -> [FoundBoard] {
    found.filter { board in
      guard let kind = board.kind, let known = board.identification?.boards, let first = known.first else {
        return true
      }
      func isSame(_ other: FoundBoard) -> Bool {
        guard let boards = other.identification?.boards else { return true }
        return boards.contains { known.contains($0) }
      }
      let here = found.count { $0.kind == kind && isSame($0) }
      return !first.programmingMethods.prefix { $0 != kind }.contains { better in
        found.count { $0.kind == better && isSame($0) } == here
      }
    }
  }

  private static func list(_ found: [FoundBoard]) -> String {
    found.map { board in
      let names = board.identification?.boards.map(\.name) ?? []
      return names.isEmpty ? board.location : "\(board.location) (\(names.joined(separator: " or ")))"
    }.joined(separator: ", ")
  }
}
