import HeraldHostLink
import HeraldImages

/// The debug port of a chip: SWD initialisation, debug power, clearing of errors (ADIv5.2, B2; ARM IHI 0031).
final class DebugPort {
  /// The debug probe that is connected to the chip.
  let probe: DebugProbe
  /// The value of DPIDR; 0 before `connect`.
  private(set) var identifier: UInt32 = 0
  /// The values of SELECT and the control word of access port 0, as far as known.
  private var standing = RegisterBatch.Standing()
  private let clock: UInt32

  /// Uses the chip connected to `probe`, with an SWD clock of at most `clock` Hz.
  init(_ probe: DebugProbe, clock: UInt32) {
    self.probe = probe
    self.clock = clock
  }

  /// At least 50 ones, the 16 bits that turn JTAG into SWD, 50 ones again, and idle (ADIv5.2, B5.3.2).
  private static let lineReset: DAPCommand = .plain(
    [0x12, 136] + [UInt8](repeating: 0xFF, count: 7) + [0x9E, 0xE7] + [UInt8](repeating: 0xFF, count: 7) + [0]
  )

  /// Reads the identifier, which has to come first after a line reset; clears sticky errors; requests debug
  /// and system power.
  private static let wake: DAPCommand = .transfer([
    DAPAccess(request: 0x02, value: nil), DAPAccess(request: 0x00, value: 0x1E),
    DAPAccess(request: 0x08, value: 0), DAPAccess(request: 0x04, value: 0x5000_0000),
  ])

  /// Queries the probe, starts SWD and switches debug power on.
  func connect() throws(ProbeError) {
    standing = .init()
    var frequency: [UInt8] = [0x11]
    frequency.append(littleEndian: clock)
    // Two idle cycles; 16384 retries on WAIT, 65535 retries on a value mismatch.
    let configuration: [UInt8] = [0x04, 0x02, 0x00, 0x40, 0xFF, 0xFF]
    try probe.begin([
      .connect, .plain(frequency), .plain(configuration), .plain([0x13, 0x00]), Self.lineReset,
    ])
    try wakeUp()
  }

  /// Recovers the line after an error: line reset, read of the identifier, clearing of errors, abort of a
  /// stalled access.
  func recover() throws(ProbeError) {
    standing = .init()
    _ = try probe.run([Self.lineReset, .transfer([DAPAccess(request: 0x02, value: nil)])])
    _ = try probe.run([.transfer([DAPAccess(request: 0x00, value: 0x1F)])])
    try wakeUp()
  }

  private func wakeUp() throws(ProbeError) {
    var writer = probe.newWriter()
    writer.append(Self.wake)
    var batch = RegisterBatch(writer, standing)
    batch.waitForPower()
    let words = try probe.exchange(batch.packets).words
    identifier = words.first ?? 0
    standing = .init()
  }

  /// Performs the accesses added by `build`, in as few packets as possible, and returns the words read, in
  /// order.
  func perform(_ build: (inout RegisterBatch) -> Void) throws(ProbeError) -> [UInt32] {
    var batch = RegisterBatch(probe.newWriter(), standing)
    build(&batch)
    standing = .init()
    let words = try probe.exchange(batch.packets).words
    standing = batch.standing
    return words
  }

  /// Switches debug power off and disconnects.
  func disconnect() throws(ProbeError) {
    _ = try probe.run([.transfer([DAPAccess(request: 0x04, value: 0)])])
    _ = try probe.run([.plain([0x03])])
  }
}
