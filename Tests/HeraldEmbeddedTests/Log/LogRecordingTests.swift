import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

/// The recordings of phones, which several tests read: without those that are not in the data folder.
private let recordings: [String: [PlainRecord]] = {
  var recordings: [String: [PlainRecord]] = [:]
  for phone in ["phone-a40", "phone-a70"] { recordings[phone] = recording(of: phone) }
  return recordings
}()

/// A recording of a phone, if the data folder is there.
private func recording(of phone: String) -> [PlainRecord]? {
  let folder =
    ProcessInfo.processInfo.environment["HERALD_DATA"]
    ?? URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../../shared/data").standardized.path
  let path = folder + "/recordings/\(phone)/contacts.csv"
  guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
    print("skipped: no recording at \(path); set HERALD_DATA to the data folder")
    return nil
  }
  let format = ISO8601DateFormatter()
  // Many lines have the same minute, and to read a date takes long.
  var (minute, minuteBegin): (Substring, TimeInterval?) = ("", nil)
  var records: [PlainRecord] = []
  var start: UInt64?
  for line in text.split(separator: "\n").dropFirst() {
    let columns = line.split(separator: ",", omittingEmptySubsequences: false)
    // 2022-11-29 22:21:56.552+0000
    let stamp = columns[0]
    if stamp.prefix(16) != minute {
      minute = stamp.prefix(16)
      minuteBegin =
        format.date(from: minute.replacingOccurrences(of: " ", with: "T") + ":00Z")?.timeIntervalSince1970
    }
    guard let minuteBegin, let seconds = UInt64(stamp.dropFirst(17).prefix(2)),
      let thousandths = UInt64(stamp.dropFirst(20).prefix(3))
    else { continue }
    let unix = (UInt64(minuteBegin) + seconds) * 1000 + thousandths
    if start == nil { start = unix - 5000 }
    let address = columns[2].split(separator: ":").compactMap { UInt8($0, radix: 16) }
    var low: UInt32 = 0
    for byte in address[2...] { low = low << 8 | UInt32(byte) }
    let identity = TargetIdentity(
      kind: .randomAddress, high: UInt16(address[0]) << 8 | UInt16(address[1]), low: low)
    let at = unix - (start ?? 0)
    if columns[3] == "1" {
      records.append(PlainRecord(event: .detected(identity), milliseconds: at))
    } else if columns[4] == "2" {
      records.append(
        PlainRecord(event: .read(identity), milliseconds: at, payload: Array(columns[10].utf8)))
    } else if columns[5] == "3" {
      let rssi = columns[10].dropFirst(5).prefix { $0 != "." }
      records.append(
        PlainRecord(event: .measured(identity, RSSI(Int8(rssi) ?? 0)), milliseconds: at))
    } else if columns[8] == "6" {
      records.append(PlainRecord(event: .heraldDetected(identity), milliseconds: at))
    } else if columns[9] == "7" {
      records.append(PlainRecord(event: .lost(identity), milliseconds: at))
    }
  }
  return records
}

private func bytesPerReading<let dictionary: Int>(
  _ records: [PlainRecord], commitEvery seconds: UInt64?, pageSize: Int = 4096,
  pages: Int? = nil, isSealed: Bool = false,
  of type: FlashLog<MemoryFlash, dictionary>.Type
) throws -> (Double, [PlainRecord]) {
  let image = FlashImage(pageSize: pageSize, pageCount: pages ?? 131_072 / pageSize, wordSize: 4)
  var log = type.mounted(on: image, isSealed: isSealed)
  var lastCommit: UInt64 = 0
  for record in records {
    if let seconds, record.milliseconds >= lastCommit + seconds * 1000 {
      log.commit()
      lastCommit = record.milliseconds
    }
    try log.add(record.event, record.payload, at: record.milliseconds)
  }
  log.commit()
  let status = log.standing
  let bytes = Int(status.newest - status.oldest) * pageSize + status.openBytes
  let readings = log.statistic(1)
  return (Double(bytes) / Double(readings), log.records())
}

private func roundedDown(_ records: [PlainRecord], to milliseconds: UInt64) -> [PlainRecord] {
  records.map { record in
    var record = record
    record.milliseconds -= record.milliseconds % milliseconds
    return record
  }
}

@Suite("Log of a recorded day")
struct LogRecordingTests {
  @Test(
    "HP-26 HP-46 recorded phones take at most 1.30 and 1.00 bytes per reading and come back exactly",
    arguments: [("phone-a40", 12_234, 1.30), ("phone-a70", 54_852, 1.00)])
  func recordedPhone(phone: String, count: Int, goal: Double) throws {
    guard let records = recordings[phone] else { return }
    #expect(records.count == count)
    let expected = roundedDown(records, to: 10)
    for seconds: UInt64? in [nil, 60, 30, 10] {
      let (bytes, decoded) = try bytesPerReading(
        records, commitEvery: seconds, of: FlashLog<MemoryFlash, 64>.self)
      print("log_bytes_per_reading \(phone), committed every \(seconds ?? 0) s: \(bytes)")
      #expect(decoded == expected)
      if seconds != 10 { #expect(bytes <= goal) }
    }
  }

  @Test("Times of whole seconds, as an iPhone records them, take less, and come back exactly")
  func wholeSeconds() throws {
    guard let records = recordings["phone-a70"].map({ roundedDown($0, to: 1000) }) else { return }
    let (bytes, decoded) = try bytesPerReading(records, commitEvery: 30, of: FlashLog<MemoryFlash, 64>.self)
    print("log_bytes_per_reading phone-a70, whole seconds: \(bytes)")
    #expect(bytes <= 0.70)
    #expect(decoded == records)
  }

  @Test("Few targets and small pages take more, and come back exactly")
  func smallPages() throws {
    guard let records = recordings["phone-a40"] else { return }
    for pageSize in [4096, 1024] {
      let (bytes, decoded) = try bytesPerReading(
        records, commitEvery: nil, pageSize: pageSize, of: FlashLog<MemoryFlash, 16>.self)
      print("log_bytes_per_reading phone-a40, dictionary of 16, pages of \(pageSize): \(bytes)")
      #expect(decoded == roundedDown(records, to: 10))
    }
  }

  @Test("sealed, the recording four times over takes 2.3 % more, and comes back exactly")
  func sealed() throws {
    guard let once = recordings["phone-a40"], let last = once.last?.milliseconds else { return }
    // A page more or less is little then.
    let records = (0..<4 as Range<UInt64>).flatMap { round in
      once.map { record in
        var record = record
        record.milliseconds += round * (last + 5000)
        return record
      }
    }
    for (seconds, pageSize) in [(30, 4096)] as [(UInt64?, Int)] {
      let (clear, expected) = try bytesPerReading(
        records, commitEvery: seconds, pageSize: pageSize, pages: 128, of: FlashLog<MemoryFlash, 64>.self)
      let (sealed, decoded) = try bytesPerReading(
        records, commitEvery: seconds, pageSize: pageSize, pages: 128, isSealed: true,
        of: FlashLog<MemoryFlash, 64>.self)
      #expect(decoded == expected)
      print("sealed_bytes_per_reading_ratio, \(seconds ?? 0) s, \(pageSize): \(sealed / clear)")
      #expect(sealed / clear <= 1.024)
    }
  }
}
