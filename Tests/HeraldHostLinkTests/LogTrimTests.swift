import Foundation
import Testing

@testable import HeraldHostLink

@Suite("Log download: what the device erases")
struct LogTrimTests {
  @Test(
    "Nothing is acknowledged without being asked to, and only what is kept, in one stretch from the oldest on"
  )
  func trims() throws {
    let folder = TemporaryFolder()
    let device = FakeDevice(pages: 6)
    #expect(try pull(device, folder).trimmedThrough == nil)
    #expect(device.acknowledged.isEmpty && device.commits == 1)
    func trim(_ device: FakeDevice, kept: [UInt32]) throws -> LogTrimming.Outcome {
      let client = DeviceClient(SMPClient(transport: DirectTransport { device.answer($0) }))
      var trimming = LogTrimming(client, try PageStore(path: folder.path, create: false))
      let names = kept.map { PageName(epoch: FakeDevice.epoch, sequence: $0, isOpen: false) }
      try trimming.run(epoch: FakeDevice.epoch, kept: Set(names))
      return trimming.outcome
    }
    // An archive lacks page 4.
    let outcome = try trim(device, kept: [1, 2, 3, 5])
    #expect(outcome.trimmedThrough == 3 && outcome.trimmedPages == 3 && device.acknowledged == [1, 2, 3])
    device.first = 4
    #expect(try trim(device, kept: [1, 2, 3, 5]).trimmedThrough == nil)
    // The folder lacks page 5, whatever the archive says; the open page is never said to be here.
    unlink(folder.path + "/pages/" + PageName(epoch: FakeDevice.epoch, sequence: 5, isOpen: false).fileName)
    #expect(try trim(device, kept: Array(1...9)).trimmedThrough == 4)
    #expect(try pull(device, folder, trims: true).trimmedThrough == 5)
    #expect(device.acknowledged == [1, 2, 3, 4, 4, 5])
  }

  @Test("A page that the device does not have any more holds up none of those behind it")
  func goneFirst() throws {
    let device = FakeDevice(pages: 5)
    device.pages[1] = nil
    device.overwritten = 1
    let report = try pull(
      device, TemporaryFolder(), trims: true)
    #expect(report.lostPages == 1 && report.newPages == 4)
    #expect(report.trimmedThrough == 4 && device.acknowledged == [2, 3, 4])
  }

  @Test("Pages of another device under the epoch of this one have nothing erased that was not fetched")
  func forged() throws {
    func forge(_ sequences: [UInt32], _ folder: TemporaryFolder) throws {
      let pageStore = try PageStore(path: folder.path, create: true)
      for sequence in sequences {
        var page = FakeDevice.page(sequence, count: FakeDevice.pageSize)
        // Three bytes and their sum are others: a good page, as far as that can be seen.
        page[40] &+= 1
        page[43] &+= 1
        try pageStore.store(page, as: PageName(epoch: FakeDevice.epoch, sequence: sequence, isOpen: false))
      }
    }
    // All of them: nothing goes.
    let folder = TemporaryFolder()
    let device = FakeDevice(pages: 6)
    try forge([1, 2, 3, 4, 5], folder)
    var report = try pull(device, folder, trims: true)
    #expect(report.differingPage == 1 && report.trimmedThrough == nil && report.trimmedPages == 0)
    #expect(!report.isComplete && report.stoppedBy == nil && report.knownPages == 5)
    #expect(device.acknowledged.isEmpty)
    // One of them: what is before it goes.
    let second = TemporaryFolder()
    try forge([3], second)
    report = try pull(device, second, trims: true)
    #expect(report.differingPage == 3 && report.trimmedThrough == 2 && report.trimmedPages == 2)
    #expect(device.acknowledged == [1, 2])
    // As it is advised: without the file the device's own page is fetched, and the rest goes.
    let name = PageName(epoch: FakeDevice.epoch, sequence: 3, isOpen: false)
    unlink("\(second.path)/pages/\(name.fileName)")
    report = try pull(device, second, trims: true)
    #expect(report.isComplete && report.newPages == 2 && report.trimmedThrough == 5)
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
        }, trims: true)
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
}
