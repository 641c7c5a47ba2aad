import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import Testing

/// A log on a flash whose power goes in the middle of an operation, for each operation of a run that goes
/// round the ring more than once: what was committed is there afterwards, in order, and the log continues.
///
/// - Parameters:
///   - every: which operations are tried: each, or every so many-th.
///   - power: the power of the memory that `flash` drives.
///   - restart: what the chip's restart does to the memory; gives a driver that has just been started.
func expectLogSurvivesPowerCuts<F: Flash & ~Copyable>(
  every: Int, upTo steps: Int, fresh: () -> (power: PowerCut, restart: () -> F),
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  for step in stride(from: 0, to: steps, by: every) {
    let (power, restart) = fresh()
    var log = FlashLog<F, 8>(flash: restart())
    log.mount(freshEpoch: 7)
    power.cut(afterSteps: step, seed: UInt64(step))
    var appended: [Int8] = []
    var committed = 0
    while power.isOn, appended.count < 5_000 {
      let value = Int8(truncatingIfNeeded: -30 - appended.count % 67)
      guard (try? log.measure(value, number: appended.count)) != nil, power.isOn else { break }
      appended.append(value)
      if appended.count % 11 == 0 {
        log.commit()
        if power.isOn { committed = appended.count }
      }
      if appended.count % 5 == 0 { log.maintain() }
    }
    #expect(!power.isOn, "the run has fewer operations than \(step)", sourceLocation: sourceLocation)
    var again = FlashLog<F, 8>(flash: restart())
    again.mount(freshEpoch: 8)
    let readings = again.readings()
    let end = readings.map(\.number).max().map { $0 + 1 } ?? 0
    guard end >= committed, end <= appended.count + 1,
      readings.map(\.number) == Array((end - readings.count)..<end),
      readings.allSatisfy({ $0.number >= appended.count || $0.value == appended[$0.number] })
    else {
      Issue.record(
        "step \(step): \(readings.count) readings up to \(end), committed \(committed)",
        sourceLocation: sourceLocation)
      return
    }
    try again.measure(-99, number: end)
    again.commit()
    var continued = FlashLog<F, 8>(flash: restart())
    continued.mount(freshEpoch: 9)
    #expect(continued.readings().last?.value == -99, "step \(step)", sourceLocation: sourceLocation)
  }
}

extension FlashLog where F: ~Copyable {
  /// Appends a reading whose time says which one it is.
  fileprivate mutating func measure(_ value: Int8, number: Int) throws(LogError) {
    let peer = TargetIdentity(kind: .randomAddress, high: 1, low: UInt32(number % 7))
    try append(
      .measured(peer, RSSI(value)), bytes: Span(), at: Instant(milliseconds: UInt64(number) * 130),
      clock: WallClock())
  }

  /// All readings there are, oldest first.
  fileprivate mutating func readings() -> [(number: Int, value: Int8)] {
    var readings: [(number: Int, value: Int8)] = []
    let status = committedStatus()
    guard status.oldest <= status.newest else { return [] }
    for sequence in status.oldest...status.newest {
      guard let size = readableBytes(sequence: sequence) else { continue }
      var page = [UInt8](repeating: 0, count: size)
      var span = page.mutableSpan
      guard (try? read(sequence: sequence, offset: 0, into: &span)) == size,
        var decoder = LogPageDecoder(page.span)
      else { continue }
      var payload = [UInt8](repeating: 0, count: LogEvent.maximumBytes)
      while true {
        var room = payload.mutableSpan
        guard let record = decoder.next(payload: &room) else { break }
        guard case .measured(_, let rssi) = record.event else { continue }
        readings.append((Int(record.at.milliseconds) / 130, rssi.rawValue))
      }
    }
    return readings
  }
}
