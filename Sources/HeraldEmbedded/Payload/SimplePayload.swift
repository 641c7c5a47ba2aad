import HeraldHAL

/// The simple payload: an identifier that changes every six minutes and means something only to who has the
/// keys.
///
/// 21 bytes: `10 | country u16 | state u16 | contact identifier [16]`, integers little-endian. It needs the
/// date and a window of daily matching keys; without either, and before or after the window, it is not
/// offered rather than made up or repeated. Keys of days that are over are wiped as soon as the supplier is
/// asked on a later day, so a clock set back by a day finds none. While the date is uncertain (`dateWasSet`)
/// none are wiped.
///
/// The first payload of a day takes 181 hashes more than the others; those take at most 63, and only the
/// first of each period takes any.
public struct SimplePayloadSupplier<Store: MatchingKeyStore & ~Copyable>: PayloadSupplier, ~Copyable {
  // In this order there is no gap between them: all zero bits are cleared in their place.
  /// When day 0 begins.
  public private(set) var epoch: KeyScheduleEpoch
  /// The day of `chain`, plus one; 0 for none.
  private var chainDay: Int
  /// The period of `identifier`, plus one; 0 for none.
  private var identifierPeriod: Int
  /// ISO 3166-1 numeric country code.
  public private(set) var country: UInt16
  /// The state within the country, 0 for all of it.
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

  /// Sets what goes with the identifier, and when day 0 begins.
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

  /// Begins with the date anew: keys of past days are wiped when next asked if it is certain, and kept if
  /// not.
  public mutating func dateWasSet(isCertain: Bool) {
    isDateUncertain = !isCertain
    keysChanged()
  }

  /// The start of the next period; `.never` before the date is known and after the schedule's end.
  public func nextChange(after unixSeconds: UInt64?, now: Instant) -> Instant {
    guard let unixSeconds, let moment = try? epoch.moment(at: unixSeconds) else { return .never }
    return now + .seconds(UInt32(truncatingIfNeeded: moment.secondsLeft))
  }

  /// Whether the payload is offered, for how long, and why not.
  public func status(at unixSeconds: UInt64?) -> SimplePayloadStatus {
    guard store.dayCount > 0 else { return .noKeys }
    guard let unixSeconds else { return .noDate }
    do {
      let day = try epoch.moment(at: unixSeconds).day
      guard day >= store.firstDay else { return .beforeWindow }
      let daysLeft = store.firstDay &+ store.dayCount &- day
      return daysLeft > 0 ? .offered(daysLeft: daysLeft) : .windowEnded
    } catch {
      return error == .beforeEpoch ? .beforeWindow : .pastEnd
    }
  }

  /// Until when there are keys, and for how many days from now.
  public func payloadStatus(at unixSeconds: UInt64?) -> PayloadStatus {
    guard store.dayCount > 0 else { return PayloadStatus() }
    var status = PayloadStatus(.simple)
    let days = UInt32(truncatingIfNeeded: store.firstDay &+ store.dayCount)
    status.until = epoch.unixSeconds &+ UInt64(wide: days &* 86_400)
    if case .offered(let daysLeft) = self.status(at: unixSeconds) { status.daysLeft = daysLeft }
    return status
  }

  /// Discards everything derived from the keys.
  @inline(never)
  public mutating func keysChanged() {
    guard chainDay != 0 else { return }
    chain.wipe()
    var bytes = identifier.mutableSpan
    bytes.wipe()
    chainDay = 0
    identifierPeriod = 0
  }

  /// Makes `identifier` that of the moment; `false` if there is no key for it.
  private mutating func find(_ moment: KeyScheduleMoment) -> Bool {
    if chainDay != moment.day &+ 1 {
      keysChanged()
      if !isDateUncertain { store.wipeKeys(before: moment.day) }
      var key: [32 of UInt8] = .init(repeating: 0)
      guard store.copyKey(ofDay: moment.day, into: &key) else { return false }
      chain.start(&key)
      chainDay = moment.day &+ 1
    }
    if identifierPeriod != moment.period &+ 1 {
      guard chain.copyIdentifier(period: moment.period, into: &identifier) else { return false }
      identifierPeriod = moment.period &+ 1
    }
    // All zeros is what phones emit when they have no key. No key leads there but by a chance of 2⁻¹²⁸.
    return !identifier.span.isZeroInConstantTime
  }
}

/// Whether a device offers the simple payload, and if not, why.
public enum SimplePayloadStatus: Equatable, BitwiseCopyable, Sendable {
  /// No keys have been given.
  case noKeys
  /// The date is not set.
  case noDate
  /// The first day of the window is still to come.
  case beforeWindow
  /// It is offered for this number of days, today included: 1 or more.
  case offered(daysLeft: Int)
  /// The last day of the window is over: new keys are needed.
  case windowEnded
  /// The schedule has ended: a re-based epoch is needed, agreed with the verifier of the identifiers.
  case pastEnd
}
