import Foundation
import HeraldEmbedded

@testable import HeraldHostLink

/// The log of a device from records that a test states, interpreted, with the tables made of it.
struct SyntheticLog {
  typealias Record = (UInt64, LogEvent, [UInt8])

  let folder = TemporaryFolder()
  private let device: DeviceRecord
  private var pages: [(name: PageName, page: LogPage)] = []
  private var state = ConversionState()

  /// One page with these records, all of the first start in epoch 1, which begins at a date.
  init(start: UInt64?, device: DeviceRecord = DeviceRecord(), _ records: [Record]) throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    self.device = device
    try add(start: start, records)
  }

  /// A further page, which is the newest: as the device was still writing it, if it is open.
  mutating func add(start: UInt64?, isOpen: Bool = false, _ records: [Record]) throws {
    let clocks = start.map {
      [
        DeviceRecord.ClockFix(
          epoch: 1, boot: 1, uptimeMilliseconds: 1, unixMilliseconds: $0 + 1, source: .device)
      ]
    }
    let name = PageName(epoch: 1, sequence: UInt32(pages.count) + 1, isOpen: isOpen)
    let page = LogPage(
      sequence: name.sequence, epoch: 1,
      records: records.map {
        BootRecord(epoch: 1, boot: 1, uptimeMilliseconds: $0.0, event: $0.1, payload: $0.2)
      }, clocks: clocks ?? [])
    pages.append((name, page))
    try convert()
  }

  private mutating func convert() throws {
    var dates = LogDates()
    dates.begin(device.clocks)
    for (_, page) in pages { dates.add(page, isSettled: true) }
    state = ConversionState(dates: dates)
    let tables = LogTables(folder: folder.path, marks: [:])
    try tables.begin(goesOn: false)
    for (name, page) in pages { try state.take(.page(page, []), name, tables) }
    try tables.finish(state.interpreter.state, device, isForced: true)
    try tables.publish()
  }

  /// A table, or nothing if it is not there.
  func table(_ name: String) -> String? {
    FileManager.default.contents(atPath: "\(folder.path)/\(name).csv").map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// The lines of a table behind its heading.
  func lines(_ name: String) -> [Substring] { Array((table(name) ?? "").split(separator: "\n").dropFirst()) }

  /// What a conversion says.
  func summary() -> LogConversion { LogConversion(state, pageCount: pages.count, sealedPages: 0) }

  /// Exports the log to a folder.
  func export(as format: FlatFormat, to output: String) throws -> FlatExport {
    try FlatExport(of: device, as: format, to: output, replacing: Replacement()) {
      (take: (PageContent, PageName) throws(HostLinkError) -> Void) throws(HostLinkError) in
      for (name, page) in pages { try take(.page(page, Array("\(name.sequence)".utf8)), name) }
    }
  }
}
