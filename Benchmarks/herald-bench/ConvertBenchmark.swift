import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldHostLink
import HeraldSimulation

/// Converting the log of a busy ward with `herald-host`: how long it takes and how much memory, anew, with
/// nothing new, and with one page more.
enum ConvertBenchmark {
  /// Readings of the log, unless the command line says another number.
  private static let readings = 100_000_000

  static func run(_ figures: inout Figures) throws {
    let count = CommandLine.arguments.lazy.compactMap { Int($0) }.first ?? readings
    let path = ".build/figures/convert"
    try? FileManager.default.removeItem(atPath: path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    try makeFolder(path)
    var ward = WardScenario(path)
    try ward.log(count)
    print("  \(count) readings in \(ward.pages) pages")
    figures.add("convert_s", try time("log", "convert", path), "s")
    figures.add("convert_unchanged_s", try time("log", "convert", path), "s")
    try ward.logPage()
    figures.add("convert_page_s", try time("log", "convert", path), "s")
    figures.add("convert_peak_mb", peak(), "MB")
    figures.add("convert_report_s", try time("report", path), "s")
    figures.add("convert_report_peak_mb", peak(), "MB")
  }

  /// Files of pages that are empty, as a full disk leaves them: how the time of a conversion grows with their
  /// number.
  static func runFiles(_ figures: inout Figures) throws {
    let path = ".build/figures/files"
    try? FileManager.default.removeItem(atPath: path)
    defer { try? FileManager.default.removeItem(atPath: path) }
    var seconds: [Double] = []
    for (first, last) in [(1, 10_000), (10_001, 100_000)] as [(UInt32, UInt32)] {
      if first == 1 { try makeFolder(path) }
      for sequence in first...last {
        let name = PageName(epoch: WardScenario.epoch, sequence: sequence, isOpen: false).fileName
        try Data().write(to: URL(fileURLWithPath: "\(path)/pages/\(name)"))
      }
      try? FileManager.default.removeItem(atPath: "\(path)/conversion.state")
      seconds.append(try time("log", "convert", path, expecting: 10))
      figures.add("convert_\(last)_files_s", seconds[seconds.count - 1], "s")
    }
    figures.add("convert_files_ratio", seconds[1] / seconds[0], "")
  }

  private static func makeFolder(_ path: String) throws {
    let folder = try PageStore(path: path, create: true)
    try folder.updateDevice {
      $0.serial = "BENCH"
      $0.note(epoch: WardScenario.epoch)
    }
  }

  /// Seconds that a command of herald-host takes.
  private static func time(_ arguments: String..., expecting status: Int32 = 0) throws -> Double {
    let programs = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let process = Process()
    process.executableURL = programs.appendingPathComponent("herald-host")
    process.arguments = arguments + ["--quiet"]
    if status != 0 { process.standardError = FileHandle.nullDevice }
    let start = DispatchTime.now().uptimeNanoseconds
    try process.run()
    process.waitUntilExit()
    let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
    if process.terminationStatus != status {
      print("  herald-host \(arguments.joined(separator: " ")) ended with \(process.terminationStatus)")
    }
    return seconds
  }

  /// The most memory that any of those commands had at a time, in megabytes of 1,000,000 bytes. What this
  /// program has itself when it starts one counts, too.
  private static func peak() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
    return Double(usage.ru_maxrss) * 1024 / 1e6
  }
}

/// The wearable of somebody among ten people, each heard twice a second, under addresses that change every
/// quarter of an hour, with a commit every half minute; and its log as a host has pulled it.
private struct WardScenario: ~Copyable {
  private static let people = 10
  static let epoch: UInt32 = 1
  private static let begin: UInt64 = 1_790_000_000_000
  /// An address lasts a quarter of an hour.
  private static let address: UInt64 = 900_000

  private var log = FlashLog<MemoryFlash, 64>(
    flash: MemoryFlash(FlashImage(pageSize: 4096, pageCount: 64, wordSize: 4)))
  private let path: String
  private var clock = WallClock()
  private var now: UInt64 = 0
  private var state: UInt64 = 1
  private var addresses = [UInt64](repeating: .max, count: people)
  private var nextPerson = 0
  private var kept: UInt32 = 0

  /// How many pages are in the folder.
  private(set) var pages = 0

  /// A log without readings, whose pages go to the folder of a pulled log.
  init(_ path: String) {
    self.path = path
    log.mount(freshEpoch: Self.epoch)
    clock.set(unixMilliseconds: Self.begin, at: .start, source: .host)
  }

  /// So many readings more.
  mutating func log(_ readings: Int) throws {
    var left = readings
    while left > 0 {
      let part = min(left, 600)
      for _ in 0..<part { try hear() }
      left -= part
      try keep()
    }
    try keep(log.committedStatus().newest, isOpen: true)
  }

  /// As many readings as make at least one page more.
  mutating func logPage() throws {
    let before = pages
    while pages == before { try log(600) }
  }

  private mutating func chance(_ bound: UInt64) -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state >> 33) % bound
  }

  private mutating func hear() throws {
    let person = nextPerson
    nextPerson = (nextPerson + 1) % Self.people
    now += 30 + chance(5) * 10
    let at = Instant(milliseconds: now)
    // They do not change it all at once.
    let period = (now + UInt64(person) * 90_000) / Self.address
    let target = TargetIdentity(
      kind: .randomAddress, high: 0x4000 + UInt16(person), low: UInt32(truncatingIfNeeded: period))
    if addresses[person] != period {
      addresses[person] = period
      let payload = [0x08, 0x3A, 0x03, 0, 0] + [UInt8](repeating: UInt8(person), count: 8)
      try log.append(.detected(target), at: at, clock: clock)
      try log.append(.read(target), bytes: payload.span, at: at, clock: clock)
    }
    let rssi = -50 - person % 30 - Int(chance(4)) - Int(chance(4))
    try log.append(.measured(target, RSSI(Int8(rssi))), at: at, clock: clock)
  }

  /// Brings what is committed to the folder, as a pull does.
  private mutating func keep() throws {
    let newest = log.committedStatus().newest
    for sequence in max(kept, 1)..<max(newest, 1) {
      try keep(sequence, isOpen: false)
      pages += 1
    }
    kept = newest
  }

  private mutating func keep(_ sequence: UInt32, isOpen: Bool) throws {
    var bytes = [UInt8](repeating: 0, count: log.readableBytes(sequence: sequence) ?? 0)
    var span = bytes.mutableSpan
    _ = try log.read(sequence: sequence, offset: 0, into: &span)
    func file(_ isOpen: Bool) -> URL {
      URL(
        fileURLWithPath:
          "\(path)/pages/\(PageName(epoch: Self.epoch, sequence: sequence, isOpen: isOpen).fileName)")
    }
    try Data(bytes).write(to: file(isOpen))
    if !isOpen { try? FileManager.default.removeItem(at: file(true)) }
  }
}
