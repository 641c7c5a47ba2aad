import HeraldHAL

/// The family of the payload stored on a device. The numbers are those of a blob's header and of flash.
public enum StoredPayloadFamily: UInt8, BitwiseCopyable, Sendable {
  /// None stored: that of the image is used.
  case none = 0
  /// `FixedPayloadSupplier`.
  case fixed = 1
  /// `SimplePayloadSupplier`, with a key for each day.
  case simple = 2
  /// `VenuePayloadSupplier`.
  case venue = 3
  /// `TestPayloadSupplier`.
  case test = 4
  /// Any bytes.
  case bytes = 5

  /// The family's name on the wire and in files.
  public var name: StaticString {
    switch self {
    case .none: "none"
    case .fixed: "fixed"
    case .simple: "simple"
    case .venue: "venue"
    case .test: "test"
    case .bytes: "bytes"
    }
  }
}

/// The header of a payload blob: the data that a host sends to a device to change its payload
/// (docs/wire-formats.md). Numbers are little-endian.
///
/// | offset | bytes | what |
/// | --- | --- | --- |
/// | 0 | 4 | "HPay" |
/// | 4 | 1 | version, 1 |
/// | 5 | 1 | the family |
/// | 6 | 2 | bytes behind the header that mean something |
/// | 8 | 2 | simple: country |
/// | 10 | 2 | simple: state |
/// | 12 | 8 | simple: when day 0 begins, seconds since 1970-01-01T00:00:00Z |
/// | 20 | 2 | simple: the first day |
/// | 22 | 2 | simple: how many days |
/// | 24 | 4 | CRC-32 of what is behind the header |
/// | 28 | 4 | CRC-32 of bytes 0…27 |
///
/// Behind it are the bytes of the payload as transmitted, or for each day of the simple family 40 bytes:
/// the matching key, the day as u32, the CRC-32 of those 36. In flash, the last 8 of them are zeros once
/// the key was used, and the first 32 once it is erased.
public struct StoredPayloadHeader: Equatable, BitwiseCopyable, Sendable {
  /// The family.
  public var family = StoredPayloadFamily.none
  /// Padding: with it a supplier is zeroed in place, and not in a copy on the stack.
  private var filler: UInt8 = 0
  /// Bytes behind the header.
  public var bodySize: UInt16 = 0
  /// Simple: ISO 3166-1 numeric country code.
  public var country: UInt16 = 0
  /// Simple: the state within the country, 0: the whole country.
  public var state: UInt16 = 0
  /// Simple: the start of day 0, seconds since 1970-01-01T00:00:00Z.
  public var epoch = UInt64(wide: 0)
  /// Simple: the first day that has a key, 0…2000.
  public var firstDay: UInt16 = 0
  /// Simple: how many days have one.
  public var dayCount: UInt16 = 0
  /// The CRC-32 of the body.
  public var bodyCheck: UInt32 = 0

  /// The header of an empty payload.
  public init() {}

  /// Bytes of a header.
  public static var size: Int { 32 }
  /// Bytes of a day.
  public static var daySize: Int { 40 }
  /// The most days that a blob has.
  public static var mostDays: Int { 90 }
  /// "HPay".
  private static var magic: UInt32 { 0x7961_5048 }

  /// Bytes of the whole blob.
  public var blobSize: Int { Self.size &+ Int(bodySize) }

  /// The header at the start of `bytes`; `nil` unless all of it is valid and consistent.
  public init?(_ bytes: Span<UInt8>) {
    self.init()
    guard bytes.count >= Self.size else { return nil }
    var reader = ByteReader(bytes.extracting(0..<Self.size))
    guard reader.u32() == Self.magic, reader.u8() == 1, let number = reader.u8(),
      let family = StoredPayloadFamily(rawValue: number), let bodySize = reader.u16(),
      let country = reader.u16(),
      let state = reader.u16(), let epoch = reader.u64(), let firstDay = reader.u16(),
      let dayCount = reader.u16(),
      let bodyCheck = reader.u32(), reader.u32() == CRC32.of(bytes.extracting(0..<28))
    else { return nil }
    self.family = family
    self.bodySize = bodySize
    self.country = country
    self.state = state
    self.epoch = epoch
    self.firstDay = firstDay
    self.dayCount = dayCount
    self.bodyCheck = bodyCheck
    guard makesSense else { return nil }
  }

  private var makesSense: Bool {
    switch family {
    case .none: bodySize == 0
    case .simple:
      dayCount > 0 && Int(dayCount) <= Self.mostDays && Int(bodySize) == Int(dayCount) &* Self.daySize
        && Int(firstDay) &+ Int(dayCount) <= SimpleKeySchedule.lastDay &+ 1
    case .fixed, .venue, .test, .bytes: bodySize > 0 && Int(bodySize) <= Payload.maximumLength
    }
  }

  /// Writes the 32 bytes.
  public func write(to writer: inout ByteWriter) {
    var bytes: [32 of UInt8] = .init(repeating: 0)
    do {
      var header = ByteWriter(bytes.mutableSpan)
      header.u32(Self.magic)
      header.u8(1)
      header.u8(family.rawValue)
      header.u16(bodySize)
      header.u16(country)
      header.u16(state)
      header.u64(epoch)
      header.u16(firstDay)
      header.u16(dayCount)
      header.u32(bodyCheck)
    }
    writer.bytes(bytes.span.extracting(0..<28))
    writer.u32(CRC32.of(bytes.span.extracting(0..<28)))
  }
}

/// Writes payload blobs. Devices check them in place (`SettingsStore`).
public enum StoredPayloadBlob {
  /// Writes the blob of a constant payload: the bytes as transmitted, 1…510. `false` for other lengths, or if
  /// they do not fit.
  public static func write(_ family: StoredPayloadFamily, payload: Span<UInt8>, to writer: inout ByteWriter)
    -> Bool
  {
    guard family != .none, family != .simple, payload.count > 0, payload.count <= Payload.maximumLength else {
      return false
    }
    var header = StoredPayloadHeader()
    header.family = family
    header.bodySize = UInt16(truncatingIfNeeded: payload.count)
    header.bodyCheck = CRC32.of(payload)
    header.write(to: &writer)
    writer.bytes(payload)
    return !writer.overflowed
  }

  /// Writes the blob of the simple family: `keys` has 32 bytes for each of 1…90 days from `firstDay` on.
  /// `false` for other numbers, for days past the end of the schedule, or if it does not fit.
  public static func write(
    country: UInt16, state: UInt16, epoch: KeyScheduleEpoch, firstDay: Int, keys: Span<UInt8>,
    to writer: inout ByteWriter
  ) -> Bool {
    let size = SimpleKeySchedule.matchingKeySize
    let days = keys.count / size
    guard keys.count % size == 0, days > 0, days <= StoredPayloadHeader.mostDays, firstDay >= 0,
      firstDay <= SimpleKeySchedule.lastDay &+ 1 &- days
    else { return false }
    var header = StoredPayloadHeader()
    header.family = .simple
    header.bodySize = UInt16(truncatingIfNeeded: days &* StoredPayloadHeader.daySize)
    header.country = country
    header.state = state
    header.epoch = epoch.unixSeconds
    header.firstDay = UInt16(truncatingIfNeeded: firstDay)
    header.dayCount = UInt16(truncatingIfNeeded: days)
    var check = CRC32()
    for day in 0..<days {
      var entry = StoredDayKey(
        day: firstDay &+ day, key: keys.extracting((day &* size)..<(day &* size &+ size)))
      check.add(entry.bytes.span)
      entry.wipe()
    }
    header.bodyCheck = check.value
    header.write(to: &writer)
    for day in 0..<days {
      var entry = StoredDayKey(
        day: firstDay &+ day, key: keys.extracting((day &* size)..<(day &* size &+ size)))
      writer.bytes(entry.bytes.span)
      entry.wipe()
    }
    return !writer.overflowed
  }

  /// Writes the blob that removes the stored payload.
  public static func writeNone(to writer: inout ByteWriter) -> Bool {
    StoredPayloadHeader().write(to: &writer)
    return !writer.overflowed
  }
}

/// The key of one day as it is stored: matching key, day, CRC-32 of both.
struct StoredDayKey: ~Copyable {
  /// All 40 bytes.
  var bytes: [40 of UInt8] = .init(repeating: 0)

  /// An empty key, to be read into.
  init() {}

  /// The key of a day.
  init(day: Int, key: Span<UInt8>) {
    for index in 0..<min(key.count, 32) { bytes[index] = key[index] }
    put(UInt32(truncatingIfNeeded: day), at: 32)
    put(CRC32.of(bytes.span.extracting(0..<36)), at: 36)
  }

  private mutating func put(_ word: UInt32, at offset: Int) {
    for index in 0..<4 {
      bytes[offset &+ index] = UInt8(truncatingIfNeeded: word &>> UInt32(truncatingIfNeeded: index &* 8))
    }
  }

  private func word(at offset: Int) -> UInt32 {
    UInt32(bytes[offset]) | UInt32(bytes[offset &+ 1]) &<< 8 | UInt32(bytes[offset &+ 2]) &<< 16
      | UInt32(bytes[offset &+ 3]) &<< 24
  }

  /// Bytes of the key; behind them are `markSize` bytes that are set to zero when the key is used.
  static var keySize: Int { 32 }
  /// Bytes of day and CRC-32.
  static var markSize: Int { 8 }

  /// Whether it is a key that was never used, and undamaged.
  @inline(never)
  mutating func isUnused() -> Bool { word(at: 36) == CRC32.of(bytes.span.extracting(0..<36)) }

  /// Whether it is the valid key of that day, used or not.
  mutating func isKey(of day: Int) -> Bool {
    isUnused()
      ? word(at: 32) == UInt32(truncatingIfNeeded: day) : word(at: 32) | word(at: 36) == 0 && !isWiped()
  }

  /// Whether the key is erased.
  mutating func isWiped() -> Bool { bytes.span.extracting(0..<Self.keySize).isZeroInConstantTime }

  /// Overwrites it with zeros.
  mutating func wipe() {
    var span = bytes.mutableSpan
    span.wipe()
  }
}
