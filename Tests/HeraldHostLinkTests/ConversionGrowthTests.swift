import Foundation
import HeraldBluetooth
import HeraldCrypto
import HeraldEmbedded
import HeraldSimulation
import HostileInputs
import Testing

@testable import HeraldHostLink

/// A conversion that goes on where the last one has ended has the same result as a complete one.
@Suite("Conversion, page by page")
struct ConversionGrowthTests {
  /// All tables of a folder, by name.
  private func tables(_ path: String) throws -> [String: Data] {
    var tables: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasSuffix(".csv") {
      tables[name] = FileManager.default.contents(atPath: "\(path)/\(name)")
    }
    return tables
  }

  /// The tables and the summary of a folder with the same pages that was never converted.
  private func expected(_ store: PageStore) throws -> (tables: [String: Data], summary: String) {
    let place = TemporaryFolder()
    let copy = try PageStore(path: place.path, create: true)
    for name in try store.pages() { try copy.store(try store.read(name), as: name) }
    let record = store.device
    try copy.updateDevice { $0 = record }
    let conversion = try LogConversion(copy)
    return (try tables(place.path), "\(conversion)")
  }

  private func check(_ store: PageStore, _ note: Comment) throws {
    let conversion = try LogConversion(store)
    let expected = try expected(store)
    #expect(try tables(store.path) == expected.tables, note)
    #expect("\(conversion)" == expected.summary, note)
    #expect("\(try LogConversion(store))" == expected.summary, note)
    let names = try FileManager.default.contentsOfDirectory(atPath: store.path)
    #expect(!names.contains { $0.hasSuffix(".part") || $0.hasSuffix(".before") }, note)
  }

  @Test(
    "Pages that come one by one, the last of them open and growing, make what they make together",
    arguments: 0..<16)
  func growth(_ seed: UInt64) throws {
    let place = TemporaryFolder()
    let store = try PageStore(path: place.path, create: true)
    try store.updateDevice { $0.note(epoch: RandomLog.epoch) }
    var log = try RandomLog(seed: seed)
    for step in 0..<24 {
      try store.keep(try log.pages(adding: 25))
      // A date of this computer for the first start, which a date of the device replaces.
      if step == 7 {
        try store.updateDevice {
          $0.note(
            DeviceRecord.ClockFix(
              epoch: RandomLog.epoch, boot: 1, uptimeMilliseconds: 5, unixMilliseconds: 1_669_000_000_000,
              source: .host))
        }
      }
      if step % 3 < 2 { _ = try LogConversion(store) } else { try check(store, "step \(step)") }
    }
  }

  @Test("Tables that are lost, changed or cut off, and what is kept of the last conversion, are made again")
  func repair() throws {
    let place = TemporaryFolder()
    let store = try PageStore(path: place.path, create: true)
    var log = try RandomLog(seed: 99)
    let table = "\(place.path)/contacts.csv"
    for step in 0..<9 {
      try store.keep(try log.pages(adding: 60))
      switch step {
      case 2: unlink(table)
      case 3: unlink("\(place.path)/contact_events.csv")
      case 4: #expect(truncate(table, 300) == 0)
      case 5: chmod("\(place.path)/pages/\(try #require(try store.pages().first).fileName)", 0o600)
      case 6:
        for name in try tables(place.path).keys { unlink("\(place.path)/\(name)") }
        unlink("\(place.path)/\(ConversionFile.name)")
      case 7: #expect(unlink("\(place.path)/pages/\(try #require(try store.pages().first).fileName)") == 0)
      default: break
      }
      try check(store, "step \(step)")
    }
  }

  /// Copies what a conversion has left in a folder into another one.
  private func copy(_ names: [String], from: String, to: String) throws {
    for name in names {
      unlink("\(to)/\(name)")
      try FileManager.default.copyItem(atPath: "\(from)/\(name)", toPath: "\(to)/\(name)")
    }
  }

  @Test("A conversion that is cut off at any step is made good by the next one")
  func cutOff() throws {
    let all = ["contacts.csv", "statistics.csv", "detection.csv", "contact_events.csv"]
    for step in 0..<5 {
      let (place, before) = (TemporaryFolder(), TemporaryFolder())
      let store = try PageStore(path: place.path, create: true)
      var log = try RandomLog(seed: 1)
      try store.keep(try log.pages(adding: 200))
      _ = try LogConversion(store)
      try FileManager.default.copyItem(atPath: place.path, toPath: before.path)
      try store.keep(try log.pages(adding: 200))
      _ = try LogConversion(store)
      let part = "\(place.path)/contact_events.csv.part"
      switch step {
      case 0, 1:
        // Lines are appended, the others not yet written.
        try copy(all.dropFirst() + [ConversionFile.name], from: before.path, to: place.path)
        #expect(FileManager.default.createFile(atPath: part, contents: Data("id".utf8)))
        let file = try #require(FileHandle(forWritingAtPath: "\(place.path)/contacts.csv"))
        try file.seekToEnd()
        try file.write(contentsOf: Data("2022-11-29 22:21:56.552+0000,BLE,half a li".utf8))
        try file.close()
        // A pull has removed what an interrupted program leaves.
        if step == 1 { unlink(part) }
      case 2:
        // All is written, and has not its names yet.
        for name in all.dropFirst() {
          #expect(rename("\(place.path)/\(name)", "\(place.path)/\(name).part") == 0)
        }
        try copy(Array(all.dropFirst()), from: before.path, to: place.path)
      case 3:
        for name in all.dropFirst() { unlink("\(place.path)/\(name)") }
      default:
        try copy(Array(all.suffix(1)), from: before.path, to: place.path)
      }
      try check(store, "step \(step)")
    }
  }

  @Test("Of an unchanged folder nothing is written, and files that are no pages are told of each time")
  func unchanged() throws {
    let place = TemporaryFolder()
    let store = try PageStore(path: place.path, create: true)
    var log = try RandomLog(seed: 3)
    try store.keep(try log.pages(adding: 400))
    let stray = PageName(epoch: 1, sequence: 4_000_000_000, isOpen: false)
    let file = "\(place.path)/pages/\(stray.fileName)"
    #expect(FileManager.default.createFile(atPath: file, contents: Data("no page".utf8)))
    let first = try LogConversion(store)
    #expect(first.damagedPages == ["\(stray.fileName) is not a page of this log"])
    func stamps() throws -> [FileStamp?] {
      try FileManager.default.contentsOfDirectory(atPath: place.path).sorted().map {
        FileStamp.of("\(place.path)/\($0)")
      }
    }
    let before = try stamps()
    #expect("\(try LogConversion(store))" == "\(first)")
    #expect(try stamps() == before)
    // Without what is kept of it, the tables are known by what is in them.
    unlink("\(place.path)/\(ConversionFile.name)")
    #expect("\(try LogConversion(store))" == "\(first)")
    let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
    #expect(!names.contains { $0.hasSuffix(".before") })
    // Any change has it looked at.
    try store.updateDevice { $0.name = "other" }
    _ = try LogConversion(store)
    #expect(try stamps() != before)
    #expect(try String(contentsOfFile: "\(place.path)/detection.csv", encoding: .utf8).hasPrefix("other,"))
  }

  @Test("What is kept of the last conversion may be any bytes")
  func hostileState() throws {
    let place = TemporaryFolder()
    let store = try PageStore(path: place.path, create: true)
    var log = try RandomLog(seed: 5)
    try store.keep(try log.pages(adding: 300))
    _ = try LogConversion(store)
    let path = "\(place.path)/\(ConversionFile.name)"
    let state = [UInt8](try #require(FileManager.default.contents(atPath: path)))
    var random = Mutations(seed: 11)
    let length = (4..<8).reduce(0) { $0 << 8 | Int(state[$1]) }
    let parts = [Array(state[8..<8 + length]), Array(state[(8 + length)...])]
    for round in 0..<400 {
      // One in four is damaged, the others are forged, in one of the two parts.
      var changed = parts
      var part = random.mutated([Array(parts[round % 2].dropLast(32))])
      let digest = SHA256.digest(of: part.span)
      if round % 4 > 0 { part += digest.indices.map { digest[$0] } }
      changed[round % 2] = part
      let size = (0..<4).map { UInt8(truncatingIfNeeded: changed[0].count >> (24 - 8 * $0)) }
      try store.write(Array(state[..<4]) + size + changed[0] + changed[1], named: ConversionFile.name)
      let last = try ConversionFile(of: store)
      if round % 4 == 0 { #expect(last == nil) }
      _ = last?.holds(try store.pages(), of: store)
      guard var state = last?.state() else { continue }
      for name in try store.pages() { try state.take(try store.content(of: name), name, nil) }
      _ = LogConversion(state, pageCount: 0, sealedPages: 0)
    }
    try store.write(state, named: ConversionFile.name)
    #expect(try ConversionFile(of: store) != nil)
  }

  @Test(
    "Contacts and their windows are those that the signs make, however they are ordered", arguments: 0..<6)
  func contacts(_ seed: UInt64) throws {
    let start: UInt64 = 1_669_760_510_000
    var random = Mutations(seed: seed)
    let silence = ContactPeriod.silence
    var dates = (0..<300).map { _ in UInt64.random(in: 0..<60_000_000, using: &random) / 10 * 10 }
    dates += dates.prefix(50).map { $0 + silence }
    let peers = (1...2).map { TargetIdentity(kind: .randomAddress, high: 0x4000, low: $0) }
    // Half of them are those of an address whose payload is read at the end: it is the same person.
    var records: [SyntheticLog.Record] = [(dates[0], .read(peers[0]), [1])]
    for (index, date) in dates.enumerated() {
      records.append((date, .measured(peers[Int(seed) % 2 * index % 2], RSSI(-50)), []))
    }
    records.append((dates[1], .read(peers[1]), [1]))
    let log = try SyntheticLog(start: start, records)
    // By the definition: sorted, and cut wherever the silence is longer.
    var runs: [[UInt64]] = []
    for date in dates.sorted() {
      if let last = runs.last?.last, date - last <= silence {
        runs[runs.count - 1].append(date)
      } else {
        runs.append([date])
      }
    }
    let expected = runs.map { run -> String in
      let begin = run[0]
      let end = run[run.count - 1]
      let windows = Set(run.map { ($0 + start) / 30_000 }).count
      let seconds = min(windows * 30, Int(end - begin) / 1000 + 30)
      return
        "AQ==,\(UTCTimestamp.text(start + begin)),\(UTCTimestamp.text(start + end)),\(seconds).0,\(run.count)"
    }
    #expect(
      log.lines("contact_events").map { $0.split(separator: ",", maxSplits: 1)[1] }
        == expected.map { $0[...] })
  }

  @Test("What exceeds the bounds of an interpretation is counted, and is in no contact")
  func bounds() throws {
    let start: UInt64 = 1_669_760_510_000
    var interpreter = LogInterpreter(InterpretationState(most: 2))
    func take(_ at: UInt64, _ event: LogEvent, _ bytes: [UInt8] = []) throws {
      let record = BootRecord(epoch: 1, boot: 1, uptimeMilliseconds: at, event: event, payload: bytes)
      try interpreter.take(record, at: start + at, nil)
    }
    let peers = (1...3).map { TargetIdentity(kind: .randomAddress, high: 0x4000, low: $0) }
    for peer in peers {
      try take(1000, .measured(peer, RSSI(-50)))
      try take(2000, .read(peer), [UInt8(peer.low), 2, 3])
    }
    #expect(interpreter.state.peers.count == 2 && interpreter.state.payloads.count == 2)
    #expect(interpreter.state.contacts.count == 2 && interpreter.total.refused == 2)
    #expect(interpreter.total.events == 6 && interpreter.total.readings == 3)
    // There is no room for a third contact, nor for a third payload.
    try take(9_000_000, .measured(peers[0], RSSI(-50)))
    try take(9_000_000, .read(peers[1]), [9, 9, 9])
    #expect(interpreter.state.contacts.count == 2 && interpreter.total.refused == 4)
  }

  @Test("A date that is set later applies to the records before it, in every table")
  func datedLater() throws {
    let peer = TargetIdentity(kind: .randomAddress, high: 0x4000, low: 1)
    var log = try SyntheticLog(
      start: nil,
      [(1000, .measured(peer, RSSI(-50)), []), (2000, .battery(level: 9, external: false), [])])
    #expect(log.lines("contacts").isEmpty && log.table("battery") == nil)
    try log.add(start: 1_669_760_510_000, isOpen: true, [(40_000, .measured(peer, RSSI(-51)), [])])
    #expect(log.lines("contacts").count == 2 && log.lines("battery").count == 1)
    #expect(
      log.lines("contact_events") == [
        "40:00:00:00:00:01,,2022-11-29 22:21:51.000+0000,2022-11-29 22:22:30.000+0000,60.0,2"
      ])
    #expect(log.summary().undatedEvents == 0)
  }
}
