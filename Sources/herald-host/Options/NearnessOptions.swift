import ArgumentParser
import HeraldArchive

/// What counts as near.
struct NearnessOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only minutes of at most this attenuation, 1 to 126; without it a contact is a peer received at any strength, up to a whole room.",
      valueName: "dB"))
  var within: Int?
  @Option(
    help: ArgumentHelp(
      "The same by the name of a band: immediate, near, medium or far (docs/contacts.md).", valueName: "name")
  )
  var band: ContactBand?
  @Flag(help: "Also badges that nobody wears: that lie, or are out of their shift.")
  var unworn = false

  mutating func validate() throws {
    guard within == nil || band == nil else {
      throw ValidationError("--band is the limit of a band: --within and --band exclude each other.")
    }
    if let within, !(1...126).contains(within) { throw ValidationError("--within takes 1 to 126 dB.") }
  }

  /// Whether one of them was given.
  var isGiven: Bool { within != nil || band != nil || unworn }

  /// The greatest attenuation that counts, by the rules of an archive; `nil` for any.
  func limit(_ rules: ContactRules) -> Int? { within ?? band?.limit(rules) }
}

extension ContactBand: ExpressibleByArgument {}

/// The shortest meeting that counts.
struct LeastMinutes: ParsableArguments {
  @Option(
    name: [.customLong("minutes"), .customLong("min-minutes")],
    help: ArgumentHelp("Only what lasted at least this long.", valueName: "minutes"))
  var minutes: Double = 0

  mutating func validate() throws {
    guard minutes >= 0, minutes <= 1_000_000 else {
      throw ValidationError("--minutes takes a number of minutes from 0.")
    }
  }

  /// The minimum duration in seconds.
  var seconds: Int { Int((minutes * 60).rounded(.up)) }
}

/// A day, or the first and the last of some.
struct PeriodOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Only this day, such as 2026-09-14.", valueName: "day"))
  var day: CivilDay?
  @OptionGroup var days: CivilDays

  mutating func validate() throws {
    guard day == nil || !days.isGiven else {
      throw ValidationError("--day is one day: it excludes --from and --to.")
    }
  }

  /// The days; `nil` for all.
  var range: ClosedRange<Int64>? {
    day.map { $0.number...$0.number } ?? (days.isGiven ? days.range : nil)
  }
}
