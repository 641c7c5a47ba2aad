import Foundation
import HeraldArchive
import HeraldHostLink
import HeraldSimulation
import HeraldText

/// The folder of a practice ward.
struct PracticeFolder {
  private let path: String
  private let wasThere: Bool

  /// Makes the folder.
  /// - Throws: `.storage` if it has contents, or cannot be made.
  init(_ path: String) throws(HostLinkError) {
    self.path = path
    wasThere = try LocalFile.exists(path)
    if wasThere, try LocalFile.names(in: path) != [] {
      throw HostLinkError(
        .storage, "\(PrintableText.of(path, limit: 256)) is there already, and not an empty folder",
        advice: "name a new folder; nothing was changed")
    }
    try PrivateFolder.make(path)
  }

  /// Writes everything, or leaves nothing of it, so that the same command can be run again.
  func write(_ ward: PracticeWard, zone: LocalDays) throws(HostLinkError) {
    do throws(HostLinkError) {
      try writeAll(ward, zone)
    } catch {
      for name in (try? LocalFile.names(in: path)) ?? [] {
        try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
      }
      if !wasThere { rmdir(path) }
      throw error
    }
  }

  private func writeAll(_ ward: PracticeWard, _ zone: LocalDays) throws(HostLinkError) {
    for badge in ward.badges {
      try writeLog(badge)
      try writeNode(badge)
    }
    try file("people.csv", ward.peopleTable { Self.moment($0, zone) })
    try file("truth.json", try PracticeTruthFile(ward, zone).json())
    try file("README.txt", Self.guide)
  }

  /// As `log pull` leaves it.
  private func writeLog(_ badge: PracticeWard.Badge) throws(HostLinkError) {
    let store = try PageStore(path: "\(path)/logs/\(badge.serial)", create: true)
    try store.updateDevice {
      $0.serial = badge.serial
      $0.name = "Herald wearable"
      $0.system = "Herald"
      $0.note(epoch: badge.epoch)
    }
    for page in badge.pages {
      try store.store(
        page.bytes, as: PageName(epoch: badge.epoch, sequence: page.sequence, isOpen: page.isOpen))
    }
  }

  /// The storage of herald-node, and the key of the badge.
  private func writeNode(_ badge: PracticeWard.Badge) throws(HostLinkError) {
    try file("keys/\(badge.serial).key", badge.accessKey)
    let node = "nodes/\(badge.serial)"
    try file("\(node)/serial-number", "\(badge.serial)\n")
    try file("\(node)/log.flash", badge.logFlash)
    try file("\(node)/settings.flash", badge.settingsFlash)
  }

  private func file(_ name: String, _ text: String) throws(HostLinkError) {
    try file(name, Array(text.utf8))
  }

  private func file(_ name: String, _ bytes: [UInt8]) throws(HostLinkError) {
    let file = "\(path)/\(name)"
    try PrivateFolder.make(URL(fileURLWithPath: file).deletingLastPathComponent().path)
    let made = try ReplacedFile(file)
    try made.append(bytes)
    try made.finish()
  }

  /// A date as in people.csv: `2026-09-14 08:30`.
  private static func moment(_ date: UInt64, _ zone: LocalDays) -> String {
    String(zone.text(of: Int64(clamping: date)).prefix(16))
  }

  private static let guide = """
    A made-up ward, to learn with; no person, badge or key in it is real.

      logs        what `herald-host log pull --all --output logs` leaves: a folder for each badge
      people.csv  who wore which badge, in which role and ward. Badges without a motion sensor have a line for each shift
      keys        the access key of each badge, for the badges that herald-node runs. Never use one for a device
      nodes       the storage of each badge, for `herald-node --storage`: badges to plug in, as a dock sees them
      truth.json  what is to be found: read it last

    In the folder that this one is in, if its name is ward:

      herald-host archive add ward/logs --archive ward/ward.sqlite --people ward/people.csv
      herald-host report --archive ward/ward.sqlite --output ward/report.html
      herald-host contacts --archive ward/ward.sqlite --person Cleo
      herald-host archive near Ada --archive ward/ward.sqlite --day 2026-09-16

    Which badge was flat, and for how long? Which one is covered? Whose clock is wrong, and by how much? Which badges lie together
    while nobody wears them? Who got a second badge? docs/ward.md goes through it.

    """
}
