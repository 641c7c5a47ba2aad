import Foundation
import HeraldHostLink
import TestInputs
import Testing

@testable import HeraldArchive

/// Pages and archives that are not what they should be.
@Suite struct ForeignInputTests {
  private func failure(_ body: () throws -> Void) -> HostLinkError? {
    do { try body() } catch { return error as? HostLinkError }
    return nil
  }

  @Test func aPageWithOtherBytesIsRefusedAndRecorded() throws {
    let folder = try ScratchFolder()
    var device = try LoggingDevice("ONE")
    try device.measureMuch(5, -60, from: 0, count: 3000)
    let names = try device.pull(to: folder.path + "/one")
    let archive = try newArchive(folder.path + "/a.sqlite")
    _ = try archive.add(folders: [folder.path + "/one"])
    try archive.update()
    let rows = try archive.allRows()
    let closed = try #require(names.first { !$0.isOpen })
    let file = "\(folder.path)/one/pages/\(closed.fileName)"
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    // Byte 41 is in the first block, behind the header.
    bytes[41] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    for _ in 0..<2 {
      let addition = try archive.add(folders: [folder.path + "/one"])
      #expect(addition.refused == [file] && addition.newPages == 0)
      #expect(addition.knownPages == names.count - 1)
    }
    #expect(try archive.update() == Archive.Update())
    let refused = try archive.refusedPages()
    #expect(refused.map(\.device) == ["ONE"] && refused.map(\.sequence) == [Int64(closed.sequence)])
    #expect(refused.map(\.reason) == ["another page of this number is in the archive"])
    var now = try archive.allRows()
    for table in ["refused", "number of refused"] { now[table] = rows[table] }
    #expect(now == rows)
  }

  @Test func filesThatAreNoPagesAreRefused() throws {
    let folder = try ScratchFolder()
    var device = try LoggingDevice("ONE")
    try device.measureMuch(5, -60, from: 0, count: 3000)
    let names = try device.pull(to: folder.path + "/one")
    func file(_ name: PageName) -> URL { URL(fileURLWithPath: "\(folder.path)/one/pages/\(name.fileName)") }
    let page = try Data(contentsOf: file(names[0]))
    func other(_ sequence: UInt32, _ epoch: UInt32 = 1) -> PageName {
      PageName(epoch: epoch, sequence: sequence, isOpen: false)
    }
    // Empty; half a header; the page of another number; of another epoch; and 2 MB of ones behind a page.
    try Data().write(to: file(other(901)))
    try page.prefix(20).write(to: file(other(902)))
    try page.write(to: file(other(903)))
    try page.write(to: file(other(names[0].sequence, 2)))
    try (page + Data(repeating: 0xFF, count: 2 << 20)).write(to: file(names[1]))
    let archive = try newArchive(folder.path + "/a.sqlite")
    let addition = try archive.fill(folder.path + "/one")
    #expect(addition.refused.count == 5 && addition.newPages == names.count - 1)
    #expect(try archive.devices().map(\.pages) == [Int64(names.count - 1)])
    #expect(try archive.devices()[0].readings > 0)
  }

  /// The logs of two devices with the rows of their archive, and of a third device, which neither of the two
  /// has heard: each case damages a copy of the third one's pages.
  private struct Logs: Sendable {
    let files: KeptFiles
    let names: [PageName]
    /// Those of the two.
    let rows: [String: [String]]

    init() throws {
      let folder = try ScratchFolder()
      try logMeeting(in: folder.path + "/logs")
      let clean = try newArchive(folder.path + "/clean.sqlite")
      try clean.fill(folder.path + "/logs")
      rows = try clean.allRows()
      var device = try LoggingDevice("EVIL")
      try device.read("ONE", from: 1, at: 0)
      try device.measureMuch(1, -60, from: 0, count: 2000)
      names = try device.pull(to: folder.path + "/logs/evil")
      files = try KeptFiles(of: folder.path + "/logs")
    }
  }

  private static let logs = Result { try Logs() }

  @Test(arguments: 0..<40) func hostilePagesTouchNoOtherDevice(seed: Int) throws {
    let folder = try ScratchFolder()
    let logs = try Self.logs.get()
    let names = logs.names
    try logs.files.write(to: folder.path + "/logs")
    var random = SplitMix64(seed: UInt64(seed))
    // Their headers stay valid.
    for name in names {
      let file = URL(fileURLWithPath: "\(folder.path)/logs/evil/pages/\(name.fileName)")
      var bytes = [UInt8](try Data(contentsOf: file))
      for _ in 0..<1 + Int(random.next() % 64) {
        bytes[40 + Int(random.next() % UInt64(bytes.count - 40))] = UInt8(truncatingIfNeeded: random.next())
      }
      if seed % 4 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count - 40))) }
      try Data(bytes).write(to: file)
    }
    let archive = try newArchive(folder.path + "/a.sqlite")
    let addition = try archive.fill(folder.path + "/logs")
    #expect(addition.newPages == names.count + 2 && addition.failures.isEmpty)
    let rows = try archive.allRows()
    for table in ["contact", "heard", "own_payload", "read_payload", "page", "device"] {
      func others(_ rows: [String: [String]]) -> [String] {
        (rows[table] ?? []).filter { !$0.contains("EVIL") }
      }
      #expect(others(rows) == others(logs.rows), "\(table)")
    }
  }

  @Test func aDamagedPageInTheArchiveIsSaid() throws {
    let folder = try ScratchFolder()
    try logMeeting(in: folder.path + "/logs")
    let archive = try newArchive(folder.path + "/a.sqlite")
    try archive.fill(folder.path + "/logs")
    try archive.connection.execute(
      "UPDATE page SET bytes = ? WHERE id = 1", [.blob([0x28, 0xB5, 0x2F, 0xFD, 0])])
    try archive.deriveAgain()
    let error = failure { try archive.update() }
    #expect(error?.cause == .storage && error?.what.contains("damaged") == true)
    // A page that claims to be larger than any is not unpacked.
    try archive.connection.execute("UPDATE page SET size = ? WHERE id = 1", [.integer(1 << 40)])
    #expect(failure { try archive.update() }?.what.contains("damaged") == true)
  }

  @Test func anArchiveOfALaterVersionIsRefused() throws {
    let folder = try ScratchFolder()
    let path = folder.path + "/a.sqlite"
    let later = ArchiveSchema.version + 1
    try newArchive(path).connection.execute(
      "UPDATE setting SET value = ? WHERE name = 'schema'", [.text("\(later)")])
    let error = failure { _ = try Archive.open(path, create: true) }
    #expect(error?.cause == .storage && error?.what == "\(path) was made by a later version of this program")
    _ = try Archive(later: path)
  }

  @Test func otherFilesAreNoArchives() throws {
    let folder = try ScratchFolder()
    let text = folder.path + "/text"
    try Data("not a database at all, but long enough to look at".utf8).write(to: URL(fileURLWithPath: text))
    #expect(failure { _ = try Archive.open(text, create: true) }?.advice?.contains("not an archive") == true)
    let missing = folder.path + "/missing"
    #expect(
      failure { _ = try Archive.open(missing, create: false) }?.what == "there is no archive \(missing)")
    #expect(access(missing, F_OK) != 0)
    // The database in the folder of a device's log.
    let other = folder.path + "/archive.sqlite"
    try SQLiteConnection(path: other, create: true).execute(
      "CREATE TABLE device (id INTEGER PRIMARY KEY)", [])
    #expect(failure { _ = try Archive.open(other, create: true) }?.what.contains("is no archive") == true)
  }

  @Test func aFolderThatCannotBeReadKeepsNoOtherOut() throws {
    let folder = try ScratchFolder()
    try logMeeting(in: folder.path + "/logs")
    let broken = folder.path + "/logs/broken"
    try FileManager.default.createDirectory(atPath: broken + "/pages", withIntermediateDirectories: true)
    try Data("{".utf8).write(to: URL(fileURLWithPath: broken + "/device.json"))
    let archive = try newArchive(folder.path + "/a.sqlite")
    let addition = try archive.fill(folder.path + "/logs")
    #expect(addition.folders == 2 && addition.failures.map(\.folder) == [broken])
    #expect(try archive.figures(MeetingQuery()).count == 1)
  }

  @Test func namesAreKeptInAnyScript() throws {
    let folder = try ScratchFolder()
    let names = [
      "Łucja Żółć", "Ольга", "山田 花子", "نورة", "தமிழ்", "👩🏽‍⚕️ Zoë", "e\u{301}", "a'b\"c;--",
    ]
    for (index, name) in names.enumerated() {
      var device = try LoggingDevice("SERIAL\(index)")
      try device.read("SERIAL\((index + 1) % names.count)", from: 1, at: 0)
      try device.measure(1, -60, from: 0, count: 4)
      // PostgreSQL has no U+0000 in text.
      try device.pull(to: "\(folder.path)/logs/\(index)") { $0.name = "\(name)\u{0}" }
    }
    let archive = try newArchive(folder.path + "/a.sqlite")
    try archive.fill(folder.path + "/logs")
    #expect(try archive.devices().map { Array($0.name.utf8) } == names.map { Array("\($0)\u{FFFD}".utf8) })
    let lines = names.enumerated().map { "SERIAL\($0),\"\($1.replacing("\"", with: "\"\""))\"\n" }
    try archive.label(try PeopleFile(Array(("serial,name\n" + lines.joined()).utf8), days: .utc))
    try archive.update()
    for (index, name) in names.enumerated() {
      var query = MeetingQuery()
      (query.person, query.days) = (name, 20_260_914...20_260_914)
      let near = try archive.figures(query).map(\.other.label)
      let around = [names[(index + 1) % names.count], names[(index + names.count - 1) % names.count]]
      #expect(Set(near) == Set(around), "\(name)")
    }
  }
}

extension Archive {
  /// The archive stays as it is when it is refused.
  fileprivate convenience init(later path: String) throws {
    let connection = try SQLiteConnection(path: path, create: false)
    try connection.execute(
      "UPDATE setting SET value = ? WHERE name = 'schema'", [.text("\(ArchiveSchema.version)")])
    try self.init(connection)
  }
}
