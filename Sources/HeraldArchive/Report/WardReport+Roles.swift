import HeraldHostLink
import HeraldText

/// The matrices of roles and of persons.
extension WardReport {
  /// The maximum number of persons of a matrix and of a network.
  static let mostInMatrix = 120
  /// The number of persons up to which a matrix fits on a printed page.
  private static let mostPrinted = 22

  /// Whether there are enough persons for a network.
  var hasNetwork: Bool { content.whos.count > 1 && content.whos.count <= Self.mostInMatrix }

  func writeRoles(to page: inout Markup) {
    let roles = roles
    let sizes = Dictionary(content.whos.map { ($0.role, 1) }, uniquingKeysWith: +)
    let indices = Dictionary(roles.enumerated().map { ($1, $0) }, uniquingKeysWith: { one, _ in one })
    var sums = Array(repeating: Array(repeating: ReportSums(), count: roles.count), count: roles.count)
    for pair in content.pairs {
      guard let one = indices[content.whos[pair.one].role], let other = indices[content.whos[pair.other].role]
      else { continue }
      sums[one][other] += pair.sums
      if one != other { sums[other][one] += pair.sums }
    }
    let most = sums.flatMap { $0 }.map(\.seconds).max() ?? 0
    page.raw("<section id=\"roles\" aria-labelledby=\"roles-title\">\n")
    page.element("h2", "id=\"roles-title\"", "Roles")
    page.element(
      "p", "",
      "Pair minutes between persons of two roles, and below in small those \(ReportBands.names[0]) (\(bands.range(0))). The stronger the shade, the more."
    )
    open(table: "Pair minutes between roles", id: "role-matrix", classes: "matrix roles", to: &page)
    page.raw("<thead><tr><td></td>")
    for role in roles { roleHead(role, scope: "col", to: &page) }
    page.raw("</tr></thead>\n<tbody>\n")
    for (row, role) in roles.enumerated() {
      page.raw("<tr>")
      roleHead(role, scope: "row", to: &page)
      for column in roles.indices {
        let cell = sums[row][column]
        // One person has no pair.
        if row == column, sizes[role] == 1 {
          page.raw("<td class=\"self\">–</td>")
          continue
        }
        page.raw(
          "<td class=\"q\(Self.step(cell.seconds, most))\">\(ReportText.minutes(cell.seconds))<br><small>\(ReportText.minutes(cell.bands[0]))</small></td>"
        )
      }
      page.raw("</tr>\n")
    }
    page.raw("</tbody></table></div>\n</section>\n")
  }

  private func roleHead(_ role: String, scope: String, to page: inout Markup) {
    page.raw("<th scope=\"\(scope)\">")
    page.text(role)
    page.raw(" <small>(\(content.whos.count(where: { $0.role == role })))</small></th>")
  }

  /// One of five steps of shading; 0 for nothing. The steps are those of the square root.
  static func step(_ seconds: Int, _ most: Int) -> Int {
    guard seconds > 0, most > 0 else { return 0 }
    let share = (Double(seconds) / Double(most)).squareRoot()
    return min(5, Int(share * 5) + 1)
  }

  func writeMatrix(to page: inout Markup) {
    guard content.whos.count > 1 else { return }
    page.raw("<section id=\"matrix\" aria-labelledby=\"matrix-title\">\n")
    page.element("h2", "id=\"matrix-title\"", "Persons")
    guard hasNetwork else {
      page.element(
        "p", "",
        "There are more than \(Self.mostInMatrix) persons: the section of each names those near; `herald-host contacts` exports all pairs."
      )
      page.raw("</section>\n")
      return
    }
    let count = content.whos.count
    var seconds = Array(repeating: Array(repeating: 0, count: count), count: count)
    for pair in content.pairs {
      seconds[pair.one][pair.other] = pair.sums.seconds
      seconds[pair.other][pair.one] = pair.sums.seconds
    }
    let most = content.pairs.first?.sums.seconds ?? 0
    let isPrinted = count <= Self.mostPrinted
    if !isPrinted {
      page.element(
        "p", "class=\"print-only\"",
        "The matrix of persons is wider than a printed page; the table of each person names those near.")
    }
    open(
      table: "Minutes of each pair, all bands", id: "who-matrix",
      classes: isPrinted ? "matrix who" : "matrix who screen-only", to: &page)
    page.raw("<thead><tr><td></td>")
    for who in content.whos {
      page.raw("<th scope=\"col\"><span>")
      page.text(who.label)
      page.raw("</span></th>")
    }
    page.raw("</tr></thead>\n<tbody>\n")
    for (row, who) in content.whos.enumerated() {
      page.raw("<tr><th scope=\"row\">")
      page.text(who.label)
      page.raw("</th>")
      for column in content.whos.indices {
        let cell = seconds[row][column]
        page.raw(
          row == column
            ? "<td class=\"self\">"
            : cell == 0 ? "<td>" : "<td class=\"q\(Self.step(cell, most))\">\((cell + 30) / 60)")
      }
      page.raw("\n")
    }
    page.raw("</tbody></table></div>\n</section>\n")
  }

  // MARK: Directions

  /// The maximum number of pairs whose directions are compared.
  private static let mostDirections = 60

  /// Pairs of badges of which one heard the other for long and was heard for less than half of it, the
  /// greatest difference first.
  var uneven: [ReportPair] {
    content.pairs.filter { pair in
      content.whos[pair.one].hasBadge && content.whos[pair.other].hasBadge
        && OneSidedDirections.isOneSided(pair.heard, pair.heardBack, least: OneSidedDirections.leastSeconds)
    }.sorted {
      let (one, other) = (abs($0.heard - $0.heardBack), abs($1.heard - $1.heardBack))
      return (other, $0.one, $0.other) < (one, $1.one, $1.other)
    }
  }

  func writeDirections(to page: inout Markup) {
    guard !content.isOfOneDevice else { return }
    page.raw("<section id=\"directions\" aria-labelledby=\"directions-title\">\n")
    page.element("h2", "id=\"directions-title\"", "Who heard whom")
    page.element(
      "p", "",
      "Two badges that are near hear each other for about the same time. A badge that heard others for long and was heard little was covered or is about to fail as a sender; the reverse says so of its receiver. All days, all bands."
    )
    writeUneven(to: &page)
    open(table: "Minutes heard and heard by others, of each person", id: "heard", to: &page)
    page.raw(
      "<thead><tr><th scope=\"col\">Person</th><th scope=\"col\">Role</th><th scope=\"col\" class=\"n\">Heard others</th><th scope=\"col\" class=\"n\">Heard by others</th><th scope=\"col\" class=\"n\">Ratio</th><th scope=\"col\">Balance</th></tr></thead>\n<tbody>\n"
    )
    for person in content.people {
      page.raw("<tr data-w=\"\(person.who)\"><th scope=\"row\">")
      link(person.who, to: &page)
      page.raw("</th><td>")
      page.text(content.whos[person.who].role)
      page.raw(
        "</td><td class=\"n\">\(ReportText.minutes(person.heard))</td><td class=\"n\">\(ReportText.minutes(person.heardBack))</td><td class=\"n\">\(Self.ratio(person.heard, person.heardBack))</td><td>"
      )
      balance(person.heard, person.heardBack, to: &page)
      page.raw("</td></tr>\n")
    }
    page.raw("</tbody></table></div>\n</section>\n")
  }

  private func writeUneven(to page: inout Markup) {
    let uneven = uneven
    guard !uneven.isEmpty else {
      page.element(
        "p", "",
        "No pair with at least \(OneSidedDirections.leastSeconds / 60) minutes has one direction with less than half of the other."
      )
      return
    }
    open(table: "Pairs with less than half of the time in one direction", id: "uneven", to: &page)
    page.raw(
      "<thead><tr><th scope=\"col\">Badge</th><th scope=\"col\">Heard</th><th scope=\"col\" class=\"n\">Minutes</th><th scope=\"col\" class=\"n\">Was heard</th><th scope=\"col\">Balance</th></tr></thead>\n<tbody>\n"
    )
    for pair in uneven.prefix(Self.mostDirections) {
      let isForth = pair.heard > pair.heardBack
      let (who, other) = isForth ? (pair.one, pair.other) : (pair.other, pair.one)
      let (heard, back) = isForth ? (pair.heard, pair.heardBack) : (pair.heardBack, pair.heard)
      page.raw("<tr data-p=\"\(pair.one) \(pair.other)\"><th scope=\"row\">")
      link(who, to: &page)
      page.raw("</th><td>")
      link(other, to: &page)
      page.raw(
        "</td><td class=\"n fixed\">\(ReportText.minutes(heard))</td><td class=\"n fixed\">\(ReportText.minutes(back))</td><td>"
      )
      balance(heard, back, to: &page)
      page.raw("</td></tr>\n")
    }
    page.raw("</tbody></table></div>\n")
    if uneven.count > Self.mostDirections {
      page.element("p", "", "The first \(Self.mostDirections) of \(uneven.count.groupedDigits).")
    }
  }

  private static func ratio(_ one: Int, _ other: Int) -> String {
    guard max(one, other) > 0 else { return "–" }
    let percent = min(one, other) * 100 / max(one, other)
    return "\(percent) %"
  }

  /// Two bars from the middle.
  private func balance(_ one: Int, _ other: Int, to page: inout Markup) {
    let most = max(one, other, 1)
    let (left, right) = (one * 100 / most, other * 100 / most)
    let isUneven = max(one, other) >= OneSidedDirections.leastSeconds && min(one, other) * 2 < max(one, other)
    page.raw(
      "<svg class=\"balance\(isUneven ? " uneven" : "")\" viewBox=\"0 0 204 10\" width=\"204\" height=\"10\" aria-hidden=\"true\"><rect class=\"heard\" x=\"\(100 - left)\" width=\"\(left)\" height=\"10\"/><rect class=\"back\" x=\"104\" width=\"\(right)\" height=\"10\"/></svg>"
    )
  }
}
