import HeraldHAL

/// The payload that a host has sent to the device; until there is one, that of the image.
///
/// Of a constant payload it stores the bytes, `capacity` at most, 1…510. Of one with a key for each day it
/// holds only the key of the day, and reads the next from storage (`load`). A key that was used is erased
/// here and in storage when its day has passed and the date is certain.
public struct StoredPayloadSupplier<let capacity: Int>: PayloadSupplier, ~Copyable {
  private var image: FixedPayloadSupplier
  /// The header of the stored payload; empty until one is stored.
  public private(set) var header = StoredPayloadHeader()
  private var bytes = InlineBytes<capacity>()
  private var simple = SimplePayloadSupplier(store: DayKeyStore())

  /// A supplier that offers the image's payload, which may be the unset fixed payload, until another one is
  /// stored.
  public init(otherwise image: FixedPayloadSupplier) { self.image = image }

  /// `capacity`.
  public var storedCapacity: Int { capacity }

  /// Loads a newly stored payload or the key of a new day, and erases expired keys in storage.
  public mutating func load<Storage: PayloadStorage & ~Copyable>(
    from storage: inout Storage, at unixSeconds: UInt64?
  ) -> Bool {
    let header = storage.takeNewPayload()
    if let header { begin(header, from: &storage) }
    if simple.store.isWipeDue {
      storage.wipeDayKeys(simple.store.daysOver)
      simple.store.noteWiped()
    }
    if let day = wantedDay(at: unixSeconds) { takeKey(ofDay: day, from: &storage) }
    return header != nil
  }

  @inline(never)
  private mutating func begin<Storage: PayloadStorage & ~Copyable>(
    _ header: StoredPayloadHeader, from storage: inout Storage
  ) {
    self.header = header
    bytes.removeAll()
    simple.store.begin(firstDay: Int(header.firstDay), dayCount: Int(header.dayCount))
    simple.configure(
      country: header.country, state: header.state, epoch: KeyScheduleEpoch(unixSeconds: header.epoch))
    guard header.family != .simple else { return }
    var offset = 0
    while offset < Int(header.bodySize) {
      var piece: [16 of UInt8] = .init(repeating: 0)
      let count = min(16, Int(header.bodySize) &- offset)
      var room = piece.mutableSpan
      var part = room._mutatingExtracting(0..<count)
      guard storage.readPayload(offset: offset, into: &part), bytes.append(part.span) else {
        // An unreadable payload counts as none.
        self.header = StoredPayloadHeader()
        return
      }
      offset &+= count
    }
  }

  @inline(never)
  private mutating func takeKey<Storage: PayloadStorage & ~Copyable>(
    ofDay day: Int, from storage: inout Storage
  ) {
    var key: [32 of UInt8] = .init(repeating: 0)
    let isThere = storage.copyDayKey(day &- Int(header.firstDay), day: day, into: &key)
    simple.store.take(key, isThere: isThere, ofDay: day)
    SimpleKeySchedule.wipe(&key)
  }

  /// The day whose key is missing and needed; `nil` if there is none.
  private func wantedDay(at unixSeconds: UInt64?) -> Int? {
    guard header.family == .simple, let unixSeconds, let moment = try? simple.epoch.moment(at: unixSeconds),
      simple.store.lacks(moment.day)
    else { return nil }
    return moment.day
  }

  /// The status of the payload that is stored, with the keys that are found there, or of that of the image.
  public mutating func payloadStatus<Storage: PayloadStorage & ~Copyable>(
    at unixSeconds: UInt64?, in storage: inout Storage
  ) -> PayloadStatus {
    guard header.family == .simple else {
      return header.family == .none
        ? image.payloadStatus(at: unixSeconds, in: &storage) : PayloadStatus(header.family)
    }
    let firstDay = Int(header.firstDay)
    return simple.payloadStatus(at: unixSeconds) { storage.hasDayKey($0 &- firstDay, day: $0) }
  }

  /// The status of the stored simple payload; `nil` if none is stored.
  public func simpleStatus(at unixSeconds: UInt64?) -> SimplePayloadStatus? {
    header.family == .simple ? simple.status(at: unixSeconds) : nil
  }

  /// Writes the payload of this moment.
  public mutating func payload(at unixSeconds: UInt64?, now: Instant, into buffer: inout MutableSpan<UInt8>)
    -> Int
  {
    switch header.family {
    case .none: image.payload(at: unixSeconds, now: now, into: &buffer)
    case .simple: simple.payload(at: unixSeconds, now: now, into: &buffer)
    case .fixed, .venue, .test, .bytes: write(into: &buffer)
    }
  }

  private mutating func write(into buffer: inout MutableSpan<UInt8>) -> Int {
    var writer = ByteWriter(buffer._mutatingExtracting(0..<buffer.count))
    writer.bytes(bytes.span)
    return writer.overflowed ? 0 : writer.count
  }

  /// Passes to the family with keys whether those of past days are to be erased.
  public mutating func dateIs(certain: Bool) { simple.dateIs(certain: certain) }

  /// When the payload will change.
  public func nextChange(after unixSeconds: UInt64?, now: Instant) -> Instant {
    header.family == .simple ? simple.nextChange(after: unixSeconds, now: now) : .never
  }

  /// The length of every payload of the family, or 0 if it varies.
  public var fixedLength: Int {
    switch header.family {
    case .none: image.fixedLength
    case .simple: simple.fixedLength
    case .fixed, .test: Int(header.bodySize)
    case .venue, .bytes: 0
    }
  }
}

/// The key of one day, of a window whose other keys are in storage.
struct DayKeyStore: MatchingKeyStore, ~Copyable {
  private(set) var firstDay = 0
  private(set) var dayCount = 0
  /// How many days at the front of the window have passed.
  private(set) var daysOver = 0
  /// Whether the used ones of their keys are to be erased in storage.
  private(set) var isWipeDue = false
  private var key: [32 of UInt8] = .init(repeating: 0)
  /// The day of `key`, plus one; 0 for none.
  private var day = 0
  /// Whether `key` is valid for that day, and not erased.
  private var isThere = false

  /// Begins with a window without any key.
  mutating func begin(firstDay: Int, dayCount: Int) {
    wipe()
    self.firstDay = firstDay
    self.dayCount = dayCount
    daysOver = 0
    isWipeDue = false
  }

  /// Whether the key of a day of the window has not been requested.
  func lacks(_ day: Int) -> Bool {
    day >= firstDay && day &- firstDay < dayCount && self.day != day &+ 1
  }

  /// Stores the key of a day, or that it is erased.
  mutating func take(_ key: borrowing [32 of UInt8], isThere: Bool, ofDay day: Int) {
    wipe()
    self.day = day &+ 1
    guard isThere else { return }
    for index in 0..<32 { self.key[index] = key[index] }
    self.isThere = true
  }

  /// The expired keys are erased.
  mutating func noteWiped() { isWipeDue = false }

  func isMissing(_ day: Int) -> Bool { self.day == day &+ 1 && !isThere }

  mutating func copyKey(ofDay day: Int, into key: inout [32 of UInt8]) -> Bool {
    guard isThere, self.day == day &+ 1 else { return false }
    for index in 0..<32 { key[index] = self.key[index] }
    return true
  }

  mutating func wipeKeys(before day: Int) {
    let over = min(max(day &- firstDay, 0), dayCount)
    if over != daysOver { isWipeDue = true }
    daysOver = over
    if self.day > 0, self.day &- 1 < day { wipe() }
  }

  private mutating func wipe() {
    var bytes = key.mutableSpan
    bytes.wipe()
    day = 0
    isThere = false
  }
}
