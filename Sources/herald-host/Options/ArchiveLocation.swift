import ArgumentParser
import HeraldArchive
import HeraldHostLink

/// The archive of a command: an SQLite file, or a PostgreSQL database.
struct ArchiveLocation: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The archive: a file, or postgresql://USER@HOST/DATABASE; passwords in ~/.pgpass or PGPASSWORD.",
      valueName: "place"))
  var archive: String

  /// Opens the archive and brings it up to date.
  func open(isQuiet: Bool) throws -> Archive {
    let archive = try Archive.open(self.archive, create: false)
    try ArchiveFilling(archive: archive, who: nil, isQuiet: isQuiet).update()
    return archive
  }
}

/// The time zone of a new archive.
struct ZoneOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The time zone whose days are counted (default: this computer's): Europe/Berlin, or a rule such as CET-1CEST,M3.5.0,M10.5.0/3.",
      valueName: "zone"))
  var zone: String?

  /// The name or rule of the zone.
  func name() throws(HostLinkError) -> String {
    guard let zone else { return try LocalDays.systemZone() }
    return try LocalDays.zone(named: zone)
  }
}

/// A day in the time zone of an archive, written as 2026-09-14.
struct CivilDay: ExpressibleByArgument {
  /// The day as the tables have it: 20260914.
  let number: Int64

  init?(argument: String) {
    guard let day = LocalDays.day(argument) else { return nil }
    number = LocalDays.number(ofDay: day)
  }

  /// A number of a table as people write it.
  static func text(_ number: Int64) -> String {
    LocalDays.day(ofNumber: number).map(LocalDays.text(ofDay:)) ?? String(number)
  }
}

/// The first and the last day of what is wanted.
struct CivilDays: ParsableArguments {
  @Option(help: ArgumentHelp("The first day, such as 2026-09-14.", valueName: "day"))
  var from: CivilDay?
  @Option(help: ArgumentHelp("The last day.", valueName: "day"))
  var to: CivilDay?

  mutating func validate() throws {
    if let from, let to, from.number > to.number { throw ValidationError("--from is after --to.") }
  }

  /// Whether one of them was given.
  var isGiven: Bool { from != nil || to != nil }

  /// The days; all if none were given.
  var range: ClosedRange<Int64> { (from?.number ?? 0)...(to?.number ?? 99_991_231) }
}
