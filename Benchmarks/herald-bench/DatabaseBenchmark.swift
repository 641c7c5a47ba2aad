import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldHostLink
import HeraldSimulation

/// Import of a pulled log into its database: pages read from disk, checked, decoded, written to an SQLite
/// that is on the disk when it is done, and searched for contacts.
enum DatabaseBenchmark {
  /// Hours in a busy room: 50 people, each heard every other second.
  private static let readings = 300_000
  private static let people = 50
  private static let runs = 7

  static func run(_ figures: inout Figures) throws {
    let path = ".build/figures/archive"
    let files = FileManager.default
    try? files.removeItem(atPath: path)
    defer { try? files.removeItem(atPath: path) }
    let folder = try PageStore(path: path, create: true)
    try fill(folder)
    var best = Double.infinity
    for _ in 0..<runs {
      try? files.removeItem(atPath: "\(path)/\(LogDatabase.fileName)")
      let logDatabase = try LogDatabase(path: "\(path)/\(LogDatabase.fileName)")
      let start = DispatchTime.now().uptimeNanoseconds
      let change = try logDatabase.add(folder)
      best = min(best, Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
      guard change.readings == readings else {
        print("  archive_readings_per_second: left out, \(change.readings) of \(readings) readings arrived")
        return
      }
    }
    figures.add("archive_readings_per_second", Double(readings) / best, "1/s")
  }

  /// Writes the pages of such hours, as a device has them in its flash.
  private static func fill(_ folder: PageStore) throws {
    var log = FlashLog<MemoryFlash, 64>(
      flash: MemoryFlash(FlashImage(pageSize: 4096, pageCount: 2048, wordSize: 4)))
    log.mount(freshEpoch: 1)
    var clock = WallClock()
    let start = Instant.start
    clock.set(unixMilliseconds: 1_790_000_000_000, at: start, source: .host)
    func person(_ number: Int) -> TargetIdentity {
      TargetIdentity(kind: .randomAddress, high: 0x4000, low: UInt32(number))
    }
    for number in 0..<people {
      let payload = [0x08, 0x3A, 0x03, 0, 0] + [UInt8](repeating: UInt8(number), count: 8)
      try log.append(.detected(person(number)), at: start, clock: clock)
      try log.append(.read(person(number)), bytes: payload.span, at: start, clock: clock)
    }
    for number in 0..<readings {
      let rssi = RSSI(Int8(-50 - number * 13 % 9))
      try log.append(
        .measured(person(number * 7 % people), rssi), at: Instant(milliseconds: UInt64(number) * 40),
        clock: clock)
    }
    for page in try log.committedPages() {
      let name = PageName(epoch: 1, sequence: page.sequence, isOpen: page.isOpen)
      try Data(page.bytes).write(to: URL(fileURLWithPath: "\(folder.path)/pages/\(name.fileName)"))
    }
    try folder.updateDevice {
      $0.serial = "BENCH"
      $0.note(epoch: 1)
    }
  }
}
