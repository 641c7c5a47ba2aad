import Foundation
import Testing

@testable import HeraldHostLink

@Suite("Files on this computer")
struct LocalFileTests {
  private let folder = TemporaryFolder()

  init() throws { try PrivateFolder.make(folder.path) }

  private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  private func put(_ text: String, _ name: String) {
    #expect(FileManager.default.createFile(atPath: path(name), contents: Data(text.utf8)))
  }

  private func error(_ body: () throws -> Void) -> HostLinkError? {
    do { try body() } catch { return error as? HostLinkError }
    return nil
  }

  @Test("Only a file that is not there is absent")
  func absence() throws {
    #expect(try LocalFile.bytes(path("none"), atMost: 10) == nil)
    put("abc", "file")
    // Below a file there is nothing.
    #expect(try LocalFile.bytes(path("file/none"), atMost: 10) == nil)
    #expect(try !LocalFile.exists(path("file/none")) && LocalFile.exists(path("file")))
    #expect(try LocalFile.bytes(path("file"), atMost: 3) == Array("abc".utf8))
    // A name too long, and a link that leads to itself, are errors for root as well.
    let long = String(repeating: "a", count: 300)
    symlink("loop", path("loop"))
    for name in [long, "loop"] {
      #expect(error { _ = try LocalFile.bytes(path(name), atMost: 10) }?.cause == .storage)
      #expect(error { _ = try LocalFile.exists(path(name)) }?.cause == .storage)
      #expect(error { _ = try LocalFile.names(in: path(name)) }?.cause == .storage)
    }
    #expect(
      error { _ = try LocalFile.bytes(path("none"), atMost: 10, missing: "make it") }?.description
        == "\(path("none")) cannot be read (No such file or directory): make it")
  }

  @Test("What is too large, a folder, or a device is not read, and a named pipe is not waited for")
  func bounds() throws {
    put("abcd", "file")
    #expect(
      error { _ = try LocalFile.bytes(path("file"), atMost: 3) }?.what
        == "\(path("file")) is larger than 3 bytes, and is not read")
    // Three gigabytes that occupy no disk, and would not fit into memory many times.
    put("", "sparse")
    #expect(truncate(path("sparse"), 3 << 30) == 0)
    #expect(
      error { _ = try LocalFile.bytes(path("sparse"), atMost: 8 << 20) }?.what
        == "\(path("sparse")) is larger than 8 MiB, and is not read")
    #expect(mkfifo(path("pipe"), 0o600) == 0)
    for name in [path("pipe"), folder.path, "/dev/zero"] {
      #expect(error { _ = try LocalFile.bytes(name, atMost: 10) }?.what.hasSuffix("and is not read") == true)
    }
    // A pipe that the program was started with.
    let pipe = Pipe()
    pipe.fileHandleForWriting.write(Data("abc".utf8))
    try pipe.fileHandleForWriting.close()
    let number = pipe.fileHandleForReading.fileDescriptor
    #expect(try LocalFile.bytes("/dev/fd/\(number)", atMost: 10) == Array("abc".utf8))
  }

  @Test("Nothing is written through a symbolic link, whatever it leads to")
  func links() throws {
    put("victim", "victim")
    chmod(path("victim"), 0o644)
    symlink("victim", path("link"))
    symlink("nothing", path("dangling"))
    for name in ["link", "dangling"] {
      let what = error { _ = try LocalFile.open(writing: path(name)) }?.what
      #expect(what == "\(path(name)) is a symbolic link, and nothing is written through it")
      #expect(error { _ = try LocalFile.prepareDatabase(path(name), create: true) }?.what == what)
      #expect(error { _ = try LocalFile.make(path(name), replacing: false) }?.cause == .storage)
    }
    #expect(try LocalFile.prepareDatabase(path("link"), create: true, followsLink: true))
    #expect(
      error { _ = try LocalFile.prepareDatabase(path("dangling"), create: true, followsLink: true) } != nil)
    // A new file takes the place of the link.
    close(try LocalFile.make(path("link")))
    #expect(try LocalFile.bytes(path("link"), atMost: 10) == [])
    #expect(try LocalFile.bytes(path("victim"), atMost: 10) == Array("victim".utf8))
    #expect(try !LocalFile.exists(path("nothing")))
    var status = stat()
    #expect(stat(path("victim"), &status) == 0 && status.st_mode & 0o777 == 0o644)
    // Files that SQLite writes beside a database.
    for end in ["-journal", "-wal", "-shm"] {
      symlink("victim", path("database\(end)"))
      #expect(
        error { _ = try LocalFile.prepareDatabase(path("database"), create: true) }?.what
          == "\(path("database"))\(end) is a symbolic link, and nothing is written through it")
      unlink(path("database\(end)"))
    }
    #expect(try !LocalFile.prepareDatabase(path("database"), create: false))
    #expect(try !LocalFile.prepareDatabase(path("database"), create: true))
    #expect(try LocalFile.prepareDatabase(path("database"), create: true))
  }

  @Test("Every file of the folder of a log that is a link is replaced or refused, and none is followed")
  func logFolder() throws {
    put("victim", "victim")
    let log = path("log")
    let page = PageName(epoch: 1, sequence: 1, isOpen: false)
    do {
      let store = try PageStore(path: log, create: true)
      for name in [
        "device.json.part", "pages/\(page.fileName).part", "pages/\(page.fileName)", "other.part", "other",
      ] {
        unlink("\(log)/\(name)")
        symlink(path("victim"), "\(log)/\(name)")
      }
      try store.updateDevice { $0.serial = "A" }
      try store.store([1, 2, 3], as: page)
      try store.write([4], named: "other")
      symlink(path("victim"), "\(log)/contacts.csv")
      let file = TableFile(folder: log, name: "contacts.csv", header: "a\n", keeping: 4)
      #expect(error { try file.begin() }?.cause == .storage)
      for name in ["contacts.csv.part", "statistics.csv", "conversion.state", "conversion.state.part"] {
        symlink(path("victim"), "\(log)/\(name)")
      }
      _ = try LogConversion(store)
      #expect(
        try FileManager.default.destinationOfSymbolicLink(atPath: "\(log)/contacts.csv.before")
          == path("victim"))
      #expect(try store.read(page) == [1, 2, 3])
      symlink(folder.path, "\(log)/export")
      #expect(
        error { _ = try store.subfolder("export") }?.what
          == "\(log)/export is a symbolic link, and nothing is written through it")
      unlink("\(log)/export")
      #expect(try store.subfolder("export") == "\(log)/export" && LocalFile.exists("\(log)/export"))
    }
    #expect(try PageStore(path: log, create: false).device.serial == "A")
    #expect(try LocalFile.bytes(path("victim"), atMost: 10) == Array("victim".utf8))
    // The folder of the pages itself.
    #expect(rename("\(log)/pages", path("elsewhere")) == 0)
    symlink(path("elsewhere"), "\(log)/pages")
    for create in [true, false] {
      #expect(
        error { _ = try PageStore(path: log, create: create) }?.what
          == "\(log)/pages is a symbolic link, and nothing is written through it")
    }
  }

  @Test("A device record that cannot be read is not that of a new folder")
  func deviceRecord() throws {
    let log = path("log")
    _ = try PageStore(path: log, create: true)
    // For root every file is readable: these are not.
    for make in [{ symlink("device.json", "\(log)/device.json") }, { mkdir("\(log)/device.json", 0o700) }] {
      #expect(make() == 0)
      for create in [true, false] {
        #expect(error { _ = try PageStore(path: log, create: create) }?.cause == .storage)
      }
      remove("\(log)/device.json")
    }
    put("", "log/device.json")
    #expect(truncate("\(log)/device.json", 3 << 30) == 0)
    #expect(
      error { _ = try PageStore(path: log, create: false) }?.what
        == "\(log)/device.json is larger than 8 MiB, and is not read")
  }

  @Test("A folder that cannot be read is named by who looks for logs in it")
  func search() throws {
    _ = try PageStore(path: path("all/one"), create: true)
    symlink("two", path("all/two"))
    #expect(try PageStoreSearch.folders(in: [path("all")]) == [path("all/one"), path("all/two")])
    #expect(
      error { _ = try PageStore(path: path("all/two"), create: false) }?.what.contains("cannot be read")
        == true)
    #expect(PageStoreSearch.existing(in: path("none")) == [])
  }
}
