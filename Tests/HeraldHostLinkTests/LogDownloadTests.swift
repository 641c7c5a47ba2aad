import Foundation
import Testing

@testable import HeraldHostLink

@Suite("Log download")
struct LogDownloadTests {
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

  @Test("Responses that come twice or late do no harm", arguments: [FakeDevice.Fault.twice, .deafOnce])
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

  @Test("A response to another request is skipped")
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
    #expect(report.remarks == ["pages 4 to 6 were overwritten on the device before this pull"])

    // The page after the newest that is here is the oldest there: none is missing.
    for sequence in UInt32(10)...11 { device.pages[sequence] = FakeDevice.page(sequence, count: 256) }
    device.first = 10
    let adjoining = try pull(device, folder)
    #expect(adjoining.isComplete && adjoining.lostPages == 0 && adjoining.newPages == 2)
    #expect(adjoining.remarks.isEmpty)

    let racing = FakeDevice(pages: 4)
    racing.pages[1] = nil
    let other = TemporaryFolder()
    let raced = try pull(racing, other)
    #expect(raced.isComplete && raced.lostPages == 1 && raced.newPages == 3)
  }

  @Test("The host's date is remembered once; the device's replaces it")
  func clocks() throws {
    let folder = TemporaryFolder()
    let device = FakeDevice(pages: 2)
    _ = try pull(device, folder)
    let fix = try PageStore(path: folder.path, create: false).device.clocks
    #expect(fix.count == 1 && fix[0].source == .host && fix[0].unixMilliseconds == 1_700_000_000_000)
    device.unix = 1_600_000_000_000
    _ = try pull(device, folder)
    let better = try PageStore(path: folder.path, create: false).device.clocks
    #expect(
      better.count == 1 && better[0].source == .device && better[0].unixMilliseconds == 1_600_000_000_000)
  }
}
