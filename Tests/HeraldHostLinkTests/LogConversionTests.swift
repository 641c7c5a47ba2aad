import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

@testable import HeraldHostLink

/// From the device's log, through pages on the disk, to the files: both ends at once.
@Suite("Log conversion")
struct LogConversionTests {
  /// Keeps every page of a device's log in a page folder.
  func store<let count: Int>(_ log: inout FlashLog<MemoryFlash, count>, in folder: TemporaryFolder) throws
    -> PageStore
  {
    let archive = try PageStore(path: folder.path, create: true)
    try log.store(in: archive)
    return archive
  }

  @Test("HP-46 HP-48 HP-49 What a device logged comes out as a phone would have written it")
  func wholeWay() throws {
    let peer = LoggedMeeting.peer
    var log = FlashLog<MemoryFlash, 16>.fresh()
    let clock = try log.appendMeeting(offering: [0x08, 0x3A, 0x03, 0x00, 0x00, 1, 2, 3, 4, 0, 0, 0, 0])
    try log.append(.heraldDetected(peer), at: 3000, clock)
    try log.append(.measured(peer, RSSI(-48)), at: 4010, clock)
    try log.append(.battery(level: 93, external: false), at: 5000, clock)
    try log.append(.lost(peer), at: 9000, clock)
    log.commit()
    let folder = TemporaryFolder()
    let pageStore = try store(&log, in: folder)
    _ = try LogConversion(pageStore)
    func file(_ name: String) -> String {
      String(
        decoding: FileManager.default.contents(atPath: "\(folder.path)/\(name)") ?? Data(), as: UTF8.self)
    }
    #expect(
      file("contacts.csv") == """
        time,sensor,id,detect,read,measure,share,visit,detectHerald,delete,data
        2022-11-29 22:21:51.000+0000,BLE,7B:AC:AC:34:E9:4A,1,,,,,,,
        2022-11-29 22:21:52.500+0000,BLE,7B:AC:AC:34:E9:4A,,,3,,,,,RSSI:-47.0
        2022-11-29 22:21:53.000+0000,BLE,7B:AC:AC:34:E9:4A,,2,,,,,,AADSAp
        2022-11-29 22:21:53.000+0000,BLE,7B:AC:AC:34:E9:4A,,,,,,6,,
        2022-11-29 22:21:54.010+0000,BLE,7B:AC:AC:34:E9:4A,,,3,,,,,RSSI:-48.0[BLETransmitPower:8.0]
        2022-11-29 22:21:59.000+0000,BLE,7B:AC:AC:34:E9:4A,,,,,,,7,

        """)
    #expect(file("battery.csv") == "time,source,level\n2022-11-29 22:21:55.000+0000,battery,93.0\n")
    #expect(file("detection.csv") == "NULL,NULL,NULL,AAABAg,AADSAp\n")
    #expect(file("statistics.csv") == "payload,count,mean,sd,min,max\n")
  }

  @Test("The contacts.csv of a phone in the folder is kept under another name, and is not replaced later")
  func foreignTables() throws {
    var log = FlashLog<MemoryFlash, 16>.fresh()
    _ = try log.appendMeeting(offering: [0x08, 0x3A, 0x03, 0x00, 0x00, 1, 2, 3, 4, 0, 0, 0, 0])
    log.commit()
    let folder = TemporaryFolder()
    let pageStore = try store(&log, in: folder)
    let phone =
      "time,sensor,id,detect,read,measure,share,visit,detectHerald,delete,data\n2022-01-01,BLE,x,1\n"
    try Data(phone.utf8).write(to: URL(fileURLWithPath: "\(folder.path)/contacts.csv"))
    func file(_ name: String) -> String {
      String(
        decoding: FileManager.default.contents(atPath: "\(folder.path)/\(name)") ?? Data(), as: UTF8.self)
    }
    for _ in 0..<2 {
      _ = try LogConversion(pageStore)
      #expect(file("contacts.csv").contains("2022-11-29 22:21:51.000+0000,BLE,7B:AC:AC:34:E9:4A,1"))
      #expect(file("contacts.csv.before") == phone)
    }
    // In a folder that was converted before, too.
    for name in ["contacts", "detection"] {
      let path = "\(folder.path)/\(name).csv"
      try Data(phone.utf8).write(to: URL(fileURLWithPath: path))
      guard name == "contacts" else { break }
      let error = #expect(throws: HostLinkError.self) { try LogConversion(pageStore) }
      #expect(
        error?.what
          == "\(path) is no table that a conversion has written, and \(path).before is there already")
      #expect(error?.cause == .usage && error?.advice?.contains("--force") == true)
      #expect(file("contacts.csv") == phone)
      _ = try LogConversion(pageStore, isForced: true)
      #expect(file("contacts.csv").contains("7B:AC:AC:34:E9:4A") && file("contacts.csv.before") == phone)
    }
    _ = try LogConversion(pageStore)
    #expect(file("detection.csv").hasPrefix("NULL,") && file("detection.csv.before") == phone)
  }

  @Test("HP-46 A recording goes through the device's log and comes out the same, times to 10 ms")
  func recording() throws {
    guard let text = Recordings.text("phone-a40/contacts.csv") else { return }
    let events = try Recordings.events(text)
    var log = FlashLog<MemoryFlash, 64>(flash: MemoryFlash(pageSize: 4096, pageCount: 64, wordSize: 4))
    log.mount(freshEpoch: 9)
    let first = try #require(events.first).unixMilliseconds / 10 * 10
    var clock = WallClock()
    clock.set(unixMilliseconds: first, at: .start, source: .host)
    var powers: [TargetIdentity: Int] = [:]
    var latest: UInt64 = 0
    for event in events {
      latest = max(latest, event.unixMilliseconds - first)
      let now = Instant(milliseconds: latest)
      switch event.kind {
      case .detected: try log.append(.detected(event.peer), at: now, clock: clock)
      case .read(let payload): try log.append(.read(event.peer), bytes: payload.span, at: now, clock: clock)
      case .heraldDetected: try log.append(.heraldDetected(event.peer), at: now, clock: clock)
      case .lost:
        powers[event.peer] = nil
        try log.append(.lost(event.peer), at: now, clock: clock)
      case .measured(let rssi, let power):
        if let power, powers[event.peer] != power {
          powers[event.peer] = power
          try log.append(.txPower(event.peer, Int8(power)), at: now, clock: clock)
        }
        try log.append(.measured(event.peer, RSSI(Int8(rssi))), at: now, clock: clock)
      case .shared, .visited: break
      }
    }
    log.commit()
    let folder = TemporaryFolder()
    let conversion = try LogConversion(try store(&log, in: folder))
    #expect(conversion.events == events.count && conversion.undatedEvents == 0)
    let came = try Recordings.events(
      String(
        decoding: FileManager.default.contents(atPath: "\(folder.path)/contacts.csv") ?? Data(), as: UTF8.self
      ))
    for (was, came) in zip(events, came) {
      #expect(was.peer == came.peer)
      let difference = Int64(was.unixMilliseconds) - Int64(came.unixMilliseconds)
      #expect(difference < 10 && difference > -100)
      if case .measured(let rssi, _) = was.kind, case .measured(let other, _) = came.kind {
        #expect(rssi == other)
      } else {
        #expect(was.kind == came.kind)
      }
    }
  }

  @Test("Pages that are damaged or not of this log are named, and the others are read")
  func damage() throws {
    var log = FlashLog<MemoryFlash, 16>.fresh()
    try log.append(.detected(LoggedMeeting.peer), at: 0, WallClock())
    log.commit()
    let folder = TemporaryFolder()
    let pageStore = try store(&log, in: folder)
    let good = try pageStore.read(PageName(epoch: 7, sequence: log.committedStatus().newest, isOpen: true))
    try pageStore.store(good, as: PageName(epoch: 7, sequence: 99, isOpen: false))
    try pageStore.store([1, 2, 3], as: PageName(epoch: 7, sequence: 98, isOpen: false))
    let conversion = try LogConversion(pageStore)
    #expect(conversion.pageCount == 3 && conversion.damagedPages.count == 2)
    #expect(conversion.undatedEvents == 1)
  }
}
