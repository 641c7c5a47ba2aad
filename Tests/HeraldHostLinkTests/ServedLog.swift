import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation

@testable import HeraldHostLink

/// A log in flash behind the firmware's own server, in packets of so many bytes.
final class ServedLog {
  private struct Device: ManagedDevice, ~Copyable {
    var log: FlashLog<MemoryFlash, 8>
    /// Its access key; without bytes it stays open.
    var key: [UInt8] = []
    var access = AccessGate()
    private var random: UInt8 = 0

    init(log: consuming FlashLog<MemoryFlash, 8>) { self.log = log }

    func hasAccessKey() -> Bool { !key.isEmpty }
    func copyAccessKey(into bytes: inout MutableSpan<UInt8>) -> Bool {
      for index in key.indices { bytes[index] = key[index] }
      return !key.isEmpty
    }
    mutating func fillRandom(_ bytes: inout MutableSpan<UInt8>) {
      random &+= 1
      for index in 0..<bytes.count { bytes[index] = random }
    }

    mutating func logStatus() -> LogStatus { log.status() }
    mutating func commitLog(at now: Instant) { log.commit() }
    mutating func logReadableBytes(sequence: UInt32) -> Int? { log.readableBytes(sequence: sequence) }
    mutating func readLog(sequence: UInt32, offset: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
      (try? log.read(sequence: sequence, offset: offset, into: &buffer)) ?? 0
    }
    mutating func acknowledgeLog(_ sequence: UInt32, digest: Span<UInt8>) -> LogAcknowledgement {
      log.acknowledge(sequence, digest: digest)
    }
    static var hasFiles: Bool { true }
    static var statisticsGroupCount: Int { 0 }
    static func statisticsGroupName(_ group: Int) -> StaticString { "" }
    static func statisticsCount(group: Int) -> Int { 0 }
    static func statisticName(group: Int, _ index: Int) -> StaticWord { "" }
    mutating func statistic(group: Int, _ index: Int) -> UInt32 { 0 }
    mutating func unixMilliseconds(at now: Instant) -> UInt64? { nil }
    mutating func setClock(unixMilliseconds: UInt64, at now: Instant) -> Bool { false }
    mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int { 0 }
    mutating func restart(at now: Instant) {}
    func inEffect(_ setting: Setting) -> UInt32 { setting == .stayOpen ? 1 : 0 }
  }

  private var device: Device
  private var server = SMPServer()
  private var buffer: [UInt8]
  /// Requests after which the session ends once.
  var endsSessionAfter = Int.max
  private var count = 0

  /// Its access key; without bytes it stays open.
  var key: [UInt8] {
    get { device.key }
    set { device.key = newValue }
  }

  /// A log of `pages` pages and a half, each of `pageSize` bytes; with another `salt` it has other records.
  init(pages: Int, pageSize: Int = 4096, packetSize: Int = 1024, salt: UInt32 = 0) {
    buffer = [UInt8](repeating: 0, count: packetSize)
    device = Device(
      log: FlashLog(flash: MemoryFlash(pageSize: pageSize, pageCount: pages + 2, wordSize: 4)))
    device.log.mount(freshEpoch: 0xE90C_0002)
    var number: UInt32 = 0
    while device.log.committedStatus().newest <= pages {
      number += 1
      let bytes = (0..<200).map { UInt8(truncatingIfNeeded: UInt32($0) &* number &+ salt) }
      try? device.log.append(
        .read(TargetIdentity(kind: .randomAddress, high: 0x4000, low: number % 5)), bytes: bytes.span,
        at: Instant(milliseconds: UInt64(number) * 1000), clock: WallClock())
    }
  }

  /// The response to a packet.
  func answer(_ packet: [UInt8]) -> [[UInt8]] {
    guard packet.count <= buffer.count else { return [] }
    count += 1
    if count == endsSessionAfter { server.endSession() }
    buffer.replaceSubrange(0..<packet.count, with: packet)
    var span = buffer.mutableSpan
    let count = server.respond(to: &span, count: packet.count, at: .start + .seconds(10), device: &device)
    return count > 0 ? [Array(buffer[..<count])] : []
  }

  /// Logs an event, without a commit.
  func note(_ event: LogEvent) throws {
    try device.log.append(event, at: Instant(milliseconds: 1_000_000), clock: WallClock())
  }

  /// The device ends its session.
  func endsSession() { server.endSession() }

  /// Rounds of the loop: whatever is to be trimmed is.
  func trim() { while device.log.wantsTrimming { device.log.trim() } }

  /// Where it stands.
  var status: LogStatus { device.log.committedStatus() }
}
