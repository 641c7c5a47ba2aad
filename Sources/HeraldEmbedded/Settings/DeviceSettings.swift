import HeraldBluetooth
import HeraldHAL

/// What a device is to know of itself after a restart.
///
/// The access key and the payload are kept with it and are not in it: they are read from flash when they are
/// needed.
public struct DeviceSettings: BitwiseCopyable, Sendable {
  /// What its addresses are made with; `.none` until there is one.
  public var addressKey = IdentityResolvingKey.none
  /// What a host has set.
  public var values = SettingValues()

  /// The defaults.
  public init() {}

  /// Whether hosts have to prove that they have a key.
  public var hasAccessKey: Bool { values.isSet(.accessKey) }
}

/// The layout of settings in flash (docs/settings.md): numbers little-endian.
///
/// | offset | bytes | what |
/// | --- | --- | --- |
/// | 0 | 4 | "HSet" |
/// | 4 | 4 | version, 2 |
/// | 8 | 4 | generation: one more than that of the settings before |
/// | 12 | 2 | which settings are set, a bit each; bit 15 is the value of `access/stay-open` |
/// | 14 | 2 | bytes of payload behind the record, 0 for none |
/// | 16 | 16 | the key that the device's addresses are made with |
/// | 32 | 32 | the access key, zeros for none |
/// | 64 | 12 | the numbers, two bytes each |
/// | 76 | 16 | 0 |
/// | 92 | 4 | CRC-32 of bytes 0…91 |
struct SettingsRecord: BitwiseCopyable {
  /// What is set.
  var settings = DeviceSettings()
  /// One more than that of the record before.
  var generation: UInt32 = 0
  /// Bytes of payload behind it.
  var payloadSize: UInt16 = 0

  /// Bytes of a record: a multiple of eight.
  static var size: Int { 96 }
  /// Where the access key is in it.
  static var accessKeyOffset: Int { 32 }
  /// Bytes of an access key.
  static var accessKeySize: Int { 32 }
  /// "HSet".
  private static var magic: UInt32 { 0x7465_5348 }

  /// Writes the record but for its access key, which is in its place already, and the checksum of all of it.
  /// Where nothing is written there are zeros.
  mutating func write(to bytes: inout MutableSpan<UInt8>) {
    guard bytes.count == Self.size else { return }
    var writer = ByteWriter(bytes._mutatingExtracting(0...))
    writer.u32(Self.magic)
    writer.u32(2)
    writer.u32(generation)
    writer.u16(settings.values.marks)
    writer.u16(payloadSize)
    for index in 0..<16 { writer.u8(settings.addressKey.bytes[index]) }
    writer.advance(Self.accessKeySize)
    settings.values.write(to: &writer)
    writer.advance(16)
    writer.u32(CRC32.of(writer.whole.extracting(0..<writer.count)))
  }

  /// Takes the record in 96 bytes, over defaults; `false`, and left invalid, unless every field is valid. One
  /// of version 1, which is no longer written, may have anything behind its 40 bytes. In its place, as it is
  /// read deep below requests: a returned one would be on the stack several times.
  @inline(never)
  mutating func read(_ bytes: Span<UInt8>) -> Bool {
    var reader = ByteReader(bytes)
    guard bytes.count == Self.size, reader.u32() == Self.magic, let version = reader.u32(), version &- 1 < 2,
      let generation = reader.u32(), let first = reader.u16(), let second = reader.u16()
    else {
      return false
    }
    self.generation = generation
    for index in 0..<16 { settings.addressKey.bytes[index] = reader.u8() ?? 0 }
    if version == 2 {
      payloadSize = second
      guard reader.skip(Self.accessKeySize), settings.values.read(marks: first, from: &reader) else {
        return false
      }
      for _ in 0..<4 where reader.u32() != 0 { return false }
    } else {
      // Version 1: days of retention, whether there are any, address key, 0, and the checksum.
      guard second == 1 || (first == 0 && second == 0), reader.u32() == 0 else { return false }
      // More days than may be set by now are the most that may.
      if second == 1 {
        settings.values.set(.keepDays, to: min(UInt32(first), Setting.keepDays.description.range.upperBound))
      }
    }
    let end = reader.offset
    return reader.u32() == CRC32.of(bytes.extracting(0..<end))
  }

  /// Whether these 96 bytes, which are an invalid record, were one with an access key: half of what a record
  /// begins with is still there, and where the key belongs are bytes that neither an erasure leaves nor a
  /// record without a key, more of them than a word that was cut off.
  static func hadAccessKey(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count == size else { return false }
    var known = 0
    for index in 0..<8 {
      let word = index < 4 ? magic : 2
      if bytes[index] == UInt8(truncatingIfNeeded: word &>> UInt32(8 &* (index & 3))) { known &+= 1 }
    }
    var written = 0
    for index in accessKeyOffset..<(accessKeyOffset &+ accessKeySize)
    where bytes[index] != 0 && bytes[index] != 0xFF {
      written &+= 1
    }
    return known >= 4 && written > 8
  }
}

/// What was found where the settings are kept.
public enum SettingsCondition: UInt8, BitwiseCopyable, Sendable {
  /// Nothing: the defaults apply.
  case fresh = 0
  /// Settings.
  case kept = 1
  /// Something else: the defaults apply.
  case damaged = 2
  /// Settings with an access key before they were damaged: the defaults apply, and the key that is found in
  /// its place.
  case locked = 3
}
