import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL

/// CovidWatch (and TCN, its successor): devices show each other contact event numbers of 16 random bytes, in
/// service data of their advertisements or, those that cannot, in a characteristic.
///
/// As a peripheral the device advertises a number that changes with its address, serves a new one to each
/// peer that reads the characteristic, and accepts one from each that writes. Numbers are random UUIDs of
/// version 4, in the byte order of their text.
public struct CovidWatch: AdditionalServices {
  /// One set for Herald and one for CovidWatch.
  public typealias Sets = AdvertisingScheduler<2>
  /// Herald's 21 attributes, 3 of Service Changed and 3 of ours.
  public typealias Table = ComposedGATTTable<27, 148>

  /// A number that was served on a connection; all parts of a read are of one number.
  private struct Served: BitwiseCopyable {
    /// Number of the connection + 1; 0 for none.
    var owner: UInt8 = 0
    var number: [16 of UInt8] = .init(repeating: 0)
  }

  /// Whether to observe others' numbers.
  public var isObserver: Bool
  /// Whether to show and serve numbers of our own, and to take what is written.
  public var isPeripheral: Bool

  private var isShown: Bool
  /// A slot of `served` + 1 whose number is not logged yet: until it is, no other is served.
  private var unlogged: UInt8
  private var nextSlot: UInt8
  private var hasWritten: Bool
  private var shown: [16 of UInt8]
  private var fresh: [16 of UInt8]
  private var written: [16 of UInt8]
  /// The last four, cyclically.
  private var served: [4 of Served]

  /// Switched off.
  public init() {
    isObserver = false
    isPeripheral = false
    isShown = false
    unlogged = 0
    nextSlot = 0
    hasWritten = false
    shown = .init(repeating: 0)
    fresh = .init(repeating: 0)
    written = .init(repeating: 0)
    served = .init(repeating: Served())
  }

  /// The service: 0xC019, 16 bits.
  public static var service: UUID16 { UUID16(0xC019) }
  /// The characteristic that holds a number: d61f4f27-3d6b-4b04-9e46-c9d2ea617f62.
  public static var characteristic: UUID128 { UUID128(0xd61f_4f27_3d6b_4b04, 0x9e46_c9d2_ea61_7f62) }
  /// How long a number is shown at most.
  public static var longestLife: Interval { .minutes(15) }

  /// The bytes of a number.
  private static var length: UInt8 { 16 }
  /// The most bytes, published by a peer, that begin with a number: TCN appends up to four.
  private static var longest: UInt8 { 20 }

  /// The number of services: one.
  public static var count: Int { 1 }
  /// CovidWatch.
  public static func number(of index: Int) -> ServiceNumber { .covidWatch }

  // MARK: Observing

  /// Service data of the right length holds a number. A peer that shows the service without any has to be
  /// read; one whose service data has another length is not a CovidWatch peer.
  public mutating func sighting(in data: Span<UInt8>) -> ServiceSighting {
    var sighting = ServiceSighting.nothing
    guard isObserver else { return sighting }
    var hasData = false
    var structures = AdvertisingData(data)
    while structures.next() {
      let bytes = structures.bytes
      switch structures.type {
      case .serviceData16:
        guard bytes.count >= 2, Self.isService(bytes, at: 0) else { continue }
        hasData = true
        let count = bytes.count &- 2
        if count >= Int(Self.length), count <= Int(Self.longest), sighting.start == 0 {
          // An extended advertisement may be long; positions above 255 are not searched.
          let start = UInt8(clamping: structures.range.lowerBound &+ 2)
          if start < .max { sighting = ServiceSighting(of: .covidWatch, start: start, length: Self.length) }
        }
      case .someUUID16, .allUUID16:
        var offset = 0
        while offset &+ 2 <= bytes.count {
          if Self.isService(bytes, at: offset) { sighting.hasHiddenCode = true }
          offset &+= 2
        }
      default: break
      }
    }
    if hasData { sighting.hasHiddenCode = false }
    return sighting
  }

  /// The number in the characteristic, again when it has expired.
  public mutating func search(_ position: Int) -> CodeSearch? {
    guard isObserver, position == 0 else { return nil }
    return CodeSearch(
      of: .covidWatch, in: UUID128(Self.service),
      at: .value(of: Self.characteristic, length: Self.length, longest: Self.longest), life: Self.longestLife)
  }

  private static func isService(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
    bytes[unchecked: offset] == 0x19 && bytes[unchecked: offset &+ 1] == 0xC0
  }

  // MARK: Showing

  /// Whether the switch changed.
  public var needsChange: Bool { mutating get { isPeripheral != isShown } }

  /// Generates new numbers, if numbers are shown.
  public mutating func change<Source: RandomSource & ~Copyable>(
    withAddress: Bool, random: inout Source, unixSeconds: UInt64?
  ) -> ServiceChanges {
    var changed = ServiceChanges()
    if isPeripheral, withAddress || !isShown {
      Self.make(&shown, random: &random)
      Self.make(&fresh, random: &random)
      changed.insert(0)
    } else if !isPeripheral, isShown {
      for index in 0..<served.count { served[index] = Served() }
      unlogged = 0
      changed.insert(0)
    }
    isShown = isPeripheral
    return changed
  }

  /// A random UUID of version 4 (RFC 9562, 5.4).
  private static func make<Source: RandomSource & ~Copyable>(
    _ number: inout [16 of UInt8], random: inout Source
  ) {
    var span = number.mutableSpan
    random.fill(&span)
    span[6] = span[6] & 0x0F | 0x40
    span[8] = span[8] & 0x3F | 0x80
  }

  /// The lifetime of a number: 15 minutes.
  public mutating func life(from unixSeconds: UInt64?) -> Interval { isShown ? Self.longestLife : .zero }

  /// The number that is shown.
  public mutating func copyCode(_ index: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    guard isShown, buffer.count >= 16 else { return 0 }
    for index in 0..<16 { buffer[index] = shown[index] }
    return 16
  }

  /// Flags, the service, and its data: 27 bytes.
  public mutating func advertise(_ index: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    guard isShown else { return 0 }
    var writer = ByteWriter(buffer._mutatingExtracting(0..<buffer.count))
    writer.advertisingFlags(0x06)
    writer.advertisingService(Self.service)
    if writer.startAdvertisingStructure(.serviceData16, length: 18) {
      writer.u16(Self.service.rawValue)
      for index in 0..<16 { writer.u8(shown[index]) }
    }
    return writer.overflowed ? 0 : writer.count
  }

  // MARK: Serving

  /// Herald's services and, if numbers are shown, ours.
  public mutating func serve(behind table: GATTDatabase, in services: inout Table) {
    guard services.start(with: table) else { return }
    append(to: &services)
  }

  /// Appends our service to a table, if numbers are shown.
  mutating func append<let attributes: Int, let room: Int>(
    to table: inout ComposedGATTTable<attributes, room>
  ) {
    guard isShown, table.appendService(Self.service) else { return }
    _ = table.appendCharacteristic(
      Self.characteristic, .read.union(.write), longest: 16, tag: .contactEventNumber)
  }

  /// A new number for each read from offset 0, the same one for reads at higher offsets, as long as not more
  /// than four connections read at the same time.
  public mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead {
    guard tag == .contactEventNumber, isShown else { return .failed(.readNotPermitted) }
    let owner = UInt8(truncatingIfNeeded: connection.index &+ 1)
    // A connection has at most one slot: a continued read is of the number that was served last.
    var slot = 0
    while slot < 4, served[slot].owner != owner { slot &+= 1 }
    if offset == 0, unlogged == 0 {
      if slot == 4 {
        slot = Int(nextSlot & 3)
        nextSlot = (nextSlot &+ 1) & 3
      }
      served[slot].owner = owner
      served[slot].number = fresh
      unlogged = UInt8(truncatingIfNeeded: slot &+ 1)
    }
    guard slot < 4 else { return .failed(.invalidOffset) }
    return .copying(served[slot].number.span, from: offset, into: &buffer)
  }

  /// Releases the connection's number.
  public mutating func closed(_ connection: ConnectionID) {
    let owner = UInt8(truncatingIfNeeded: connection.index &+ 1)
    for slot in 0..<4 where served[slot].owner == owner { served[slot].owner = 0 }
  }

  /// Accepts a peer's number of exactly 16 bytes; one for each request.
  public mutating func write(_ tag: AttributeTag, _ value: Span<UInt8>) -> ATTErrorCode? {
    guard tag == .contactEventNumber, isShown else { return .writeNotPermitted }
    guard value.count == 16 else { return .invalidAttributeValueLength }
    guard !hasWritten else { return .insufficientResources }
    for index in 0..<16 { written[index] = value[index] }
    hasWritten = true
    return nil
  }

  /// The number that was served or written.
  public mutating func takeEvent<Source: RandomSource & ~Copyable>(random: inout Source) -> ServiceEvent {
    if hasWritten {
      hasWritten = false
      return ServiceEvent(.observed, .covidWatch, length: 16, written)
    }
    guard unlogged != 0 else { return .nothing }
    let slot = Int(unlogged &- 1)
    unlogged = 0
    Self.make(&fresh, random: &random)
    return ServiceEvent(.served, .covidWatch, length: 16, served[slot].number)
  }
}
