/// Finds the closest known word for a misspelt one.
package enum NearestWord {
  /// The word of `words` that is nearest to `word`; `nil` if none is near. A beginning of at least two
  /// letters of a word is near it; else at most a third of the letters, and at least two, may be missing,
  /// added, other ones, or swapped with their neighbour.
  package static func of(_ word: String, in words: some Sequence<String>) -> String? {
    var best: (word: String, distance: Int)?
    for candidate in words {
      let isBeginning = word.count >= 2 && candidate.hasPrefix(word)
      let distance = isBeginning ? 1 : distance(Array(word), Array(candidate))
      guard distance <= max(2, candidate.count / 3), distance < candidate.count else { continue }
      if distance < best?.distance ?? Int.max { best = (candidate, distance) }
    }
    return best?.word
  }

  /// The Damerau-Levenshtein distance in which no part is edited twice.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    // Words of people are short; what is longer is no word of theirs.
    guard left.count <= 64, right.count <= 64 else { return Int.max }
    var rows = [[Int]](repeating: [Int](repeating: 0, count: right.count + 1), count: left.count + 1)
    for row in 0...left.count { rows[row][0] = row }
    for column in 0...right.count { rows[0][column] = column }
    for row in 0..<left.count {
      for column in 0..<right.count {
        let cost = left[row] == right[column] ? 0 : 1
        var least = min(rows[row][column + 1] + 1, rows[row + 1][column] + 1, rows[row][column] + cost)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          least = min(least, rows[row - 1][column - 1] + 1)
        }
        rows[row + 1][column + 1] = least
      }
    }
    return rows[left.count][right.count]
  }
}
