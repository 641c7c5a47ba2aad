import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldHostLink
import HeraldSimulation
import Testing

@testable import HeraldArchive

/// Pages that come without the owner's key, and are opened later.
@Suite("Sealed pages in an archive")
final class SealedPageTableTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/sealed-\(UUID().uuidString)"
  private let serial = "SEAL-0001"

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// The private key of these bytes, by a file.
  private func keys(_ secret: [UInt8] = [UInt8](1...32)) throws -> SealedPageKeys {
    let path = "\(folder)/key-\(UUID().uuidString)"
    try #require(
      FileManager.default.createFile(
        atPath: path, contents: Data(secret), attributes: [.posixPermissions: 0o600]))
    return try SealedPageKeys.read(
      [path], passphrase: { _ throws(HostLinkError) in nil }, openToOthers: { _ in })
  }

  /// The folder of a device with some closed sealed pages and an open one; `readings` are in it.
  private func log(_ name: String, readings: Int) throws -> String {
    var log = FlashLog<MemoryFlash, 16>(
      flash: MemoryFlash(FlashImage(pageSize: 1024, pageCount: 32, wordSize: 4)))
    let secret = [UInt8](33...64)
    let owner = SealedPageOpener(secret: [UInt8](1...32).span).publicKey
    log.sealer.begin(secret: secret.span)
    for _ in 0..<2 {
      while !log.sealer.advance() {}
      log.makeKeys(owner: owner.span, serial: Array(serial.utf8).span, at: .start)
    }
    log.mount(freshEpoch: 7)
    var clock = WallClock()
    clock.set(unixMilliseconds: ReportWard.start, at: .start, source: .host)
    for number in 0..<readings {
      try log.append(
        .measured(ReportWard.address("B1"), RSSI(Int8(-40 - ((number &* 2_654_435_761) &>> 13) % 50))),
        at: Instant(milliseconds: UInt64(number) * 1000), clock: clock)
    }
    log.commit()
    let path = "\(folder)/\(name)"
    try FileManager.default.createDirectory(atPath: path + "/pages", withIntermediateDirectories: true)
    for page in try log.committedPages() {
      let file = PageName(epoch: 7, sequence: page.sequence, isOpen: page.isOpen).fileName
      try Data(page.bytes).write(to: URL(fileURLWithPath: "\(path)/pages/\(file)"))
    }
    var record = DeviceRecord()
    record.serial = serial
    record.note(epoch: 7)
    try JSONEncoder().encode(record).write(to: URL(fileURLWithPath: path + "/device.json"))
    return path
  }

  private func closed(_ path: String) throws -> Set<PageName> {
    Set(try PageStore(path: path, create: false).pages().filter { !$0.isOpen })
  }

  @Test(
    "Without a key closed pages are kept as they are, count as kept, and are opened later, without a folder")
  func later() throws {
    let path = try log("log", readings: 3000)
    let count = try closed(path).count
    #expect(count > 1)
    let archive = try Archive(try SQLiteConnection(path: "\(folder)/a.sqlite", create: true))
    var addition = try archive.add(folders: [path])
    #expect(addition.newPages == 0 && addition.sealedPages == count + 1)
    #expect(try archive.sealedPageCount() == count && archive.keptPages(of: path) == closed(path))
    // Again, and with the key of somebody else: nothing changes.
    addition = try archive.add(folders: [path])
    #expect(addition.sealedPages == count + 1 && addition.refused.isEmpty)
    let other = try archive.openSealedPages(keys([UInt8](2...33)))
    #expect(other.opened == 0 && other.left == count)
    try archive.update()
    #expect(try archive.contents().readings == 0)
    try FileManager.default.removeItem(atPath: path)
    let opened = try archive.openSealedPages(keys())
    #expect(opened.opened == count && opened.left == 0)
    #expect(try archive.sealedPageCount() == 0)
    try archive.update()
    // They are what an archive has that was given the key at once.
    let same = try log("again", readings: 3000)
    let direct = try Archive(try SQLiteConnection(path: "\(folder)/b.sqlite", create: true))
    _ = try direct.add(folders: [same], keys: keys())
    let sql =
      "SELECT epoch, sequence, sha256, size, bytes FROM page WHERE is_open = 0 ORDER BY sequence"
    let rows = try archive.connection.rows(sql).map { "\($0.values)" }
    #expect(try rows == direct.connection.rows(sql).map { "\($0.values)" } && rows.count == count)
    #expect(try archive.keptPages(of: same) == closed(same))
  }

  @Test("A page of the same number with other bytes is refused, sealed as well as opened")
  func refused() throws {
    let path = try log("log", readings: 3000)
    let archive = try Archive(try SQLiteConnection())
    _ = try archive.add(folders: [path])
    let first = try #require(try closed(path).min())
    let file = "\(path)/pages/\(first.fileName)"
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    bytes[90] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    let addition = try archive.add(folders: [path])
    #expect(addition.refused == [file])
    #expect(try archive.keptPages(of: path) == closed(path).subtracting([first]))
    // The one that came first is opened.
    let opened = try archive.openSealedPages(keys())
    #expect(try opened.opened == closed(path).count && opened.left == 0)
  }

  @Test("With the key at once nothing stays sealed; an archive of an earlier version gets the table")
  func atOnce() throws {
    let path = try log("log", readings: 3000)
    let archive = try Archive(try SQLiteConnection())
    try archive.connection.execute("DROP TABLE sealed_page")
    #expect(try archive.sealedPageCount() == 0)
    #expect(try archive.openSealedPages(keys()).left == 0)
    _ = try archive.add(folders: [path])
    let addition = try archive.add(folders: [path], keys: keys())
    #expect(try addition.newPages == closed(path).count + 1 && addition.sealedPages == 0)
    #expect(try archive.sealedPageCount() == 0)
  }
}
