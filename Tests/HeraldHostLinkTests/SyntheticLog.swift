import Foundation
import GRDB
import HeraldEmbedded

@testable import HeraldHostLink

/// The log of a device from records that a test states, interpreted, with the tables made of it.
struct SyntheticLog {
  let folder = TemporaryFolder()
  let logDatabase: LogDatabase
  var device = DeviceRecord()
  private var pages: UInt32 = 0

  /// One page with these records, all of the first start in epoch 1, which begins at a date.
  init(start: UInt64?, device: DeviceRecord = DeviceRecord(), _ records: [(UInt64, LogEvent, [UInt8])]) throws
  {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    logDatabase = try LogDatabase(path: folder.path + "/" + LogDatabase.fileName)
    self.device = device
    try add(start: start, records)
  }

  /// A further page, which is the newest: as the device was still writing it, if it is open.
  mutating func add(start: UInt64?, isOpen: Bool = false, _ records: [(UInt64, LogEvent, [UInt8])]) throws {
    pages += 1
    try put(pages, start: start, isOpen: isOpen, records)
  }

  /// A page in the place of an earlier form of it.
  func put(_ sequence: UInt32, start: UInt64?, isOpen: Bool, _ records: [(UInt64, LogEvent, [UInt8])]) throws
  {
    let clocks = start.map {
      [
        DeviceRecord.ClockFix(
          epoch: 1, boot: 1, uptimeMilliseconds: 1, unixMilliseconds: $0 + 1, source: .device)
      ]
    }
    let page = LogPage(
      sequence: sequence, epoch: 1,
      records: records.map {
        BootRecord(epoch: 1, boot: 1, uptimeMilliseconds: $0.0, event: $0.1, payload: $0.2)
      }, clocks: clocks ?? [])
    try logDatabase.asking { database in
      var pageImport = try PageImport(database, device: device)
      let known = try Int64.fetchOne(
        database, sql: "SELECT id FROM page WHERE device_id = ? AND sequence = ?",
        arguments: [pageImport.deviceID, sequence])
      try pageImport.put(
        page, isOpen: isOpen, sha256: Data("\(sequence) \(isOpen) \(records.count)".utf8), replacing: known)
      try pageImport.finish()
    }
    try logDatabase.interpret(device, tables: folder.path)
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
  func summary() throws -> LogConversion {
    try LogConversion(logDatabase, of: device, after: LogDatabase.Change())
  }
}
