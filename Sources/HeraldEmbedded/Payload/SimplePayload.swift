import HeraldHAL

/// The simple payload: an identifier that changes every six minutes and can be interpreted only with the
/// keys.
///
/// 21 bytes: `10 | country u16 | state u16 | contact identifier [16]`, integers little-endian. It needs the
/// date and a window of daily matching keys; without either, and before or after the window, it is not
/// offered, and never replaced by an invented or repeated one. The keys of past days on which it was
/// offered are erased as soon as a payload is requested on a later day, so that after a clock is set back
/// by a day there are none. While the date is uncertain (`dateIs(certain:)`) none are erased, and the keys
/// of days on which it was not offered, as the clock was set ahead or the device was off, never are.
///
/// The first payload of a day takes 181 hashes more than the others; those take at most 63, and only the
/// first of each period takes any.
public struct SimplePayloadSupplier<Store: MatchingKeyStore & ~Copyable>: PayloadSupplier, ~Copyable {
  // In this order there is no padding: zeroing is done in place.
  /// When day 0 begins.
  public private(set) var epoch: KeyScheduleEpoch
  /// The day of `chain`, plus one; 0 for none.
  private var chainDay: Int
  /// The period of `identifier`, plus one; 0 for none.
  private var identifierPeriod: Int
  /// ISO 3166-1 numeric country code.
  public private(set) var country: UInt16
  /// The state within the country, 0: the whole country.
  public private(set) var state: UInt16
  /// The keys. After replacing them, call `keysChanged`.
  public var store: Store

  private var isDateUncertain: Bool
  private var chain: ContactIdentifierChain
  private var identifier: [16 of UInt8]

  /// A supplier with the keys in `store`, the phones' epoch and no country: all zero bits if those of the
  /// store are.
  public init(store: consuming Store) {
    country = 0
    state = 0
    epoch = .phones
    self.store = store
    chain = ContactIdentifierChain()
    identifier = .init(repeating: 0)
    chainDay = 0
    identifierPeriod = 0
    isDateUncertain = false
  }

  /// Sets the country and state of the payload, and when day 0 begins.
  public mutating func configure(country: UInt16, state: UInt16, epoch: KeyScheduleEpoch = .phones) {
    keysChanged()
    self.country = country
    self.state = state
    self.epoch = epoch
  }

  /// 21.
  public var fixedLength: Int { 21 }

  /// Writes the 21 bytes of the period.
  public mutating func payload(
    at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>
  ) -> Int {
    guard let unixSeconds, let moment = try? epoch.moment(at: unixSeconds), find(moment) else {
      keysChanged()
      return 0
    }
    var writer = ByteWriter(buffer._mutatingExtracting(0..<buffer.count))
    writer.u8(PayloadFamily.simple.rawValue)
    writer.u16(country)
    writer.u16(state)
    writer.bytes(identifier.span)
    return writer.overflowed ? 0 : writer.count
  }

  /// Sets whether the date is certain: used keys of past days are then erased at the next request, and kept
  /// otherwise.
  public mutating func dateIs(certain: Bool) { isDateUncertain = !certain }

  /// The start of the next period; `.never` before the date is set and after the schedule's end.
  public func nextChange(after unixSeconds: UInt64?, now: Instant) -> Instant {
    guard let unixSeconds, let moment = try? epoch.moment(at: unixSeconds) else { return .never }
    return now + .seconds(UInt32(truncatingIfNeeded: moment.secondsLeft))
  }

  /// Whether the payload is offered, for how long, or the reason why not.
  public func status(at unixSeconds: UInt64?) -> SimplePayloadStatus {
    guard store.dayCount > 0 else { return .noKeys }
    guard let unixSeconds else { return .noDate }
    do {
      let day = try epoch.moment(at: unixSeconds).day
      guard day >= store.firstDay else { return .beforeWindow }
      guard day &- store.firstDay < store.dayCount else { return .windowEnded }
      return store.isMissing(day) ? .keyMissing : .offered
    } catch {
      return error == .beforeEpoch ? .beforeWindow : .pastEnd
    }
  }

  /// Whether it is offered, and how many keys there are, until when.
  public mutating func payloadStatus<Storage: PayloadStorage & ~Copyable>(
    at unixSeconds: UInt64?, in storage: inout Storage
  ) -> PayloadStatus {
    guard store.dayCount > 0 else { return PayloadStatus() }
    return payloadStatus(at: unixSeconds) { !store.isMissing($0) }
  }

  /// The same, where `hasKey` tells of each day of the window whether its key exists.
  func payloadStatus(at unixSeconds: UInt64?, hasKey: (Int) -> Bool) -> PayloadStatus {
    var status = PayloadStatus(.simple)
    status.state = self.status(at: unixSeconds)
    let end = store.firstDay &+ store.dayCount
    var today = store.firstDay
    if let unixSeconds, status.state != .beforeWindow {
      today = (try? epoch.moment(at: unixSeconds).day) ?? end
    }
    var last = end &- 1
    var count = 0
    var day = end
    while day > today {
      day &-= 1
      guard hasKey(day) else { continue }
      if count == 0 { last = day }
      count &+= 1
    }
    status.keyCount = count
    status.until = epoch.unixSeconds &+ UInt64(wide: UInt32(truncatingIfNeeded: last &+ 1) &* 86_400)
    return status
  }

  /// Erases all values derived from the keys.
  @inline(never)
  public mutating func keysChanged() {
    guard chainDay != 0 else { return }
    chain.wipe()
    var bytes = identifier.mutableSpan
    bytes.wipe()
    chainDay = 0
    identifierPeriod = 0
  }

  /// Computes `identifier` for the moment; `false` if there is no key for it.
  private mutating func find(_ moment: KeyScheduleMoment) -> Bool {
    if !isDateUncertain { store.wipeKeys(before: moment.day) }
    if chainDay != moment.day &+ 1 {
      keysChanged()
      var key: [32 of UInt8] = .init(repeating: 0)
      guard store.copyKey(ofDay: moment.day, into: &key) else { return false }
      chain.start(&key)
      chainDay = moment.day &+ 1
    }
    if identifierPeriod != moment.period &+ 1 {
      guard chain.copyIdentifier(period: moment.period, into: &identifier) else { return false }
      identifierPeriod = moment.period &+ 1
    }
    // All zeros is what phones emit without a key. A key leads to it with a probability of 2⁻¹²⁸ only.
    return !identifier.span.isZeroInConstantTime
  }
}

/// Whether a device offers the simple payload, or the reason why not.
/// The numbers are those of the management link.
public enum SimplePayloadStatus: UInt8, BitwiseCopyable, Sendable {
  /// The payload is offered.
  case offered = 0
  /// There are no keys.
  case noKeys = 1
  /// The date is not set.
  case noDate = 2
  /// The first day of the window is still to come.
  case beforeWindow = 3
  /// The last day of the window has ended: new keys are needed.
  case windowEnded = 4
  /// The schedule has ended: a re-based epoch is needed, agreed with the verifier of the identifiers.
  case pastEnd = 5
  /// The key of the day is erased, or damaged; those of other days may exist.
  case keyMissing = 6
}
