import HeraldBluetooth
import HeraldHAL

/// The destinations of events: the log, the counters, and the delegate.
///
/// It dates events with the time of the present call, and maintains the log: it commits pending records,
/// erases expired pages, and erases ahead of the next page.
public struct LogSink<Parts: DeviceParts>: ~Copyable {
  /// The type of the log.
  public typealias Log = FlashLog<Parts.FlashType, 64>

  /// The log. Its dictionary is as large as the format allows: with 60 peers in range, a dictionary of 32
  /// would take 4.5 bytes for a reading instead of 1.7, to save 416 bytes of RAM.
  public var log: Log
  /// Receives the sensor's events.
  public var delegate: Parts.DelegateType
  /// The date, if known.
  public var clock: WallClock
  var counters: HeraldCounters
  /// The time of the present call.
  public var now: Instant
  /// When the log is committed to flash next.
  var commitAt: Instant
  /// From when on pages are erased also while a peer is connected.
  var tidyAt: Instant

  /// A sink into a log that is not mounted yet.
  @inline(__always)
  public init(flash: consuming Parts.FlashType, delegate: () -> Parts.DelegateType) {
    log = FlashLog(flash: flash)
    self.delegate = delegate()
    clock = WallClock()
    counters = HeraldCounters()
    now = .start
    commitAt = .start
    tidyAt = .start
  }
}

extension LogSink {
  // MARK: Recording

  /// Adds one.
  @inline(__always)
  mutating func count(_ counter: HeraldCounter) { counters.count(counter) }

  /// Appends an event to the log; an event that the log refuses is counted.
  @inline(__always)
  mutating func record(_ event: LogEvent) {
    var record = LogRecordFields(event)
    add(&record)
  }

  /// The same for an event of a peer, in the form in which it is logged: there are many calls, and this is
  /// short at each. `extra` is the RSSI of a reading, and for other kinds the plain field.
  @inline(never)
  mutating func record(_ kind: LogKind, of target: TargetIdentity, extra: UInt8 = 0) {
    var record = LogRecordFields(
      kind: kind, target: target, rssi: Int8(bitPattern: extra), extra: extra)
    add(&record)
  }

  /// The same with some of the bytes of a buffer.
  @inline(never)
  mutating func record(
    _ kind: LogKind, of target: TargetIdentity = LogRecordFields.nobody, extra: UInt8 = 0,
    _ range: Range<Int>, in buffer: inout PayloadBuffer
  ) {
    var record = LogRecordFields(kind: kind, target: target, extra: extra)
    if !buffer.record(&record, range, in: &log, at: now, clock: clock) { count(.logErrors) }
  }

  /// The same with bytes that are in no buffer: a code of an additional service.
  mutating func record(
    _ kind: LogKind, of target: TargetIdentity = LogRecordFields.nobody, service: ServiceNumber,
    bytes: Span<UInt8>
  ) {
    let extra = LogRecordFields.services &+ service.rawValue
    var record = LogRecordFields(kind: kind, target: target, extra: extra)
    do throws(LogError) { try log.append(&record, bytes: bytes, at: now, clock: clock) } catch {
      count(.logErrors)
    }
  }

  /// Appends a record to the log; a record that the log refuses is counted.
  @inline(never)
  mutating func add(_ record: inout LogRecordFields) {
    do throws(LogError) { try log.append(&record, bytes: Span(), at: now, clock: clock) } catch {
      count(.logErrors)
      delegate.tell(.fault, "an event could not be logged", at: now)
    }
  }

  /// Logs a reading.
  @inline(__always)
  mutating func record(reading rssi: RSSI, of target: TargetIdentity) {
    if !log.take(reading: rssi, of: target, at: now) {
      record(.measured, of: target, extra: UInt8(bitPattern: rssi.rawValue))
    }
  }

  // MARK: Keeping the log

  /// Opens the log: the first record holds the reason of the start.
  mutating func start(reason: UInt8, freshEpoch: UInt32, commitPeriod: Interval) {
    log.mount(freshEpoch: freshEpoch)
    record(.started(reason: reason))
    commitAt = now + commitPeriod
  }

  /// Commits sooner if a new period requires it.
  mutating func commit(within period: Interval) {
    let end = now + period
    if end < commitAt { commitAt = end }
  }

  /// Commits the log to flash and erases pages. `isIdle`: no peer is connected.
  mutating func commit(isIdle: Bool, next period: Interval, retentionDays: UInt16) {
    log.commit()
    tidy(isIdle: isIdle, retentionDays: retentionDays)
    commitAt = now + period
  }

  /// Erases one page that a host has acknowledged, unless a peer is connected, which the erasure would delay:
  /// then only after an hour. Returns whether a page was erased.
  @inline(never)
  mutating func trim(isIdle: Bool) -> Bool {
    guard isIdle || now >= tidyAt, log.isReady() else { return false }
    log.trim()
    return true
  }

  /// Erases one page of the log, if one is due. That may take a tenth of a second: it is done while no peer
  /// is connected, or, if a peer always is, after an hour.
  @inline(never)
  mutating func tidy(isIdle: Bool, retentionDays: UInt16) {
    guard isIdle || now >= tidyAt, log.isReady() else { return }
    if isIdle { tidyAt = now + .minutes(60) }
    if isIdle, log.wantsMaintenance {
      log.maintain()
    } else {
      log.retain(days: retentionDays, at: now)
    }
  }
}
