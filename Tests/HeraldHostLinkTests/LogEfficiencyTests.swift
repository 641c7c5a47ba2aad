import Foundation
import HeraldDeviceLink
import Testing

@testable import HeraldHostLink

/// Counts what crosses a link, and how often a device has nothing to do during a pull.
private final class CountingTransport: SMPTransport {
  let location = "count"
  let window: Int
  let damagedPackets = 0
  private(set) var bytes = 0
  /// Moments at which a request was sent when none was on its way: each costs the time of a round trip.
  private(set) var idle = 0
  private let answer: ([UInt8]) -> [[UInt8]]
  private var waiting: [[UInt8]] = []

  init(window: Int, _ answer: @escaping ([UInt8]) -> [[UInt8]]) {
    self.window = window
    self.answer = answer
  }

  func send(_ packet: [UInt8], by deadline: Deadline) throws(HostLinkError) {
    if waiting.isEmpty { idle += 1 }
    bytes += packet.count
    waiting += answer(packet)
  }

  func receive(by deadline: Deadline) throws(HostLinkError) -> [UInt8]? {
    guard !waiting.isEmpty else { return nil }
    bytes += waiting[0].count
    return waiting.removeFirst()
  }

  func close() {}
}

@Suite("Efficiency of a pull")
struct LogEfficiencyTests {
  private func pull(
    _ log: ServedLog, _ folder: TemporaryFolder, window: Int = 4, trims: Bool = false
  ) throws -> (PullReport, CountingTransport) {
    let transport = CountingTransport(window: window) { log.answer($0) }
    var download = LogDownload(
      device: DeviceClient(SMPClient(transport: transport)),
      pageStore: try PageStore(path: folder.path, create: true), trims: trims)
    return (try download.run(), transport)
  }

  @Test(
    "In packets of 1,024 bytes at least 95 of 100 bytes on the link are the log's, and no 64 KB cost more than one idle round trip",
    arguments: [2, 4])
  func full(window: Int) throws {
    let log = ServedLog(pages: 100)
    let folder = TemporaryFolder()
    let (report, transport) = try pull(log, folder, window: window)
    #expect(report.isComplete && report.newPages == 101 && report.bytes > 400_000)
    #expect(report.bytes * 100 >= transport.bytes * 95, "\(report.bytes) of \(transport.bytes)")
    // All there is: where the log stands, and the first bytes.
    #expect(transport.idle <= 2)
    #expect(transport.idle <= report.bytes / 65_536)
  }

  @Test("With one request at a time the bytes are as few")
  func alternating() throws {
    let log = ServedLog(pages: 20)
    let folder = TemporaryFolder()
    let (report, transport) = try pull(log, folder, window: 1)
    #expect(report.isComplete && report.bytes * 100 >= transport.bytes * 95)
  }

  @Test("In larger packets more of the bytes are the log's")
  func large() throws {
    let log = ServedLog(pages: 100, packetSize: 4160)
    let folder = TemporaryFolder()
    let (report, transport) = try pull(log, folder)
    #expect(report.isComplete && report.bytes * 100 >= transport.bytes * 98)
  }

  @Test(
    "A folder in which one page was changed, or that has another device's pages, has nothing erased behind it"
  )
  func forged() throws {
    let (log, other) = (ServedLog(pages: 6, pageSize: 1024), ServedLog(pages: 6, pageSize: 1024, salt: 1))
    // Another device's pages under the same epoch: good pages by their headers and checksums.
    let mixed = TemporaryFolder()
    #expect(try pull(other, mixed).0.isComplete)
    let (report, _) = try pull(log, mixed, trims: true)
    #expect(report.differingPage == 1 && report.trimmedPages == 0 && !report.isComplete)
    log.trim()
    #expect(log.status.oldest == 1 && log.status.newest == 7)
    // One page of the device's own log, changed on the disk.
    let folder = TemporaryFolder()
    #expect(try pull(log, folder).0.isComplete)
    let path = "\(folder.path)/pages/\(PageName(epoch: 0xE90C_0002, sequence: 4, isOpen: false).fileName)"
    var page = [UInt8](try #require(FileManager.default.contents(atPath: path)))
    page[1000] ^= 1
    #expect(FileManager.default.createFile(atPath: path, contents: Data(page)))
    let (second, _) = try pull(log, folder, trims: true)
    #expect(second.differingPage == 4 && second.trimmedThrough == 3 && second.trimmedPages == 3)
    log.trim()
    #expect(log.status.oldest == 4 && log.status.newest == 7)
  }

  @Test("What a device may erase it erases, after which nothing is missing anywhere")
  func trims() throws {
    let log = ServedLog(pages: 6, pageSize: 1024)
    let folder = TemporaryFolder()
    let (report, _) = try pull(log, folder, trims: true)
    #expect(report.isComplete && report.trimmedThrough == 6 && report.trimmedPages == 6)
    #expect(log.status.oldest == 1)
    log.trim()
    #expect(log.status.oldest == 7 && log.status.newest == 7)
    let (again, _) = try pull(log, folder, trims: true)
    #expect(
      again.isComplete && again.lostPages == 0 && again.trimmedThrough == nil && again.trimmedPages == 0)
    let records = try (1...7).map { sequence in
      let name = PageName(epoch: 0xE90C_0002, sequence: UInt32(sequence), isOpen: sequence == 7)
      return LogPage(try PageStore(path: folder.path, create: false).read(name))?.records.count ?? 0
    }
    #expect(!records.contains(0))
  }
}
