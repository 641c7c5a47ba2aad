import Foundation
import HeraldHostLink
import TestInputs
import Testing

@testable import HeraldArchive

/// What is added bit by bit, in any order, is what is derived of all at once.
@Suite struct IncrementalTests {
  /// Writes three devices as two pulls left them: some hours into the day, and at its end. The late folders
  /// have all of the early ones; pages that were open then have been filled. `least` is the number of
  /// readings of a meeting in the first hour.
  static func logs(in path: String, least: Int = 400) throws -> (early: [String], late: [String]) {
    let serials = ["ONE", "TWO", "THREE"]
    var (early, late): ([String], [String]) = ([], [])
    for (index, serial) in serials.enumerated() {
      var device = try LoggingDevice(serial)
      let peers = serials.indices.filter { $0 != index }
      for hour in 0..<4 {
        let hourBegin = UInt64(hour) * 3_600_000
        for peer in peers where (peer + index + hour) % 3 != 0 {
          // An address lasts an hour.
          let address = peer * 100 + hour
          let begin = hourBegin + UInt64(peer) * 900_000
          try device.read(serials[peer], from: address, at: begin)
          try device.measureMuch(address, -50 - Int8(peer * 7), from: begin, count: least + 50 * hour)
        }
        // Somebody of whom no payload is known.
        try device.measure(7000 + hour, -80, from: hourBegin + 3_000_000, count: 3)
        if hour == 1 {
          early.append("\(path)/early/\(serial)")
          try device.pull(to: early[index]) { $0.version = "1.0" }
        }
      }
      late.append("\(path)/late/\(serial)")
      try device.pull(to: late[index]) { $0.version = "1.1" }
    }
    return (early, late)
  }

  @Test func addingAgainChangesNothing() throws {
    let folder = try ScratchFolder()
    let (_, late) = try Self.logs(in: folder.path)
    let archive = try newArchive(folder.path + "/a.sqlite")
    let first = try archive.add(folders: late)
    #expect(first.newPages > 3 && first.knownPages == 0)
    let update = try archive.update()
    #expect(update.devices == 3 && update.meetings > 0)
    let rows = try archive.allRows()
    #expect(rows["meeting"]?.isEmpty == false && rows["meeting_due"] == [])
    let again = try archive.add(folders: late)
    #expect(again.newPages == 0 && again.knownPages == first.newPages && again.refused.isEmpty)
    #expect(try archive.update() == Archive.Update())
    #expect(try archive.allRows() == rows)
    try archive.deriveAgain()
    #expect(try archive.update().devices == 3)
    #expect(try archive.allRows() == rows)
  }

  @Test func pagesThatDoNotFitIntoMemoryAreStreamed() throws {
    let folder = try ScratchFolder()
    let (early, late) = try Self.logs(in: folder.path, least: 100)
    let whole = try newArchive(folder.path + "/whole.sqlite")
    _ = try whole.add(folders: late)
    try whole.update()
    let archive = try newArchive(folder.path + "/a.sqlite")
    archive.mostPageBytes = 0
    for folders in [early, late] {
      _ = try archive.add(folders: folders)
      try archive.update()
    }
    #expect(try DeviceGroup.all(in: archive).map(\.devices.count) == [1, 1, 1])
    #expect(try DeviceGroup.all(in: whole).map(\.devices.count) == [3])
    #expect(try archive.allRows() == whole.allRows())
    // The same files, too.
    for (name, archive) in [("one", whole), ("other", archive)] {
      _ = try archive.exportParquet(to: "\(folder.path)/\(name)")
    }
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path + "/one").sorted()
    #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path + "/other").sorted() == names)
    for name in names where name.hasPrefix("readings/") {
      let files = ["one", "other"].map {
        FileManager.default.contents(atPath: "\(folder.path)/\($0)/\(name)")
      }
      #expect(files[0] == files[1], "\(name)")
    }
  }

  @Test func anOpenPageIsReplacedByItsLaterStates() throws {
    let folder = try ScratchFolder()
    let (early, late) = try Self.logs(in: folder.path)
    let archive = try newArchive(folder.path + "/a.sqlite")
    _ = try archive.add(folders: early)
    func open() throws -> Int64? {
      try archive.connection.number("SELECT COUNT(*) FROM page WHERE is_open = 1")
    }
    #expect(try open() == 3)
    let pages = try archive.connection.number("SELECT COUNT(*) FROM page") ?? 0
    _ = try archive.add(folders: late)
    #expect(try open() == 3)
    #expect(try archive.connection.number("SELECT COUNT(*) FROM page") ?? 0 > pages)
    // The earlier state does not come back.
    let again = try archive.add(folders: early)
    #expect(again.newPages == 0 && again.refused.isEmpty)
    #expect(try archive.connection.rows("SELECT DISTINCT version FROM device").map { $0.text(0) } == ["1.1"])
  }

  /// What two pulls left, and the rows of an archive to which only what the second one left is added: all
  /// orders read them.
  private struct Whole: Sendable {
    let files: KeptFiles
    let folders: [String]
    let rows: [String: [String]]

    init() throws {
      let folder = try ScratchFolder()
      let (early, late) = try IncrementalTests.logs(in: folder.path)
      files = try KeptFiles(of: folder.path)
      folders = (early + late).map { String($0.dropFirst(folder.path.count + 1)) }
      let archive = try newArchive(folder.path + "/whole.sqlite")
      _ = try archive.add(folders: late)
      try archive.update()
      rows = try archive.allRows()
    }
  }

  private static let whole = Result { try Whole() }

  @Test(arguments: 0..<12) func anyOrderGivesTheSame(seed: Int) throws {
    let folder = try ScratchFolder()
    let whole = try Self.whole.get()
    try whole.files.write(to: folder.path)
    var random = SplitMix64(seed: UInt64(seed))
    let archive = try newArchive(folder.path + "/a.sqlite")
    for name in whole.folders.shuffled(using: &random) {
      _ = try archive.add(folders: ["\(folder.path)/\(name)"])
      if Bool.random(using: &random) { try archive.update() }
    }
    try archive.update()
    #expect(try archive.allRows() == whole.rows)
  }

  @Test func datesOfTwoComputersAreJoined() throws {
    let folder = try ScratchFolder()
    var device = try LoggingDevice("ONE", date: nil)
    try device.measure(5, -60, from: 0, count: 4)
    func fix(_ uptime: UInt64, _ date: UInt64) -> (inout DeviceRecord) -> Void {
      { record in
        record.clocks = [
          DeviceRecord.ClockFix(
            epoch: 1, boot: 1, uptimeMilliseconds: uptime, unixMilliseconds: date, source: .host)
        ]
      }
    }
    let paths = ["\(folder.path)/first", "\(folder.path)/second"]
    try device.pull(to: paths[0], change: fix(60_000, shiftBegin + 60_000))
    // The second computer is a minute late, and was there later.
    try device.pull(to: paths[1], change: fix(90_000, shiftBegin + 150_000))
    var dumps: [[String: [String]]] = []
    for order in [[0, 1], [1, 0]] {
      let archive = try newArchive("\(folder.path)/\(order[0]).sqlite")
      for index in order {
        _ = try archive.add(folders: [paths[index]])
        try archive.update()
      }
      let row = try archive.connection.rows("SELECT first_ms, undated FROM device").first
      #expect(row?.values == [.integer(Int64(shiftBegin)), .integer(0)])
      dumps.append(try archive.allRows())
    }
    #expect(dumps[0] == dumps[1])
  }
}
