import Foundation
import Testing

@testable import HeraldHostLink

/// A folder that is gone when the test is.
final class TemporaryFolder {
  let path: String

  init() {
    path = NSTemporaryDirectory() + "herald-" + UUID().uuidString
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite("Log download")
struct LogDownloadTests {
  func pull(
    _ device: FakeDevice, _ folder: TemporaryFolder, window: Int = 4, cutAfter: Int = .max,
    before step: @escaping (PageArchive.Step) throws(HostLinkError) -> Void = { _ throws(HostLinkError) in },
    trim: LogDownload.Keeping? = nil
  ) throws -> PullReport {
    let archive = try PageArchive(path: folder.path, create: true)
    archive.beforeStep = step
    let transport = DirectTransport(window: window) { device.answer($0) }
    transport.cutAfter = cutAfter
    let client = SMPClient(
      transport: transport, patience: SMPClient.Patience(timeout: .milliseconds(1), attempts: 2))
    var download = LogDownload(
      device: DeviceClient(client), archive: archive, inspect: FakeDevice.inspect, trim: trim,
      now: { 1_700_000_000_000 })
    return try download.run()
  }

  @Test("What an archive makes is for its owner alone, also over a part that was left behind")
  func modes() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/new"
    let archive = try PageArchive(path: path, create: true)
    #expect(FileManager.default.createFile(atPath: path + "/messages.csv.part", contents: nil))
    #expect(chmod(path + "/messages.csv.part", 0o644) == 0)
    try archive.write([0x61], named: "messages.csv")
    try archive.write([0x61], named: "visits.csv")
    func mode(_ file: String) -> mode_t {
      var attributes = stat()
      return stat(file, &attributes) == 0 ? attributes.st_mode & 0o777 : 0
    }
    #expect(mode(path) == 0o700 && mode(path + "/pages") == 0o700)
    #expect(mode(path + "/messages.csv") == 0o600 && mode(path + "/visits.csv") == 0o600)
  }

  /// What is in the folder is a part of what the device has, and nothing else.
  func check(_ folder: TemporaryFolder, _ device: FakeDevice) throws -> Int {
    let archive = try PageArchive(path: folder.path, create: true)
    let pages = try archive.pages()
    for name in pages {
      let bytes = try archive.read(name)
      if name.isOpen {
        #expect(FakeDevice.inspect(bytes, epoch: name.epoch, sequence: name.sequence) == .good)
      } else {
        #expect(bytes == device.pages[name.sequence])
      }
    }
    return pages.count
  }

  @Test("Everything is fetched once; next time only the open page and what is new", arguments: [1, 2, 4, 16])
  func incremental(window: Int) throws {
    let folder = TemporaryFolder()
    let device = FakeDevice(pages: 5)
    let report = try pull(device, folder, window: window)
    #expect(report.isComplete && report.newPages == 5 && report.knownPages == 0)
    #expect(report.bytes == 4 * 256 + 60)
    #expect(try check(folder, device) == 5)

    device.pages[5] = FakeDevice.page(5, count: 256)
    device.pages[6] = FakeDevice.page(6, count: 20)
    let before = device.reads.count
    let next = try pull(device, folder, window: window)
    #expect(next.isComplete && next.newPages == 2 && next.knownPages == 4)
    #expect(device.reads[before...].allSatisfy { $0.sequence >= 5 })
    #expect(try check(folder, device) == 6)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/pages").sorted()
    #expect(
      names == (1...5).map { "e90c0001-000000000\($0).page" } + ["e90c0001-0000000006.open.page"])
  }

  @Test("An empty log is no error")
  func empty() throws {
    let folder = TemporaryFolder()
    let device = FakeDevice(pages: 1)
    device.pages = [:]
    let report = try pull(device, folder)
    #expect(report.isComplete && report.newPages == 0)
  }

  @Test("A pull cut off after any packet continues")
  func cutLink() throws {
    for cut in 1... {
      let folder = TemporaryFolder()
      let device = FakeDevice(pages: 4)
      guard let report = try? pull(device, folder, cutAfter: cut) else { continue }
      _ = try check(folder, device)
      let again = try pull(device, folder)
      #expect(again.isComplete && again.newPages + again.knownPages == 4)
      #expect(try check(folder, device) == 4)
      if report.isComplete { break }
      #expect(report.stoppedBy?.cause == .link)
    }
  }

  @Test("A pull cut off before any step on the disk continues")
  func cutDisk() throws {
    for cut in 0... {
      let folder = TemporaryFolder()
      let device = FakeDevice(pages: 3)
      device.pages[3] = FakeDevice.page(3, count: 60)
      var steps = 0
      let report = try? pull(device, folder) { _ throws(HostLinkError) in
        steps += 1
        if steps > cut { throw HostLinkError(.storage, "cut") }
      }
      _ = try check(folder, device)
      device.pages[3] = FakeDevice.page(3, count: 256)
      device.pages[4] = FakeDevice.page(4, count: 30)
      #expect(try pull(device, folder).isComplete)
      #expect(try check(folder, device) == 4)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/pages")
      #expect(names.count == 4 && !names.contains { $0.hasSuffix(".part") })
      if report?.isComplete == true { break }
    }
  }

  @Test(
    "A device that misbehaves is reported, and what is good is kept",
    arguments: [
      FakeDevice.Fault.silent, .tooMuch, .wrongOffset, .noData, .wrongSequence, .garbage, .corruptPage,
      .refusePage,
      .changingPage, .oldFirmware,
    ])
  func faults(_ fault: FakeDevice.Fault) throws {
    let folder = TemporaryFolder()
    let device = FakeDevice(pages: 4)
    device.fault = fault
    let report = try pull(device, folder)
    #expect(!report.isComplete)
    let kept = try check(folder, device)
    if [.corruptPage, .refusePage, .changingPage].contains(fault) {
      #expect(kept == 3 && report.problems.count == 1, "\(kept) \(report.problems)")
    }
    device.fault = .none
    #expect(try pull(device, folder).isComplete)
    #expect(try check(folder, device) == 4)
  }

  @Test("Answers that come twice or late do no harm", arguments: [FakeDevice.Fault.twice, .deafOnce])
  func harmless(_ fault: FakeDevice.Fault) throws {
    let folder = TemporaryFolder()
    let device = FakeDevice(pages: 4)
    device.fault = fault
    #expect(try pull(device, folder).isComplete)
    #expect(try check(folder, device) == 4)
  }

  @Test("A page that is damaged on the device is kept when it comes the same way twice")
  func damaged() throws {
    let folder = TemporaryFolder()
    let device = FakeDevice(pages: 4)
    device.fault = .damagedPage
    let report = try pull(device, folder)
    #expect(
      report.isComplete && report.newPages == 4 && report.remarks == ["page 2 ends in EE"], "\(report)")
    #expect(device.bytesRead == 4 * 256 - 196 + 256)
  }

  @Test("A pull goes on at the byte where the one before was cut off, also within the page that grows")
  func resumes() throws {
    let all = 4 * 256 + 60
    for cut in 1... {
      let folder = TemporaryFolder()
      let device = FakeDevice(pages: 5)
      let first = try? pull(device, folder, window: 2, cutAfter: cut)
      let arrived = device.bytesRead
      let again = try pull(device, folder, window: 2)
      #expect(again.isComplete)
      #expect(try check(folder, device) == 5)
      // Nothing that had arrived is asked for again, but for the byte that shows that a page is whole, and what the cut left unread.
      #expect(device.bytesRead - arrived >= all - arrived)
      #expect(device.bytesRead <= all + 2 * device.chunk + 1, "cut after \(cut): \(device.bytesRead)")
      if first?.isComplete == true { break }
    }
    // The rest of a page that has grown.
    let folder = TemporaryFolder()
    let device = FakeDevice(pages: 2)
    #expect(try pull(device, folder).isComplete)
    device.pages[2] = FakeDevice.page(2, count: 256)
    device.pages[3] = FakeDevice.page(3, count: 8)
    let before = device.bytesRead
    #expect(try pull(device, folder).isComplete)
    #expect(device.bytesRead - before == 256 - 60 + 8)
    #expect(try check(folder, device) == 3)
  }

  @Test("A beginning that is none, or another's, is fetched again and leaves nothing behind")
  func wrongBeginnings() throws {
    let folder = TemporaryFolder()
    let device = FakeDevice(pages: 3)
    let archive = try PageArchive(path: folder.path, create: true)
    func name(_ sequence: UInt32, _ epoch: UInt32 = FakeDevice.epoch) -> PageName {
      PageName(epoch: epoch, sequence: sequence, isOpen: false)
    }
    try archive.storeBeginning([UInt8](repeating: 7, count: 100), of: name(1))
    try archive.storeBeginning([UInt8](repeating: 7, count: 5000), of: name(2))
    try archive.storeBeginning([1, 2], of: name(1, 7))
    try archive.storeBeginning([1, 2], of: name(9))
    #expect(
      FileManager.default.createFile(atPath: folder.path + "/pages/../contacts.csv.part", contents: nil))
    #expect(FileManager.default.createFile(atPath: folder.path + "/pages/x.part", contents: nil))
    withExtendedLifetime(archive) {}
    _ = consume archive
    let report = try pull(device, folder)
    #expect(report.isComplete && report.problems.isEmpty && report.newPages == 3, "\(report)")
    #expect(try check(folder, device) == 3)
    let left = FileManager.default.subpaths(atPath: folder.path) ?? []
    #expect(left.filter { $0.hasSuffix(".part") } == ["pages/e90c0001-0000000009.page.part"])
  }

  @Test(
    "Nothing is acknowledged without being asked to, and only what is kept, in one stretch from the oldest on"
  )
  func trims() throws {
    let folder = TemporaryFolder()
    let device = FakeDevice(pages: 6)
    #expect(try pull(device, folder).trimmedThrough == nil)
    #expect(device.acknowledged.isEmpty && device.commits == 1)
    func name(_ sequence: UInt32) -> PageName {
      PageName(epoch: FakeDevice.epoch, sequence: sequence, isOpen: false)
    }
    // The database lacks page 4.
    let report = try pull(device, folder, trim: { _ throws(HostLinkError) in Set([1, 2, 3, 5].map(name)) })
    #expect(report.trimmedThrough == 3 && report.trimmedPages == 3 && device.acknowledged == [1, 2, 3])
    device.first = 4
    #expect(
      try pull(device, folder, trim: { _ throws(HostLinkError) in Set([1, 2, 3, 5].map(name)) })
        .trimmedThrough
        == nil)
    // The folder lacks page 5, whatever the database says; the open page is never said to be here.
    let all: LogDownload.Keeping = { folder throws(HostLinkError) in
      unlink(folder.path + "/pages/" + name(5).fileName)
      return Set((1...9).map(name))
    }
    #expect(try pull(device, folder, trim: all).trimmedThrough == 4)
    #expect(
      try pull(device, folder, trim: { _ throws(HostLinkError) in Set((1...9).map(name)) }).trimmedThrough
        == 5)
    #expect(device.acknowledged == [1, 2, 3, 4, 4, 5])
    // A database that fails ends the pull, whose pages stay.
    let failed = try pull(
      device, folder, trim: { _ throws(HostLinkError) in throw HostLinkError(.storage, "full") })
    #expect(failed.stoppedBy?.cause == .storage && device.acknowledged == [1, 2, 3, 4, 4, 5])
  }

  @Test("Pages of another device under the epoch of this one have nothing erased that was not fetched")
  func forged() throws {
    let all: LogDownload.Keeping = { folder throws(HostLinkError) in Set(try folder.pages()) }
    func forge(_ sequences: [UInt32], _ folder: TemporaryFolder) throws {
      let archive = try PageArchive(path: folder.path, create: true)
      for sequence in sequences {
        var page = FakeDevice.page(sequence, count: FakeDevice.pageSize)
        // Three bytes and their sum are others: a good page, as far as that can be seen.
        page[40] &+= 1
        page[43] &+= 1
        try archive.store(page, as: PageName(epoch: FakeDevice.epoch, sequence: sequence, isOpen: false))
      }
    }
    // All of them: nothing goes.
    let folder = TemporaryFolder()
    let device = FakeDevice(pages: 6)
    try forge([1, 2, 3, 4, 5], folder)
    var report = try pull(device, folder, trim: all)
    #expect(report.differingPage == 1 && report.trimmedThrough == nil && report.trimmedPages == 0)
    #expect(!report.isComplete && report.stoppedBy == nil && report.knownPages == 5)
    #expect(device.acknowledged.isEmpty)
    // One of them: what is before it goes.
    let second = TemporaryFolder()
    try forge([3], second)
    report = try pull(device, second, trim: all)
    #expect(report.differingPage == 3 && report.trimmedThrough == 2 && report.trimmedPages == 2)
    #expect(device.acknowledged == [1, 2])
    // As it is advised: without the file the device's own page is fetched, and the rest goes.
    let name = PageName(epoch: FakeDevice.epoch, sequence: 3, isOpen: false)
    unlink("\(second.path)/pages/\(name.fileName)")
    report = try pull(device, second, trim: all)
    #expect(report.isComplete && report.newPages == 2 && report.trimmedThrough == 5)
  }

  @Test(
    "A log is erased without being kept by who has read each page of it, and not what the device denies to have sent"
  )
  func erases() throws {
    let device = FakeDevice(pages: 6)
    var progress: [PullProgress] = []
    func erase(_ device: FakeDevice) throws(HostLinkError) -> Int {
      let client = DeviceClient(SMPClient(transport: DirectTransport { device.answer($0) }))
      return try LogErasure(client) { progress.append($0) }.run(try client.logStatus())
    }
    #expect(try erase(device) == 5)
    #expect(device.acknowledged == [1, 2, 3, 4, 5] && device.commits == 0)
    #expect(progress.last == PullProgress(pages: 5, ofPages: 5, bytes: 5 * FakeDevice.pageSize))
    let changing = FakeDevice(pages: 6)
    changing.fault = .changingPage
    #expect(throws: HostLinkError.self) { try erase(changing) }
    #expect(changing.acknowledged == [1])
    // One that was overwritten meanwhile.
    let hurried = FakeDevice(pages: 6)
    hurried.pages[1] = nil
    hurried.pages[2] = nil
    #expect(throws: HostLinkError.self) { try erase(hurried) }
    hurried.overwritten = 2
    #expect(try erase(hurried) == 3)
    #expect(hurried.acknowledged == [3, 4, 5])
    #expect(try erase(FakeDevice(pages: 1)) == 0)
  }

  @Test("Cut off at any step on the disk or of the link, nothing is acknowledged that is not on the disk")
  func trimsSafely() throws {
    for cut in 0... {
      let folder = TemporaryFolder()
      let device = FakeDevice(pages: 4)
      var steps = 0
      let report = try? pull(
        device, folder, cutAfter: cut % 19,
        before: { _ throws(HostLinkError) in
          steps += 1
          if steps > cut { throw HostLinkError(.storage, "cut") }
        }, trim: { folder throws(HostLinkError) in Set(try folder.pages()) })
      for sequence in device.acknowledged {
        let path = folder.path + "/pages/"
        for page in 1...sequence {
          let file = PageName(epoch: FakeDevice.epoch, sequence: page, isOpen: false).fileName
          #expect(FileManager.default.contents(atPath: path + file).map(Array.init) == device.pages[page])
        }
      }
      if report?.trimmedThrough == 3, cut > 40 { break }
    }
  }

  @Test("A device that answers other questions than were asked is no answer")
  func foreignSequence() throws {
    let folder = TemporaryFolder()
    let device = FakeDevice(pages: 2)
    device.fault = .foreignSequence
    #expect(throws: HostLinkError.self) { try pull(device, folder) }
  }

  @Test("Sequence numbers that run backwards are reported, and what is here stays")
  func backwards() throws {
    let folder = TemporaryFolder()
    let device = FakeDevice(pages: 6)
    #expect(try pull(device, folder).isComplete)
    let older = FakeDevice(pages: 3)
    let report = try pull(older, folder)
    #expect(!report.isComplete && report.problems.count == 1)
    #expect(try check(folder, device) == 6)
  }

  @Test("Pages that were overwritten are counted, before the pull and during it")
  func overwritten() throws {
    let folder = TemporaryFolder()
    let device = FakeDevice(pages: 3)
    #expect(try pull(device, folder).isComplete)
    for sequence in UInt32(3)...9 { device.pages[sequence] = FakeDevice.page(sequence, count: 256) }
    device.first = 7
    let report = try pull(device, folder)
    #expect(report.isComplete && report.lostPages == 3 && report.newPages == 3)

    let racing = FakeDevice(pages: 4)
    racing.pages[1] = nil
    let other = TemporaryFolder()
    let raced = try pull(racing, other)
    #expect(raced.isComplete && raced.lostPages == 1 && raced.newPages == 3)
  }

  @Test("Two programs cannot work on one folder")
  func locked() throws {
    let folder = TemporaryFolder()
    let archive = try PageArchive(path: folder.path, create: true)
    #expect(throws: HostLinkError.self) { try PageArchive(path: folder.path, create: true) }
    _ = archive.device
  }

  @Test("Only names that were made here are pages")
  func names() {
    #expect(PageName(epoch: 0xAB, sequence: 7, isOpen: false).fileName == "000000ab-0000000007.page")
    #expect(PageName(fileName: "000000ab-0000000007.page")?.sequence == 7)
    #expect(PageName(fileName: "000000ab-0000000007.open.page")?.isOpen == true)
    for bad in [
      "", ".page", "ab-7.page", "000000AB-0000000007.page", "000000ab-0000000007.page.part", "../x-1.page",
      "000000ab--000000007.page", "000000ab-0000000007", "+00000ab-0000000007.page",
      "000000ab-9999999999.page",
    ] { #expect(PageName(fileName: bad) == nil) }
  }

  @Test("The host's date is remembered once; the device's replaces it")
  func clocks() throws {
    let folder = TemporaryFolder()
    let device = FakeDevice(pages: 2)
    _ = try pull(device, folder)
    let fix = try PageArchive(path: folder.path, create: false).device.clocks
    #expect(fix.count == 1 && fix[0].source == .host && fix[0].unixMilliseconds == 1_700_000_000_000)
    device.unix = 1_600_000_000_000
    _ = try pull(device, folder)
    let better = try PageArchive(path: folder.path, create: false).device.clocks
    #expect(
      better.count == 1 && better[0].source == .device && better[0].unixMilliseconds == 1_600_000_000_000)
  }
}
