import HeraldBluetooth
import HeraldHAL

/// A log of events in a ring of flash pages (docs/log-format.md).
///
/// `dictionary` is how many targets a page distinguishes at a time, 1…64: a further target replaces the one
/// not received for longest, which costs seven bytes again when it returns; nothing is lost. Takes 13 bytes
/// of RAM per target and 1.4 KB in addition.
///
/// Events are encoded into a block of 128 bytes that is programmed when it is full or by `commit`; no page is
/// held in RAM.
public struct FlashLog<F: Flash & ~Copyable, let dictionary: Int>: StatisticsSource, ~Copyable {
  var flash: F
  var targets: [dictionary of LogTarget]
  var order: [dictionary of UInt8]
  var writer: LogPageWriter
  var ring: LogRing
  /// The keys that pages are sealed with.
  public var sealer: LogSealer

  /// A log in `flash`, which uses all of its pages. Nothing is read or written before `mount`.
  public init(flash: consuming F) {
    self.flash = flash
    targets = .init(repeating: LogTarget())
    order = .init(repeating: 0)
    writer = LogPageWriter()
    ring = LogRing()
    sealer = LogSealer()
  }

  // MARK: Writing

  /// Adds an event that happened at `now`; an event earlier than the one before it gets the time of that one.
  /// `bytes` is stored with events that have payload bytes and ignored with others. The event is safe from
  /// loss of power after the next `commit`. Programs a block when one is full, and erases a page only if
  /// `maintain` has not done so ahead.
  /// - Throws: `tooLong`, `notMounted`, or `flashFailed` when every page that was tried failed, or while the
  ///   supply of the flash is too low. What is pending then stays pending.
  public mutating func append(
    _ event: LogEvent, bytes: Span<UInt8>, at now: Instant, clock: WallClock
  ) throws(LogError) {
    var record = LogRecordFields(event)
    try append(&record, bytes: bytes, at: now, clock: clock)
  }

  /// The same with the event in the form in which the log writes it, for callers that have it.
  @inline(never)
  mutating func append(
    _ record: inout LogRecordFields, bytes: Span<UInt8>, at now: Instant, clock: WallClock
  ) throws(LogError) {
    guard ring.isMounted else { throw .notMounted }
    let payload = record.kind.hasBytes ? bytes.count : 0
    let isSealed = F.canSeal && sealer.isActive
    let needed =
      payload > LogPayloadMemory.longest ? LogFormat.room(forPayload: payload, isSealed: isSealed) : 0
    let header = isSealed ? LogFormat.sealedHeaderSize : LogFormat.headerSize
    guard payload <= LogEvent.maximumBytes, needed <= ring.pageSize &- header else {
      throw .tooLong
    }
    guard flash.isReady() else {
      ring.drop(1)
      throw .flashFailed
    }
    reportRefused(at: now)
    // A page is left at most once because it is full; each further round is for a page that failed.
    var round = 0
    while round < 6 {
      round &+= 1
      if !ring.isOpen, !open(at: now, clock: clock) { continue }
      if needed > 0 {
        if needed > writer.room {
          commit()
          close()
          continue
        }
        if !store(payload: bytes) { continue }
      }
      if finish(encode(&record, bytes: payload > 0 ? bytes : Span(), at: now)) {
        count(record)
        return
      }
    }
    ring.drop(1)
    throw .flashFailed
  }

  /// Completes the encoding of a record. `false`: it is to be encoded again.
  @inline(never)
  mutating func finish(_ outcome: LogPageWriter.Outcome) -> Bool {
    switch outcome {
    case .stored:
      return true
    case .blockReady:
      return programFullBlock()
    case .pageFull:
      commit()
      close()
    case .takenBack(let kept):
      breakOff(kept: kept)
    }
    return false
  }

  /// Adds an event without payload bytes.
  public mutating func append(_ event: LogEvent, at now: Instant, clock: WallClock) throws(LogError) {
    try append(event, bytes: Span(), at: now, clock: clock)
  }

  /// Adds a reading, like nearly all events, if no page has to be opened for it: there may be hundreds a
  /// second, for which encoding is the only work. Returns `false`, having added nothing, if `append` has to
  /// be called.
  @inline(never)
  mutating func take(reading rssi: RSSI, of target: TargetIdentity, at now: Instant) -> Bool {
    guard ring.isOpen, ring.unreported == 0, flash.isReady() else { return false }
    var record = LogRecordFields(kind: .measured, target: target, rssi: rssi.rawValue)
    let outcome = encode(&record, bytes: Span(), at: now)
    guard outcome.isStored || finish(outcome) else { return false }
    ring.records &+= 1
    ring.readings &+= 1
    return true
  }

  /// Programs pending records: everything appended so far then survives a loss of power. Costs about seven
  /// bytes of flash in addition to the records; call it every 30 to 60 s, before sleep, and when the host
  /// reads.
  @inline(never)
  public mutating func commit() {
    guard ring.isOpen, writer.pending > 0, flash.isReady() else { return }
    writer.endCodeword()
    if writer.needsAnotherBlock {
      guard writer.hasAnotherBlock else {
        // The rest of the page is too short even to end the codeword; its records are readable without that.
        _ = programLast(writer.sealFull(canSeal: F.canSeal))
        close()
        return
      }
      guard programFull() else { return }
    }
    guard programLast(writer.sealFinal(canSeal: F.canSeal)) else { return }
    ring.reporting = 0
    ring.commits &+= 1
  }

  /// Whether events have been appended that are not committed.
  public var hasPending: Bool { ring.isOpen && writer.pending > 0 }

  mutating func encode(
    _ record: inout LogRecordFields, bytes: Span<UInt8>, at now: Instant
  ) -> LogPageWriter.Outcome {
    var slots = targets.mutableSpan
    var ranks = order.mutableSpan
    return writer.encode(&record, bytes: bytes, at: now, targets: &slots, order: &ranks)
  }

  mutating func count(_ record: LogRecordFields) {
    ring.records &+= 1
    if record.kind == .measured { ring.readings &+= 1 }
  }

  // MARK: Programming

  /// Programs the first `size` bytes of the writer's buffer. If that fails, the page is abandoned with all
  /// that is pending.
  @inline(never)
  mutating func program(_ size: Int) -> Bool {
    let position = writer.position
    do throws(FlashError) {
      try flash.program(
        page: ring.current, offset: position, writer.encoder.buffer.span.extracting(0..<size))
      return true
    } catch {
      ring.flashErrors &+= 1
      let told: UInt32 = ring.reporting > 0 ? 1 : 0
      ring.drop(writer.pending &- min(told, writer.pending))
      ring.unreported &+= ring.reporting
      ring.reporting = 0
      writer.pending = 0
      close()
      return false
    }
  }

  mutating func programFullBlock() -> Bool {
    // The record that filled the block is repeated if this fails: it does not count as lost.
    writer.pending &-= 1
    guard programFull() else { return false }
    ring.reporting = 0
    return true
  }

  /// Programs the full block that is pending; its codeword continues.
  @inline(never)
  mutating func programFull() -> Bool {
    let size = writer.sealFull(canSeal: F.canSeal)
    guard program(size) else { return false }
    writer.fullBlockProgrammed(size: size)
    return true
  }

  /// Programs a sealed block with nothing pending behind it.
  @inline(never)
  mutating func programLast(_ size: Int) -> Bool {
    guard program(size) else { return false }
    writer.blockProgrammed(size: size)
    return true
  }

  /// Programs payload bytes that are too long for their record as blocks of their own, ahead of it.
  mutating func store(payload: Span<UInt8>) -> Bool {
    commit()
    guard ring.isOpen else { return false }
    var offset = 0
    while offset < payload.count {
      let part = payload.extracting(offset..<min(offset &+ LogFormat.rawLimit, payload.count))
      guard programLast(writer.sealRaw(part, canSeal: F.canSeal)) else { return false }
      offset &+= part.count
    }
    return true
  }

  /// Ends a page whose last record did not fit: only the bytes of the records before it are programmed.
  mutating func breakOff(kept: Int) {
    if kept > 0 {
      var rest = kept
      if rest > writer.encoder.limit {
        rest &-= writer.encoder.limit
        guard programFull() else { return }
      }
      guard programLast(writer.sealTruncated(kept: rest, canSeal: F.canSeal)) else { return }
    }
    close()
  }

  /// The newest page accepts no more records.
  @inline(never)
  mutating func close() {
    guard ring.isOpen else { return }
    ring.isOpen = false
    ring.resume = 0
    ring.closedBytes = writer.position
  }
}
