import ArgumentParser
import HeraldArchive
import HeraldConsole
import HeraldEmbedded
import HeraldHostLink
import HeraldText

/// Options that say who wore which device, and which device sent which identifier.
struct WhoOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Who wore which device when: a CSV file with the columns serial, name, role, place, from, to.",
      valueName: "file"))
  var people: String?

  @Option(
    help: ArgumentHelp(
      "The secrets of devices with the simple payload, a file for each, named for the serial number. They stay where they are: only what they explain is kept.",
      valueName: "folder"))
  var secrets: String?

  @Option(
    help: ArgumentHelp(
      "Day 0 of the key schedule, yyyy-mm-dd, with --secrets; more than once if devices have different ones. The phones' is 2020-09-24.",
      valueName: "date"),
    transform: Self.seconds)
  var epoch: [UInt64] = []

  /// What these options have the command read.
  var inputs: [String] {
    let files = secrets.flatMap { try? SecretFolder(path: $0).files.map(\.path) } ?? []
    return [people].compactMap(\.self) + files
  }

  /// What the files of these options say.
  struct Files {
    let people: PeopleFile?
    let secrets: SecretFolder?
  }

  /// Reads the files, and prints remarks on them; `days` are those of the archive.
  func read(_ days: LocalDays) throws(HostLinkError) -> Files {
    var file: PeopleFile?
    if let people {
      let read = try PeopleFile(reading: people, days: days)
      for remark in read.remarks { Console.note("herald-host: \(remark)") }
      file = read
    }
    var folder: SecretFolder?
    if let secrets { folder = try SecretFolder(path: secrets) }
    return Files(people: file, secrets: folder)
  }

  /// Labels the devices, and finds out whose identifiers were read. The next `update` derives what that
  /// changes.
  func apply(_ files: Files, to archive: Archive) throws(HostLinkError) {
    if let people = files.people { try archive.label(people) }
    if let secrets = files.secrets {
      let epochs = epoch.isEmpty ? [KeyScheduleEpoch.phones] : epoch.map(KeyScheduleEpoch.init(unixSeconds:))
      let resolution = try archive.resolve(secrets, epochs: epochs)
      for path in resolution.openToOthers {
        Console.note(
          "herald-host: users other than its owner have access to \(PrintableText.of(path, limit: 256)); `chmod 600` it"
        )
      }
      Console.note(
        "herald-host: \(resolution.resolved) of \(Console.count(resolution.read, "identifier")) are of \(Console.count(resolution.devices, "device")) with a secret"
      )
    }
    guard files.people != nil else { return }
    let unknown = try archive.unknownSerials()
    guard !unknown.isEmpty else { return }
    let list = unknown.prefix(10).map { PrintableText.of($0) }.joined(separator: ", ")
    Console.note(
      "herald-host: \(Console.count(unknown.count, "device")) of the file of people without a log here: \(list)\(unknown.count > 10 ? ", …" : "")"
    )
  }

  private static func seconds(_ date: String) throws -> UInt64 {
    guard let day = LocalDays.day(date) else {
      throw ValidationError("\(PrintableText.of(date)) is no date of the form yyyy-mm-dd.")
    }
    return UInt64(clamping: day) * 86_400
  }
}
