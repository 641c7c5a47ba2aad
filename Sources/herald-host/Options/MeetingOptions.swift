import ArgumentParser
import HeraldArchive

/// Which contacts a command is about.
struct MeetingOptions: ParsableArguments {
  @OptionGroup var period: PeriodOptions
  @Option(
    help: ArgumentHelp(
      "Only contacts of this one: a name, a serial number, a payload or an address.", valueName: "name"))
  var person: String?
  @Option(help: ArgumentHelp("Only contacts of people with this role.", valueName: "role"))
  var role: String?
  @Option(help: ArgumentHelp("Only contacts of people who belong to this place.", valueName: "place"))
  var place: String?
  @OptionGroup var least: LeastMinutes
  @OptionGroup var nearness: NearnessOptions
  @Option(help: ArgumentHelp("The length of a window: 30, or 20 as SocioPatterns has.", valueName: "seconds"))
  var window: Int?

  mutating func validate() throws {
    if let window, !ContactRules.windows.contains(window) {
      throw ValidationError("--window takes 30 or 20.")
    }
  }

  /// The meetings, of any duration, by the rules of an archive.
  func query(_ rules: ContactRules) -> MeetingQuery {
    var query = MeetingQuery()
    query.days = period.range
    (query.person, query.role, query.place) = (person, role, place)
    (query.within, query.withUnworn) = (nearness.limit(rules), nearness.unworn)
    return query
  }

  /// Whether any of them was given that selects rows, and not what counts as near.
  var selects: Bool {
    period.range != nil || person != nil || role != nil || place != nil || least.minutes > 0 || window != nil
  }
}
