import Foundation
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldHostLink
import HeraldSimulation

/// Pulling a full log of 400 KB with herald-host's own code over a simulated bus at full speed, from the
/// device's own code: no clock but that of the bus.
///
/// What is counted on the wire are the bytes in packets, both ways; tokens and checks are the bus's own, and
/// its ceiling is without them.
enum LinkBenchmark {
  private static let pages = 100

  static func run(_ figures: inout Figures) throws {
    let log = fullLog()
    // herald-node's packets.
    let node = try pull(FrameTransport<8320, 2>(log: log))
    figures.add("link_efficiency", 100 * node.efficiency, "percent")
    figures.add("pull_ceiling_ratio", node.ratio, "")
    figures.add("pull_pauses_per_64k", node.pauses, "")
    // Two of 1,024 bytes; then one, which is what the nRF52833 DK has.
    let board = try pull(FrameTransport<2048, 2>(log: log))
    figures.add("link_efficiency_2x1024", 100 * board.efficiency, "percent")
    figures.add("pull_ceiling_ratio_2x1024", board.ratio, "")
    let half = try pull(FrameTransport<1024, 1>(log: log))
    figures.add("pull_ceiling_ratio_1x1024", half.ratio, "")
    try session(log, &figures)
    let small = try pull(FrameTransport<512, 1>(log: log))
    figures.add("link_efficiency_1x512", 100 * small.efficiency, "percent")
    figures.add("pull_ceiling_ratio_1x512", small.ratio, "")
  }

  /// What a session costs, with herald-node's packets: bytes on the wire, and time of this machine, the
  /// shortest of five pulls by turns.
  private static func session(_ log: FlashImage, _ figures: inout Figures) throws {
    let key = [UInt8](0..<32)
    var times: (open: Double, locked: Double) = (.infinity, .infinity)
    var bytes: (open: Int, locked: Int) = (0, 0)
    for _ in 0..<5 {
      let open = FrameTransport<8320, 2>(log: log)
      times.open = min(times.open, try seconds { _ = try pull(open) })
      bytes.open = open.bus.bytes
      let locked = FrameTransport<8320, 2>(log: log, key: key)
      times.locked = min(times.locked, try seconds { _ = try pull(locked, key: key) })
      bytes.locked = locked.bus.bytes
    }
    figures.add(
      "session_overhead_percent", 100 * (Double(bytes.locked) / Double(bytes.open) - 1), "percent")
    figures.add("session_pull_ratio", times.locked / times.open, "")
  }

  private static func seconds(_ work: () throws -> Void) rethrows -> Double {
    let begun = ContinuousClock.now
    try work()
    let took = begun.duration(to: .now).components
    return Double(took.seconds) + Double(took.attoseconds) * 1e-18
  }

  private struct Outcome {
    /// Bytes of the log for each on the wire.
    var efficiency: Double
    /// Bytes of the log for each there was room for.
    var ratio: Double
    /// How often the bus waited, for each 64 KB of the log.
    var pauses: Double
  }

  private static func pull<let memory: Int, let depth: Int>(
    _ transport: FrameTransport<memory, depth>, key: [UInt8] = []
  ) throws -> Outcome {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "herald-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let device = DeviceClient(SMPClient(transport: transport))
    if !key.isEmpty {
      let file = folder.path + ".key"
      defer { try? FileManager.default.removeItem(atPath: file) }
      try Data(key).write(to: URL(fileURLWithPath: file))
      try device.unlock(AccessKey.read(file))
    }
    var download = LogDownload(
      device: device,
      pageStore: try PageStore(path: folder.path, create: true))
    let report = try download.run()
    guard report.isComplete, report.newPages >= pages else { throw PullFailed(report: report) }
    let bus = transport.bus
    return Outcome(
      efficiency: Double(report.bytes) / Double(bus.bytes),
      ratio: Double(report.bytes) / (Double(bus.frames) / 1000 * FrameBus.ceiling),
      pauses: Double(bus.pauses) / (Double(report.bytes) / 65536))
  }

  private struct PullFailed: Error {
    var report: PullReport
  }

  /// The flash of a device that has met twenty others for a day.
  private static func fullLog() -> FlashImage {
    let image = FlashImage(pageSize: 4096, pageCount: pages + 4, wordSize: 4)
    var log = FlashLog<MemoryFlash, 64>(flash: MemoryFlash(image))
    log.mount(freshEpoch: 1)
    var random = DeviceBenchmark.Xorshift(state: 7)
    var now = Instant.start
    while log.committedStatus().newest < UInt32(pages) {
      let number = random.next()
      now = now + .milliseconds(20 + number % 300)
      let target = TargetIdentity(kind: .randomAddress, high: 0x4000, low: (number >> 8) % 20)
      try? log.append(
        .measured(target, RSSI(Int8(truncatingIfNeeded: -50 - Int((number >> 16) % 30)))), at: now,
        clock: WallClock())
    }
    log.commit()
    return image
  }
}
