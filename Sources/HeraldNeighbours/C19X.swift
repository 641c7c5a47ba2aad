import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL

/// C19X: devices show each other beacon codes of 64 bits, as the lower half of the UUID of a characteristic,
/// which every connected peer discovers without reading a value. Phones that cannot advertise connect and
/// write their own.
///
/// As a peripheral the device shows one of the day's 240 codes, another with each address, as long as the
/// date is set and it has the day's code.
public struct C19X: AdditionalServices {
  /// One set for Herald and one for C19X.
  public typealias Sets = AdvertisingScheduler<2>
  /// Herald's 21 attributes, 3 of Service Changed and 3 of ours.
  public typealias Table = ComposedGATTTable<27, 162>

  /// Whether to observe others' codes.
  public var isObserver: Bool
  /// Whether to show codes of our own, and to take what is written.
  public var isPeripheral: Bool
  /// The date of the schedule's day 0, in days since 1970-01-01. The phones' is 2020-01-01, and their
  /// schedule ended on 2024-12-29; another date starts a new schedule for all devices that use it.
  public var epochDay: Int32 {
    didSet { isStale = true }
  }

  private var isStale: Bool
  private var wasPeripheral: Bool
  private var isDateUncertain: Bool
  private var hasCode: Bool
  private var hasWritten: Bool
  private var writtenRSSI: RSSI
  /// The number of days in the window, and its first day.
  private var dayCount: UInt8
  private var firstDay: UInt16
  private var code: UInt64
  private var written: UInt64
  private var dayCodes: [90 of UInt64]
  /// Whether codes of a day were shown. If so, zero stands for a day code that is erased.
  private var isUsed: [90 of Bool]

  /// Switched off, without codes.
  public init() {
    isObserver = false
    isPeripheral = false
    epochDay = Self.phonesEpochDay
    isStale = false
    wasPeripheral = false
    isDateUncertain = false
    hasCode = false
    hasWritten = false
    writtenRSSI = RSSI(0)
    dayCount = 0
    firstDay = 0
    code = UInt64(wide: UInt32(0))
    written = UInt64(wide: UInt32(0))
    dayCodes = .init(repeating: UInt64(wide: UInt32(0)))
    isUsed = .init(repeating: false)
  }

  /// Bits 64…127 of the UUIDs of the service and of every characteristic.
  public static var marker: UInt64 { 0x0022_D481_83FE_1F13 }
  /// The service: 0022d481-83fe-1f13-0000-000000000000.
  public static var service: UUID128 { UUID128(marker, UInt64(wide: UInt32(0))) }
  /// 2020-01-01.
  public static var phonesEpochDay: Int32 { 18_262 }
  /// The most days in a window.
  public static var longestWindow: Int { 90 }

  /// How long no code is read from a phone after its code was read.
  public static var codePeriod: Interval { .minutes(24 * 60) }

  /// The number of services: one.
  public static var count: Int { 1 }
  /// C19X.
  public static func number(of index: Int) -> ServiceNumber { .c19x }

  // MARK: Day codes

  /// Stores the day codes of a window, 8 bytes a day, big-endian, replacing all others. On an error nothing
  /// changes: `.keyLength` unless they are whole codes, `.emptyWindow` for none or a negative day,
  /// `.bufferTooSmall` for more than `longestWindow`, `.pastEnd` if the window reaches beyond the end of the
  /// schedule.
  public mutating func provide(firstDay: Int, dayCodes bytes: Span<UInt8>) throws(KeyScheduleError) {
    let size = C19XSchedule.dayCodeSize
    let count = bytes.count / size
    guard bytes.count % size == 0 else { throw .keyLength }
    guard count > 0, firstDay >= 0 else { throw .emptyWindow }
    guard count <= Self.longestWindow else { throw .bufferTooSmall }
    guard firstDay <= C19XSchedule.lastDay &+ 1 &- count else { throw .pastEnd }
    wipeDayCodes()
    for day in 0..<count {
      var dayCode = UInt64(wide: UInt32(0))
      for index in 0..<size {
        dayCode = dayCode &<< 8 | UInt64(wide: UInt32(bytes[unchecked: day &* size &+ index]))
      }
      dayCodes[day] = dayCode
    }
    self.firstDay = UInt16(truncatingIfNeeded: firstDay)
    dayCount = UInt8(truncatingIfNeeded: count)
  }

  /// Overwrites all day codes and discards the window.
  public mutating func wipeDayCodes() {
    var span = dayCodes.mutableSpan
    span.wipe()
    firstDay = 0
    dayCount = 0
    isUsed = .init(repeating: false)
    isStale = true
  }

  /// The day of the schedule; `nil` without a date, before day 0, or after the schedule's end.
  public func day(at unixSeconds: UInt64?) -> Int? {
    guard let unixSeconds else { return nil }
    let days = (unixSeconds / 86_400).saturated32
    guard days < 0x7FFF_FFFF else { return nil }
    let (day, overflow) = Int32(truncatingIfNeeded: days).subtractingReportingOverflow(epochDay)
    guard !overflow, day >= 0, Int(day) <= C19XSchedule.lastDay else { return nil }
    return Int(day)
  }

  // MARK: Observing

  /// A 128-bit service with our marker: its characteristic has to be discovered.
  public mutating func sighting(in data: Span<UInt8>) -> ServiceSighting {
    var sighting = ServiceSighting.nothing
    guard isObserver else { return sighting }
    var structures = AdvertisingData(data)
    while structures.next() {
      let type = structures.type
      guard type == .someUUID128 || type == .allUUID128 else { continue }
      let bytes = structures.bytes
      var offset = 0
      while offset &+ 16 <= bytes.count {
        let high = bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self)
        if UInt64(littleEndian: high) == Self.marker { sighting.hasHiddenCode = true }
        offset &+= 16
      }
    }
    return sighting
  }

  /// The code in the UUID of the characteristic, once a day.
  public mutating func search(_ position: Int) -> CodeSearch? {
    guard isObserver, position == 0 else { return nil }
    return CodeSearch(
      of: .c19x, in: Self.service, at: .lowerHalf(ofUpper: Self.marker), life: Self.codePeriod)
  }

  // MARK: Showing

  /// Whether the switch, the epoch or the day codes changed.
  public var needsChange: Bool {
    mutating get { isPeripheral != wasPeripheral || (isPeripheral && isStale) }
  }

  /// Day codes of past days that were shown are erased at the next change if the date is certain, and kept
  /// otherwise.
  public mutating func dateIs(certain: Bool) { isDateUncertain = !certain }

  /// Changes to another of the day's codes; to none if there is none for today.
  public mutating func change<Source: RandomSource & ~Copyable>(
    withAddress: Bool, random: inout Source, unixSeconds: UInt64?
  ) -> ServiceChanges {
    var changed = ServiceChanges()
    guard withAddress || needsChange else { return changed }
    if hasCode { changed.insert(0) }
    wasPeripheral = isPeripheral
    isStale = false
    hasCode = false
    guard isPeripheral, let day = day(at: unixSeconds) else { return changed }
    let dayIndex = day &- Int(firstDay)
    var past = 0
    while !isDateUncertain, past < dayIndex, past < Int(dayCount) {
      if isUsed[past] { dayCodes[past] = UInt64(wide: UInt32(0)) }
      past &+= 1
    }
    guard dayIndex >= 0, dayIndex < Int(dayCount),
      !isUsed[dayIndex] || dayCodes[dayIndex] != UInt64(wide: UInt32(0))
    else {
      return changed
    }
    isUsed[dayIndex] = true
    // The remainder favours none of 240 by more than a ten-millionth.
    let index = Int(random.next() % UInt32(truncatingIfNeeded: C19XSchedule.codesPerDay))
    guard
      let next = C19XSchedule.beaconCode(index, seed: C19XSchedule.seed(dayCode: dayCodes[dayIndex]))
    else { return changed }
    code = next
    hasCode = true
    changed.insert(0)
    return changed
  }

  /// Until the end of the day.
  public mutating func life(from unixSeconds: UInt64?) -> Interval {
    guard hasCode, let unixSeconds else { return .zero }
    return .seconds(86_400 &- (unixSeconds % 86_400).low32)
  }

  /// The code that is shown, big-endian.
  public mutating func copyCode(_ index: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    guard hasCode else { return 0 }
    var writer = ByteWriter(buffer._mutatingExtracting(0..<buffer.count))
    writer.bigEndianU64(code)
    return writer.count
  }

  /// Flags and the service: 21 bytes.
  public mutating func advertise(_ index: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    guard hasCode else { return 0 }
    var writer = ByteWriter(buffer._mutatingExtracting(0..<buffer.count))
    writer.advertisingFlags(0x06)
    writer.advertisingService(Self.service)
    return writer.overflowed ? 0 : writer.count
  }

  // MARK: Serving

  /// Herald's services and, if there is a code, ours.
  public mutating func serve(behind table: GATTDatabase, in services: inout Table) {
    guard services.start(with: table) else { return }
    append(to: &services)
  }

  /// Appends our service to a table, if there is a code.
  mutating func append<let attributes: Int, let room: Int>(
    to table: inout ComposedGATTTable<attributes, room>
  ) {
    guard hasCode, table.appendService(Self.service) else { return }
    _ = table.appendCharacteristic(UUID128(Self.marker, code), .write, longest: 12, tag: .beaconCode)
  }

  /// There is nothing to read: the UUID is the code.
  public mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead { .failed(.readNotPermitted) }

  /// Accepts a peer's code and the RSSI at which it receives this device, 8 and 4 bytes, little-endian; or an
  /// empty value, which only wakes the application. One for each request.
  public mutating func write(_ tag: AttributeTag, _ value: Span<UInt8>) -> ATTErrorCode? {
    guard tag == .beaconCode, hasCode else { return .writeNotPermitted }
    if value.count == 0 { return nil }
    guard value.count == 12 else { return .invalidAttributeValueLength }
    guard !hasWritten else { return .insufficientResources }
    var reader = ByteReader(value)
    guard let code = reader.u64(), let rssi = reader.u32() else { return .invalidAttributeValueLength }
    written = code
    // Values that no radio measures are not an RSSI.
    let dBm = Int32(bitPattern: rssi)
    writtenRSSI = dBm >= -127 && dBm <= 20 ? RSSI(Int8(truncatingIfNeeded: dBm)) : .notAvailable
    hasWritten = true
    return nil
  }

  /// Nothing to do.
  public mutating func closed(_ connection: ConnectionID) {}

  /// The code that was written.
  public mutating func takeEvent<Source: RandomSource & ~Copyable>(random: inout Source) -> ServiceEvent {
    guard hasWritten else { return .nothing }
    hasWritten = false
    return ServiceEvent(.observed, .c19x, length: 8, Self.bigEndian(written), rssi: writtenRSSI)
  }

  /// A code in the byte order of the UUID's text, in the first half of sixteen bytes.
  private static func bigEndian(_ code: UInt64) -> [16 of UInt8] {
    var bytes: [16 of UInt8] = .init(repeating: 0)
    var span = bytes.mutableSpan
    var writer = ByteWriter(span._mutatingExtracting(0..<16))
    writer.bigEndianU64(code)
    return bytes
  }
}
