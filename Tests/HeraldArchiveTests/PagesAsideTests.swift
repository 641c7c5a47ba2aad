import Foundation
import HeraldCrypto
import HeraldEmbedded
import HeraldHostLink
import Testing

@testable import HeraldArchive

/// Pages of another device that a pull in a session has kept aside.
@Suite("Pages that are kept aside")
struct PagesAsideTests {
  /// What an archive tells of a folder. Names that nothing refers to any more may stay.
  private func rows(_ archive: Archive) throws -> [String: [String]] {
    try archive.allRows().filter { $0.key != "payload" && $0.key != "who" }
  }

  @Test("An archive drops the records of a page that was not the device's, and has those of its own")
  func replaced() throws {
    let folder = try ScratchFolder()
    let (log, other, real) = ("\(folder.path)/log", "\(folder.path)/other", "\(folder.path)/real")
    // What an impostor says of the same serial number and epoch: somebody who was never there.
    var impostor = try LoggingDevice("ONE")
    try impostor.read("GHOST", from: 9, at: 0)
    try impostor.measureMuch(9, -40, from: 0, count: 12_000)
    let forged = try impostor.pull(to: log)
    #expect(forged.count { !$0.isOpen } > 1)
    let archive = try newArchive("\(folder.path)/archive.sqlite")
    try archive.fill(log)
    let before = try rows(archive)
    // The device itself.
    var device = try LoggingDevice("ONE")
    try device.read("TWO", from: 2, at: 0)
    try device.measureMuch(2, -60, from: 0, count: 6000)
    try device.pull(to: real)
    // Of a folder that nobody has compared the archive takes no other page of a number.
    try FileManager.default.copyItem(atPath: real, toPath: other)
    #expect(!(try archive.fill(other).refused.isEmpty))
    // A pull in a session keeps the forged pages aside, as `LogDownload` does, and fetches the device's.
    for name in forged {
      let path = "\(log)/pages/\(name.fileName)"
      let digest = SHA256.digest(of: [UInt8](try #require(FileManager.default.contents(atPath: path))).span)
      let text = digest.indices.map { (digest[$0] < 16 ? "0" : "") + String(digest[$0], radix: 16) }.joined()
      try FileManager.default.moveItem(atPath: path, toPath: "\(path).\(text)")
    }
    for name in try FileManager.default.contentsOfDirectory(atPath: real + "/pages") {
      try FileManager.default.copyItem(atPath: "\(real)/pages/\(name)", toPath: "\(log)/pages/\(name)")
    }
    let addition = try archive.fill(log)
    #expect(addition.refused.isEmpty && addition.newPages > 1)
    let found = try rows(archive)
    let fresh = try newArchive("\(folder.path)/fresh.sqlite")
    try fresh.fill(real)
    #expect(try found == rows(fresh) && found != before)
    // Once: the next time nothing is new.
    #expect(try archive.fill(log).newPages == 0)
    #expect(try rows(archive) == found)
    // The database in the folder follows as well.
    let conversions = try [log, real].map { try LogConversion(try PageStore(path: $0, create: false)) }
    #expect(conversions[0].readings == conversions[1].readings && conversions[0].readings > 0)
    #expect(conversions[0].contacts.map(\.payload) == [LoggingDevice.payload(of: "TWO")])
  }

  @Test("An archive drops a date that was not the device's, in the order in which folders are added")
  func dates() throws {
    let folder = try ScratchFolder()
    let log = "\(folder.path)/log"
    func fix(_ boot: UInt32, _ date: UInt64, _ isProved: Bool?) -> DeviceRecord.ClockFix {
      DeviceRecord.ClockFix(
        epoch: 1, boot: boot, uptimeMilliseconds: 60_000, unixMilliseconds: date, source: .device,
        isProved: isProved)
    }
    // A device without a date of its own: an impostor says 2001, of this start and of one that never was.
    var device = try LoggingDevice("ONE", date: nil)
    try device.read("TWO", from: 2, at: 0)
    try device.measure(2, -60, from: 0, count: 40)
    try device.pull(to: log) {
      $0.note(fix(1, 1_000_000_000_000, nil))
      $0.note(fix(7, 1_000_000_900_000, nil))
    }
    let archive = try newArchive("\(folder.path)/archive.sqlite")
    try archive.fill(log)
    let forged = try rows(archive)
    #expect(forged["clock"]?.count == 2)
    try PageStore(path: log, create: false).updateDevice { $0.note(fix(1, shiftBegin, true)) }
    try archive.fill(log)
    let fresh = try newArchive("\(folder.path)/fresh.sqlite")
    try fresh.fill(log)
    let found = try rows(archive)
    #expect(try found == rows(fresh) && found != forged && found["clock"]?.count == 1)
  }
}
