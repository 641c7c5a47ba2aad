import ArgumentParser
import HeraldArchive
import HeraldConsole
import HeraldHostLink

/// Options that say who wears the devices that a command shows.
struct PeopleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Who wears which device when: a CSV file with the columns serial, name, role, place, from, to.",
      valueName: "file"))
  var people: String?
  @Option(
    help: ArgumentHelp(
      "Who wears which device by this archive: a file, or postgresql://…", valueName: "place"))
  var archive: String?

  mutating func validate() throws {
    guard people == nil || archive == nil else {
      throw ValidationError("Name either --people or --archive.")
    }
  }

  /// Who wears which device now.
  func wearers() throws(HostLinkError) -> Wearers {
    if let people {
      let days = try LocalDays(zone: LocalDays.systemZone())
      let file = try PeopleFile(reading: people, days: days)
      for remark in file.remarks { Console.note("herald-host: \(remark)") }
      return Wearers(assignments: Assignments(file))
    }
    guard let archive else { return Wearers(assignments: nil) }
    return Wearers(assignments: try Archive.open(archive, create: false).assignments())
  }
}

/// Who wears which device now.
struct Wearers: Sendable {
  private let assignments: Assignments?
  private let now = PlausibleDate.now

  init(assignments: Assignments?) { self.assignments = assignments }

  /// Whether persons are known.
  var isKnown: Bool { assignments != nil }

  /// The person who wears a device, or wore it last, between two shifts; `nil` if nobody is known to.
  func person(of serial: String) -> String? { assignments?.person(ofSerial: serial, at: now) }

  /// How many of the devices that are worn today are among `serials`, and who wears the others; `nil` if no
  /// persons are known.
  func summary(of serials: [String], verb: String) -> String? {
    guard let text = assignments?.summary(of: Set(serials), verb: verb, at: now), !text.isEmpty else {
      return nil
    }
    return text
  }
}
