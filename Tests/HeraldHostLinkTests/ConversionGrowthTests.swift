import Foundation
import GRDB
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import HostileInputs
import Testing

@testable import HeraldHostLink

/// An incremental conversion has the same result as a complete one.
@Suite("Conversion, page by page")
struct ConversionGrowthTests {
  let start: UInt64 = 1_669_760_510_000
  typealias Record = (UInt64, LogEvent, [UInt8])

  private func peer(_ number: UInt32) -> TargetIdentity {
    TargetIdentity(kind: number % 7 == 6 ? .shared : .randomAddress, high: 0x4000, low: number)
  }

  /// All tables, and what is in the database without the numbers of rows.
  private func result(_ log: SyntheticLog) throws -> [String] {
    let names = [
      "contacts", "statistics", "detection", "contact_events", "battery", "visits", "restarts", "messages",
      "models",
      "neighbours",
    ]
    let rows = try log.logDatabase.asking { database in
      try [
        "SELECT address, short, begin_ms, end_ms, seconds, readings, heard_ms, windows FROM contact JOIN peer ON peer.id = peer_id LEFT JOIN payload ON payload.id = payload_id ORDER BY 3, 1, 2",
        "SELECT short, address, readings, hex(levels) FROM person LEFT JOIN payload ON payload.id = payload_id LEFT JOIN peer ON peer.id = peer_id ORDER BY 1, 2",
        "SELECT short, address FROM person_address JOIN person ON person.id = person_id JOIN payload ON payload.id = payload_id JOIN peer ON peer.id = person_address.peer_id ORDER BY 1, 2",
        "SELECT begin_ms, address, word, bits FROM contact_window JOIN contact ON contact.id = contact_id JOIN peer ON peer.id = peer_id ORDER BY 1, 2, 3",
        "SELECT * FROM conversion_total",
        "SELECT short, last_ms, count, mean, squares FROM conversion_sign ORDER BY 1",
      ].map { sql in
        try Row.fetchAll(database, sql: sql).map { "\($0.databaseValues)" }.joined(separator: "\n")
      }
    }
    return names.map { log.table($0) ?? "none" } + rows
  }

  /// A few people who come and go, under changing addresses, whose payloads are read late, or never, or are
  /// others later.
  private func records(_ random: inout Mutations, count: Int, from first: UInt64) -> [Record] {
    var now = first
    return (0..<count).map { _ in
      now += UInt64([10, 500, 9_000, 29_990, 400_000, 1_000_000].randomElement(using: &random) ?? 10)
      // A clock that was set back.
      let at = Int.random(in: 0..<20, using: &random) == 0 ? now - min(now, 2_000_000) : now
      let who = peer(UInt32.random(in: 0..<12, using: &random))
      let payload: [UInt8] = [1, 0, 0, UInt8.random(in: 0..<4, using: &random), 7, 8]
      switch Int.random(in: 0..<24, using: &random) {
      case 0: return (at, .detected(who), [])
      case 1, 2: return (at, .read(who), payload)
      case 3: return (at, .shared(who), payload + payload)
      case 4: return (at, .txPower(who, Int8.random(in: -20...20, using: &random)), [])
      case 5: return (at, .lost(who), [])
      case 6: return (at, .battery(level: 50, external: false), [])
      case 7: return (at, .visited(who, firstReceived: 9, lastReceived: 1), [])
      case 8: return (at, .received(who), [1])
      case 9: return (at, .ownPayload, payload)
      case 10: return (at, .started(reason: 0), [])
      default: return (at, .measured(who, RSSI(Int8.random(in: -90 ... -40, using: &random))), [])
      }
    }
  }

  @Test(
    "Pages that come one by one, the last of them open and growing, make what they make together",
    arguments: 0..<12)
  func growth(_ seed: UInt64) throws {
    var random = Mutations(seed: seed)
    var pages: [[Record]] = []
    for number in 0..<6 { pages.append(records(&random, count: 60, from: UInt64(number) * 8_000_000)) }
    var grown = try SyntheticLog(start: start, pages[0])
    for (number, page) in pages.enumerated().dropFirst() {
      // It is open first, with a part of its records; then with more of them; then closed.
      try grown.add(start: start, isOpen: true, Array(page.prefix(20)))
      try grown.put(UInt32(number) + 1, start: start, isOpen: true, Array(page.prefix(45)))
      try grown.put(UInt32(number) + 1, start: start, isOpen: false, page)
    }
    var whole = try SyntheticLog(start: start, [])
    for (number, page) in pages.enumerated() {
      if number > 0 {
        try whole.add(start: start, page)
      } else {
        try whole.put(1, start: start, isOpen: false, page)
      }
    }
    // From the records alone.
    try whole.logDatabase.asking { try $0.execute(sql: "UPDATE conversion SET is_stale = 1") }
    try whole.logDatabase.interpret(whole.device, tables: whole.folder.path)
    #expect(try result(grown) == result(whole))
  }

  @Test(
    "Contacts and their windows are those that the signs make, however they are ordered", arguments: 0..<6)
  func contacts(_ seed: UInt64) throws {
    var random = Mutations(seed: seed)
    let silence = ContactPeriod.silence
    var dates = (0..<300).map { _ in UInt64.random(in: 0..<60_000_000, using: &random) / 10 * 10 }
    dates += dates.prefix(50).map { $0 + silence }
    let one = peer(1)
    let log = try SyntheticLog(start: start, dates.map { ($0, .measured(one, RSSI(-50)), []) })
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
        "40:00:00:00:00:01,,\(UTCTimestamp.text(start + begin)),\(UTCTimestamp.text(start + end)),\(seconds).0,\(run.count)"
    }
    #expect(log.lines("contact_events").map(String.init) == expected)
  }

  /// A folder of pages of a log as a device writes it, of which the last may grow.
  private func folder(_ count: Int, in place: TemporaryFolder) throws -> PageStore {
    var log = FlashLog<MemoryFlash, 16>(flash: MemoryFlash(pageSize: 1024, pageCount: 32, wordSize: 4))
    log.mount(freshEpoch: 7)
    var clock = WallClock()
    clock.set(unixMilliseconds: start, at: .start, source: .host)
    for number in 0..<count {
      let who = peer(UInt32(number % 5))
      let at = Instant(milliseconds: UInt64(number) * 1110)
      if number % 200 < 5 {
        try log.append(.read(who), bytes: [1, 0, 0, UInt8(number % 5)].span, at: at, clock: clock)
      }
      try log.append(.measured(who, RSSI(Int8(-40 - number * 7 % 50))), at: at, clock: clock)
    }
    let pages = try PageStore(path: place.path, create: true)
    for page in try log.committedPages() {
      let name = PageName(epoch: 7, sequence: page.sequence, isOpen: page.isOpen)
      if try !pages.pages().contains(name) || page.isOpen { try pages.store(page.bytes, as: name) }
    }
    return pages
  }

  private static let tables = ["contacts", "statistics", "detection", "contact_events"]

  private func files(_ place: TemporaryFolder) -> [String] {
    Self.tables.map {
      String(
        decoding: FileManager.default.contents(atPath: "\(place.path)/\($0).csv") ?? Data(), as: UTF8.self)
    }
  }

  private func expected(_ count: Int) throws -> [String] {
    let place = TemporaryFolder()
    _ = try LogConversion(try folder(count, in: place))
    return files(place)
  }

  @Test(
    "A folder that grows, whose tables or database are lost or damaged in between, is right after each conversion"
  )
  func repair() throws {
    let place = TemporaryFolder()
    let counts = [300, 900, 900, 1500, 1600, 2400, 2400, 2400]
    for (step, count) in counts.enumerated() {
      switch step {
      case 2: try FileManager.default.removeItem(atPath: "\(place.path)/contacts.csv")
      case 3:
        let handle = try #require(FileHandle(forWritingAtPath: "\(place.path)/contacts.csv"))
        try handle.write(contentsOf: Data("damaged".utf8))
        try handle.close()
      case 5: try FileManager.default.removeItem(atPath: "\(place.path)/archive.sqlite")
      case 6: try FileManager.default.removeItem(atPath: "\(place.path)/contact_events.csv")
      default: break
      }
      let pageStore = try folder(count, in: place)
      _ = try LogConversion(pageStore)
      #expect(try files(place) == expected(count), "step \(step)")
    }
  }

  @Test("An unchanged folder is not written to, and its pages are not read")
  func unchanged() throws {
    let place = TemporaryFolder()
    _ = try LogConversion(try folder(1500, in: place))
    let pages = try PageStore(path: place.path, create: false)
    let before = try pages.pages().map { pages.stamp(of: $0) }
    let names = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
    let stamps = names.map { FileStamp.of("\(place.path)/\($0)") }
    for name in try pages.pages() { chmod("\(place.path)/pages/\(name.fileName)", 0o600) }
    // The time of change is another now, the content is not: read again, and nothing else.
    _ = try LogConversion(pages)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).sorted() == names)
    let tables = names.enumerated().filter { $0.element.hasSuffix(".csv") }
    for (index, name) in tables { #expect(FileStamp.of("\(place.path)/\(name)") == stamps[index]) }
    let second = try pages.pages().map { pages.stamp(of: $0) }
    #expect(second != before)
    let result = try LogConversion(pages)
    #expect(result.readings == 1500 && result.pageCount == before.count)
    #expect(try pages.pages().map { pages.stamp(of: $0) } == second)
  }

  @Test(
    "Of an unchanged folder the database is not queried for pages, and files that are none are told of each time"
  )
  func unchangedAsAWhole() throws {
    let place = TemporaryFolder()
    let pageStore = try folder(1500, in: place)
    let stray = PageName(epoch: 1, sequence: 4_000_000_000, isOpen: false)
    let file = "\(place.path)/pages/\(stray.fileName)"
    #expect(FileManager.default.createFile(atPath: file, contents: Data("no page".utf8)))
    func summary() throws -> [String] {
      let result = try LogConversion(pageStore)
      return result.damagedPages + ["\(result.pageCount) \(result.readings) \(result.events)"]
    }
    let first = try summary()
    #expect(first.count == 2 && first[0].hasPrefix(stray.fileName))
    // What is known of pages is not even looked at.
    func known() throws -> Int? {
      let database = try DatabaseQueue(path: "\(place.path)/archive.sqlite")
      defer { try? database.close() }
      return try database.write { database in
        try database.execute(sql: "DELETE FROM conversion_page WHERE is_page")
        return try Int.fetchOne(database, sql: "SELECT changes()")
      }
    }
    #expect(try known() ?? 0 > 0)
    #expect(try summary() == first)
    #expect(try known() == 0)
    // Any change has all of it looked at: of a page's file, of the tables, of what is known about the device,
    // of which pages there are.
    let page = try #require(try pageStore.pages().first).fileName
    for change in 0..<4 {
      switch change {
      case 0: chmod("\(place.path)/pages/\(page)", 0o600)
      case 1: chmod("\(place.path)/statistics.csv", 0o600)
      case 2: try pageStore.updateDevice { $0.note(epoch: 77) }
      default: unlink(file)
      }
      let again = try summary()
      #expect(
        again
          == (change < 3
            ? first : ["\(try pageStore.pages().count) 1500 \(first[1].split(separator: " ")[2])"])
      )
      #expect(try known() ?? 0 > 0, "change \(change)")
    }
  }

  @Test("Lines that a conversion had written when it was cut off are not there twice")
  func cutOff() throws {
    let place = TemporaryFolder()
    let pageStore = try folder(900, in: place)
    _ = try LogConversion(pageStore)
    // As it is when a program ends between writing a table and closing the transaction.
    let database = try DatabaseQueue(path: "\(place.path)/archive.sqlite")
    try database.write { try $0.execute(sql: "UPDATE conversion SET is_writing = 1") }
    try database.close()
    let handle = try #require(FileHandle(forWritingAtPath: "\(place.path)/contacts.csv"))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("2022-11-29 22:21:56.552+0000,BLE,half a li".utf8))
    try handle.close()
    _ = try LogConversion(pageStore)
    #expect(try files(place) == expected(900))
  }

  @Test("A page whose file is gone is gone from the tables and the database")
  func removedPage() throws {
    let place = TemporaryFolder()
    let pageStore = try folder(1500, in: place)
    _ = try LogConversion(pageStore)
    let first = try #require(try pageStore.pages().first)
    try FileManager.default.removeItem(atPath: "\(place.path)/pages/\(first.fileName)")
    let result = try LogConversion(pageStore)
    #expect(result.readings < 1500 && result.readings > 0)
    let other = TemporaryFolder()
    let copy = try PageStore(path: other.path, create: true)
    for name in try pageStore.pages() { try copy.store(try pageStore.read(name), as: name) }
    _ = try LogConversion(copy)
    #expect(files(place) == files(other))
  }

  @Test("A date that is set later applies to the records before it, in every table")
  func datedLater() throws {
    var log = try SyntheticLog(
      start: nil,
      [(1000, .measured(peer(1), RSSI(-50)), []), (2000, .battery(level: 9, external: false), [])])
    #expect(log.lines("contacts").isEmpty && log.table("battery") == nil)
    try log.add(start: start, isOpen: true, [(40_000, .measured(peer(1), RSSI(-51)), [])])
    #expect(log.lines("contacts").count == 2 && log.lines("battery").count == 1)
    #expect(
      log.lines("contact_events") == [
        "40:00:00:00:00:01,,2022-11-29 22:21:51.000+0000,2022-11-29 22:22:30.000+0000,60.0,2"
      ])
    #expect(try log.summary().undatedEvents == 0)
  }
}
