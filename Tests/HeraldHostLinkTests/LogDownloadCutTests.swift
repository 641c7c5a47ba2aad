import Foundation
import Testing

@testable import HeraldHostLink

@Suite("Log download: cut off")
struct LogDownloadCutTests {
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

  @Test("A pull continues at the byte where the one before was cut off, also within the page that grows")
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
      // Nothing that had arrived is asked for again, but for the byte that shows that a page is whole, and
      // what the cut left unread.
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
    let pageStore = try PageStore(path: folder.path, create: true)
    func name(_ sequence: UInt32, _ epoch: UInt32 = FakeDevice.epoch) -> PageName {
      PageName(epoch: epoch, sequence: sequence, isOpen: false)
    }
    try pageStore.storeBeginning([UInt8](repeating: 7, count: 100), of: name(1))
    try pageStore.storeBeginning([UInt8](repeating: 7, count: 5000), of: name(2))
    try pageStore.storeBeginning([1, 2], of: name(1, 7))
    try pageStore.storeBeginning([1, 2], of: name(9))
    #expect(
      FileManager.default.createFile(atPath: folder.path + "/pages/../contacts.csv.part", contents: nil))
    #expect(FileManager.default.createFile(atPath: folder.path + "/pages/x.part", contents: nil))
    withExtendedLifetime(pageStore) {}
    _ = consume pageStore
    let report = try pull(device, folder)
    #expect(report.isComplete && report.problems.isEmpty && report.newPages == 3, "\(report)")
    #expect(try check(folder, device) == 3)
    let left = FileManager.default.subpaths(atPath: folder.path) ?? []
    #expect(left.filter { $0.hasSuffix(".part") } == ["pages/e90c0001-0000000009.page.part"])
  }
}
