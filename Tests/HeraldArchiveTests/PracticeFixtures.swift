import HeraldHostLink
import HeraldSimulation

@testable import HeraldArchive

/// The archive of a practice ward from 2026-09-14 on, in UTC, and what is true.
struct PracticeArchive {
  let ward: PracticeWard
  let archive: Archive
  /// The folder of the archive and of the folders of the badges, removed with this value.
  let folder: ScratchFolder

  /// Makes the folders and the archive as `herald-host practice` and `archive add` do; without `people`, as
  /// without people.csv.
  init(people: Bool = true, seed: UInt64 = 1, devices: Int = 12, days: Int = 5) throws {
    // 2026-09-14 00:00:00 UTC, a Monday.
    var setting = PracticeWard.Setting(begin: 1_789_344_000_000)
    (setting.seed, setting.badges, setting.days) = (seed, devices, days)
    ward = try PracticeWard(setting)
    folder = try ScratchFolder()
    for badge in ward.badges {
      let store = try PageStore(path: "\(folder.path)/logs/\(badge.serial)", create: true)
      try store.updateDevice {
        $0.serial = badge.serial
        $0.name = "Herald wearable"
        $0.note(epoch: badge.epoch)
      }
      for page in badge.pages {
        try store.store(
          page.bytes, as: PageName(epoch: badge.epoch, sequence: page.sequence, isOpen: page.isOpen))
      }
    }
    archive = try newArchive(folder.path + "/ward.sqlite")
    if people {
      let text = ward.peopleTable { String(LocalDays.utc.text(of: Int64($0)).prefix(16)) }
      try archive.label(try PeopleFile(Array(text.utf8), days: .utc))
    }
    try archive.fill(folder.path + "/logs")
  }

  /// The name of a person.
  func name(_ wearer: PracticeTruth.Wearer) -> String { ward.people[wearer.person].name }
}
