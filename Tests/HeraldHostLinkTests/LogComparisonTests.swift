import Foundation
import HeraldDeviceLink
import HeraldEmbedded
import Testing

@testable import HeraldHostLink

/// Pages by their content, not by their number: from the firmware's own server.
@Suite("Comparison of pages with the device's")
struct LogComparisonTests {
  private let key = [UInt8](0..<32)

  /// Pulls; with its access key in a session.
  private func pull(_ served: ServedLog, _ folder: TemporaryFolder) throws -> PullReport {
    let client = SMPClient(
      transport: DirectTransport { served.answer($0) },
      timeouts: .init(timeout: .milliseconds(1), attempts: 3))
    let device = DeviceClient(client)
    let pageStore = try PageStore(path: folder.path, create: true)
    if !served.key.isEmpty {
      let path = folder.path + "/key"
      try Data(served.key).write(to: URL(fileURLWithPath: path))
      try device.unlock(AccessKey.read(path))
    }
    var download = LogDownload(device: device, pageStore: pageStore)
    return try download.run()
  }

  private func pages(_ folder: TemporaryFolder) throws -> [PageName: [UInt8]] {
    let store = try PageStore(path: folder.path, create: false)
    return Dictionary(uniqueKeysWithValues: try store.pages().map { ($0, try store.read($0)) })
  }

  private func locked(_ pages: Int, salt: UInt32 = 0) -> ServedLog {
    let log = ServedLog(pages: pages, pageSize: 1024, salt: salt)
    log.key = key
    return log
  }

  @Test(
    "Forged pages of a pull without a session are replaced by those of the device, as many as there were, and kept aside",
    arguments: [6, 9])
  func forged(count: Int) throws {
    let real = TemporaryFolder()
    #expect(try pull(locked(6), real).isComplete)
    let folder = TemporaryFolder()
    let impostor = ServedLog(pages: count, pageSize: 1024, salt: 1)
    let first = try pull(impostor, folder)
    #expect(
      first.isComplete && first.newPages == count + 1 && !first.isProved && first.unprovedPages == count)
    let forged = try pages(folder)
    let report = try pull(locked(6), folder)
    // All that were closed; of the open ones that of the same number has another content as well.
    #expect(report.isComplete && report.isProved && report.unprovedPages == 0)
    #expect(report.replacedPages.count == count + 1 && report.newPages == 7 && report.knownPages == 0)
    #expect(try pages(folder) == pages(real))
    let store = try PageStore(path: folder.path, create: false)
    let aside = try store.pagesAside()
    #expect(Set(aside.map(\.name)) == Set(forged.keys))
    for path in report.replacedPages {
      // Its name, a dot and 64 digits.
      let file = String(path.split(separator: "/").last?.dropLast(65) ?? "")
      let name = try #require(PageName(fileName: file))
      #expect(try LocalFile.bytes(path, atMost: 1 << 20) == forged[name])
    }
  }

  @Test(
    "Pages that came without a session and are the device's are proved by their digests, and fetched once")
  func honest() throws {
    let folder = TemporaryFolder()
    let open = ServedLog(pages: 6, pageSize: 1024)
    #expect(try pull(open, folder).unprovedPages == 6)
    let before = try pages(folder)
    for _ in 0..<2 {
      let report = try pull(locked(6), folder)
      #expect(report.isComplete && report.replacedPages.isEmpty && report.unprovedPages == 0)
      #expect(report.knownPages == 6 && report.newPages == 1)
    }
    #expect(try pages(folder) == before)
    let record = try PageStore(path: folder.path, create: false).device
    #expect(record.proved == [DeviceRecord.ProvedPages(epoch: 0xE90C_0002, first: 1, last: 6)])
  }

  @Test(
    "Pages of an earlier session that the device no longer has as they are: its flash was set back, and nothing is replaced"
  )
  func rolledBack() throws {
    let folder = TemporaryFolder()
    #expect(try pull(locked(6, salt: 1), folder).isComplete)
    let before = try pages(folder)
    var report = try pull(locked(6), folder)
    // The open page is: what it would go on behind is another one.
    #expect(!report.isComplete && report.isOfAnotherLog && report.replacedPages.count == 1)
    #expect(
      report.problems == [
        "pages 1 to 6 are not the same as in this folder, although they came in a session: the device's flash was set back"
      ])
    #expect(report.advice?.contains("--output") == true && report.advice?.contains("same command") == false)
    let after = try pages(folder)
    for (name, bytes) in before where !name.isOpen { #expect(after[name] == bytes) }
    // And has fewer.
    let shorter = TemporaryFolder()
    #expect(try pull(locked(6), shorter).isComplete)
    report = try pull(locked(3), shorter)
    #expect(report.isOfAnotherLog && report.problems.contains { $0.contains("newest page as 4, but page 7") })
  }

  @Test(
    "Without a session as well the newest page shows that the flash was set back, and bisection since when")
  func bisection() throws {
    let folder = TemporaryFolder()
    let device = FakeDevice(pages: 9)
    device.tellsDigests = true
    #expect(try HeraldHostLinkTests.pull(device, folder).isComplete)
    #expect(try HeraldHostLinkTests.pull(device, folder).isComplete && device.digests == [8])
    for sequence in 4...8 as ClosedRange<UInt32> {
      device.pages[sequence]?[5] ^= 1
      device.pages[sequence]?[7] ^= 1
    }
    let report = try HeraldHostLinkTests.pull(device, folder)
    #expect(
      report.problems == [
        "pages 4 to 8 are not the same as in this folder: this is another device, or its flash was set back"
      ])
    #expect(!report.isComplete && report.newPages == 1 && report.replacedPages.isEmpty)
    // Eight pages: one request, and three of bisection.
    #expect(device.digests.count == 1 + 1 + 3)
    // A device without digests is compared with nothing.
    device.tellsDigests = false
    #expect(try HeraldHostLinkTests.pull(device, folder).isComplete)
  }

  @Test("The request for the digest of a page is these bytes")
  func literalRequest() {
    let request = LogComparison.digestRequest(
      of: PageName(epoch: 0xDA1, sequence: 3, isOpen: true), length: 256)
    // Version 2, read; 56 bytes; group 8; sequence 7; command 2; a map of three.
    var bytes: [UInt8] = [0x08, 0x00, 0x00, 0x38, 0x00, 0x08, 0x07, 0x02, 0xA3]
    bytes += [0x64] + "name".utf8
    bytes += [0x78, 0x1D] + "/log/00000da1-0000000003.page".utf8
    bytes += [0x64] + "type".utf8
    bytes += [0x66] + "sha256".utf8
    bytes += [0x63] + "len".utf8
    bytes += [0x19, 0x01, 0x00]
    #expect(request.packet(sequence: 7) == bytes)
  }

  @Test("Which pages are proved is noted in ranges, which may be in disorder in a file of others")
  func ranges() {
    var record = DeviceRecord()
    func page(_ epoch: UInt32, _ sequence: UInt32, isOpen: Bool = false) -> PageName {
      PageName(epoch: epoch, sequence: sequence, isOpen: isOpen)
    }
    #expect(!record.isProved(page(1, 1)))
    record.note(proved: [3, 1, 2, 7], epoch: 5)
    record.note(proved: [4, UInt32.max], epoch: 5)
    record.note(proved: [1], epoch: 2)
    #expect(
      record.proved?.map { "\($0.epoch) \($0.first)-\($0.last)" } == [
        "2 1-1", "5 1-4", "5 7-7", "5 4294967295-4294967295",
      ])
    for (number, isProved) in [(0, false), (1, true), (4, true), (5, false), (7, true), (8, false)]
      as [(UInt32, Bool)]
    {
      #expect(record.isProved(page(5, number)) == isProved, "\(number)")
    }
    #expect(record.isProved(page(5, .max)) && record.isProved(page(2, 1)) && !record.isProved(page(3, 1)))
    #expect(!record.isProved(page(5, 1, isOpen: true)))
    record.note(proved: [0], epoch: 5)
  }

  @Test("A date told in a session replaces one that was not, and those of starts that there were not yet")
  func dates() {
    var record = DeviceRecord()
    func fix(_ boot: UInt32, _ date: UInt64, _ source: DeviceRecord.ClockFix.Source, _ isProved: Bool?)
      -> DeviceRecord.ClockFix
    {
      DeviceRecord.ClockFix(
        epoch: 1, boot: boot, uptimeMilliseconds: 1, unixMilliseconds: date, source: source,
        isProved: isProved)
    }
    record.note(fix(2, 20, .device, nil))
    record.note(fix(3, 30, .device, nil))
    record.note(fix(9, 90, .device, nil))
    record.note(fix(3, 31, .host, true))
    #expect(record.clocks == [fix(2, 20, .device, nil), fix(3, 31, .host, true)])
    #expect(record.clocksAside == [fix(3, 30, .device, nil), fix(9, 90, .device, nil)])
    // The same date, now proved, is none of another device.
    record.note(fix(2, 20, .device, true))
    #expect(record.clocks.contains(fix(2, 20, .device, true)) && record.clocksAside?.count == 2)
  }
}
