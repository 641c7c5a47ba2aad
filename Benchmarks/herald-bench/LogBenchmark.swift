import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation

/// Coding readings into the log: how long one takes, and how much flash a recorded hour and a half takes with
/// the device's own capacities and commits.
enum LogBenchmark {
  /// One row of a recorded contacts.csv.
  struct Row {
    let event: LogEvent
    let at: Instant
    let payload: [UInt8]
  }

  static func run(_ figures: inout Figures) throws {
    let image = FlashImage(pageSize: 4096, pageCount: 64, wordSize: 4)
    var log = FlashLog<MemoryFlash, 64>(flash: MemoryFlash(image))
    log.mount(freshEpoch: 1)
    let count = 200_000
    var tick: UInt64 = 0
    figures.add(
      "log_append_ns",
      nanoseconds(per: count) {
        for index in 0..<count {
          tick += 110
          let target = TargetIdentity(kind: .randomAddress, high: 0x4000, low: UInt32(index * 7 % 20))
          let rssi = RSSI(Int8(-50 - index * 13 % 9))
          try? log.append(.measured(target, rssi), at: Instant(milliseconds: tick), clock: WallClock())
        }
      }, "ns")
    for phone in ["a40", "a70"] {
      guard let rows = try recording("phone-\(phone)") else {
        print("  log_bytes_\(phone): left out, there is no recording (HERALD_DATA names its folder)")
        continue
      }
      figures.add("log_bytes_\(phone)", try bytesPerReading(rows), "bytes")
      guard phone == "a40", let last = rows.last?.at else { continue }
      // Four times over: a page more or less is little then.
      let long = (0..<4).flatMap { round in
        rows.map { row in
          let offset = UInt64(round) * (last.milliseconds + 5000)
          return Row(
            event: row.event, at: Instant(milliseconds: row.at.milliseconds + offset), payload: row.payload)
        }
      }
      let sealed = try bytesPerReading(long, isSealed: true)
      figures.add("sealed_bytes_per_reading_ratio", sealed / (try bytesPerReading(long)), "")
    }
  }

  private static func bytesPerReading(_ rows: [Row], isSealed: Bool = false) throws -> Double {
    let image = FlashImage(pageSize: 4096, pageCount: 128, wordSize: 4)
    var log = FlashLog<MemoryFlash, 64>(flash: MemoryFlash(image))
    if isSealed { log.seal() }
    log.mount(freshEpoch: 1)
    var readings = 0
    var committed = Instant.start
    for row in rows {
      if row.at.since(committed) >= HeraldConfiguration().commitPeriod {
        log.commit()
        committed = row.at
      }
      if case .measured = row.event { readings += 1 }
      try log.append(row.event, bytes: row.payload.span, at: row.at, clock: WallClock())
    }
    let status = log.committedStatus()
    let full = Int(status.newest - status.oldest) * status.pageSize
    return Double(full + status.openBytes) / Double(readings)
  }

  /// The rows of a recorded phone's contacts.csv, or `nil` where there is none.
  private static func recording(_ phone: String) throws -> [Row]? {
    let folder = ProcessInfo.processInfo.environment["HERALD_DATA"] ?? "../shared/data"
    let path = folder + "/recordings/\(phone)/contacts.csv"
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    var start: UInt64?
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst().compactMap {
      let columns = $0.split(separator: ",", omittingEmptySubsequences: false)
      // 2022-11-29 22:21:56.552+0000, all of one night
      let numbers = columns[0].split { "- :.+".contains($0) }.compactMap { UInt64($0) }
      let milliseconds =
        (((numbers[2] * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]) * 1000 + numbers[6]
      if start == nil { start = milliseconds }
      let bits = columns[2].split(separator: ":").reduce(UInt64(0)) { $0 << 8 | (UInt64($1, radix: 16) ?? 0) }
      let target = TargetIdentity(
        kind: .randomAddress, high: UInt16(truncatingIfNeeded: bits >> 32),
        low: UInt32(truncatingIfNeeded: bits))
      let event: LogEvent? =
        if columns[3] == "1" {
          .detected(target)
        } else if columns[4] == "2" {
          .read(target)
        } else if columns[5] == "3" {
          .measured(target, RSSI(Int8(columns[10].dropFirst(5).prefix { $0 != "." }) ?? 127))
        } else if columns[8] == "6" {
          .heraldDetected(target)
        } else if columns[9] == "7" {
          .lost(target)
        } else {
          nil
        }
      return event.map {
        Row(
          event: $0, at: Instant(milliseconds: milliseconds - (start ?? 0)),
          payload: $0.hasBytes ? Array(columns[10].utf8) : [])
      }
    }
  }
}
