import Foundation
import HeraldHostLink
import Testing

@testable import HeraldArchive

/// What is left of an archive that a command has begun and not finished.
@Suite("New archives")
struct NewArchiveTests {
  private let folder: ScratchFolder
  private let path: String
  private var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? ["?"] }

  init() throws {
    folder = try ScratchFolder()
    path = folder.path + "/a.sqlite"
  }

  @Test("Of one with a wrong time zone nothing is left; a file that was there stays")
  func wrongZone() throws {
    #expect(throws: HostLinkError.self) { try Archive.open(path, create: true, zone: "Mars/Phobos") }
    #expect(files.isEmpty)
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    #expect(throws: HostLinkError.self) { try Archive.open(path, create: true, zone: "Mars/Phobos") }
    #expect(files == ["a.sqlite"])
  }

  @Test("One that was made is discarded, one that was there is not")
  func discarded() throws {
    let archive = try Archive.open(path, create: true, zone: "UTC")
    try Archive.open(path, create: false).discard()
    #expect(files == ["a.sqlite"])
    archive.discard()
    #expect(files.isEmpty)
    let other = try Archive.open(path, create: true, zone: "UTC")
    other.discard(onlyIfEmpty: true)
    #expect(files.isEmpty)
  }

  @Test("One to which another program has written meanwhile stays")
  func shared() throws {
    let archive = try Archive.open(path, create: true, zone: "UTC")
    try Archive.open(path, create: false).set("note", "of another program")
    archive.discard()
    archive.discard(onlyIfEmpty: true)
    #expect(files == ["a.sqlite"])
  }
}
