import ArgumentParser
import HeraldArchive

/// Which contacts a command is about.
struct MeetingOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Only this day, yyyy-mm-dd.", valueName: "day"))
  var day: CivilDay?
  @OptionGroup var days: CivilDays
  @Option(
    help: ArgumentHelp(
      "Only contacts of this one: a name, a serial number, a payload or an address.", valueName: "name"))
  var person: String?
  @Option(help: ArgumentHelp("Only contacts of people with this role.", valueName: "role"))
  var role: String?
  @Option(help: ArgumentHelp("Only contacts of people who belong to this place.", valueName: "place"))
  var place: String?
  @Option(help: ArgumentHelp("Only what lasted at least this long.", valueName: "minutes"))
  var minMinutes: Double = 0
  @Option(help: ArgumentHelp("The length of a window: 30, or 20 as SocioPatterns has.", valueName: "seconds"))
  var window: Int?

  mutating func validate() throws {
    guard minMinutes >= 0, minMinutes <= 1_000_000 else {
      throw ValidationError("--min-minutes takes a number of minutes from 0.")
    }
    guard day == nil || !days.isGiven else {
      throw ValidationError("--day is one day: it excludes --from and --to.")
    }
    if let window, !ContactRules.windows.contains(window) {
      throw ValidationError("--window takes 30 or 20.")
    }
  }

  /// The minimum duration in seconds.
  var leastSeconds: Int { Int((minMinutes * 60).rounded(.up)) }

  /// The meetings, of any duration.
  var query: MeetingQuery {
    var query = MeetingQuery()
    query.days = day.map { $0.number...$0.number } ?? (days.isGiven ? days.range : nil)
    (query.person, query.role, query.place) = (person, role, place)
    return query
  }

  /// Whether any of them was given.
  var isGiven: Bool { query != MeetingQuery() || minMinutes > 0 || window != nil }
}
