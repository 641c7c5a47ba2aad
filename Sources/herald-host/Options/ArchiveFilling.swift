import HeraldArchive
import HeraldConsole
import HeraldHostLink
import HeraldText

/// Adds pulled logs to an archive and brings it up to date, with a bar for people.
struct ArchiveFilling {
  let archive: Archive
  private let who: WhoOptions?
  /// What the files of `who` say.
  private let read: WhoOptions.Files?
  private let isQuiet: Bool
  /// The keys that open sealed pages.
  private let keys: SealedPageKeys?

  /// Reads the files that say who wore which device, so that a mistake in them is found before anything is
  /// written; `who` is `nil` if that is not to be said.
  init(archive: Archive, who: WhoOptions?, isQuiet: Bool, keys: SealedPageKeys? = nil) throws(HostLinkError) {
    self.archive = archive
    self.who = who
    read = try who?.read(archive.days)
    self.isQuiet = isQuiet
    self.keys = keys
  }

  /// Adds folders.
  func add(_ folders: [String]) throws -> Archive.Addition {
    let bar = ProgressLine(isQuiet: isQuiet)
    defer { bar.finish() }
    let addition = try archive.add(folders: folders, keys: keys) {
      bar.update(done: $0, of: folders.count, text: "adding")
    }
    try update()
    return addition
  }

  /// Labels the devices, and derives what has changed.
  func update() throws {
    let bar = ProgressLine(isQuiet: isQuiet)
    defer { bar.finish() }
    if let who, let read { try who.apply(read, to: archive) }
    try archive.update { bar.update(done: $0, of: $1, text: "deriving contacts") }
  }
}

extension Archive.Addition {
  /// Names what could not be added on standard error.
  func noteProblems() {
    for page in refused {
      Console.note("herald-host: \(PrintableText.of(page, limit: 400)) is not a page of this log")
    }
    if let sealed = SealedPagesText(sealedPages) {
      Console.note("herald-host: \(sealed.what); \(sealed.advice)")
    }
    for (folder, error) in failures {
      Console.note("herald-host: \(PrintableText.of(folder, limit: 400)): \(error.what)")
    }
  }

  /// Names what could not be added, and throws if there is any.
  func check() throws(HostLinkError) {
    noteProblems()
    if failures.isEmpty, refused.isEmpty, let sealed = SealedPagesText(sealedPages) {
      throw HostLinkError(.partial, "\(sealed.what); the rest is in the archive", advice: sealed.advice)
    }
    guard failures.isEmpty, refused.isEmpty else {
      throw HostLinkError(
        .partial, "not everything could be added; the rest is in the archive",
        advice: "pull the logs of those devices into new folders")
    }
  }
}

extension Archive.Addition: Encodable {
  private enum CodingKeys: CodingKey { case folders, newPages, knownPages, refused, sealedPages, failures }

  /// Encodes failures as objects with the folder and the error.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(folders, forKey: .folders)
    try container.encode(newPages, forKey: .newPages)
    try container.encode(knownPages, forKey: .knownPages)
    try container.encode(refused, forKey: .refused)
    try container.encode(sealedPages, forKey: .sealedPages)
    try container.encode(failures.map { ["folder": $0.folder, "error": $0.error.what] }, forKey: .failures)
  }
}
