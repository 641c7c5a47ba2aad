import HeraldBluetooth
import HeraldHAL

/// The state of a device that survives a restart.
///
/// The access key and the payload are stored with it and are not part of it: they are read from flash when
/// needed.
public struct DeviceSettings: BitwiseCopyable, Sendable {
  /// The key of its addresses; `.none` until there is one.
  public var addressKey = IdentityResolvingKey.none
  /// The settings that a host has changed.
  public var values = SettingValues()

  /// The defaults.
  public init() {}

  /// Whether hosts have to prove possession of a key.
  public var hasAccessKey: Bool { values.isSet(.accessKey) }
  /// Whether the log is sealed for an owner.
  public var hasOwnerKey: Bool { values.isSet(.ownerKey) }
}

/// The layout of settings in flash (docs/herald-host.md): numbers little-endian.
///
/// | offset | bytes | what |
/// | --- | --- | --- |
/// | 0 | 4 | "HSet" |
/// | 4 | 4 | version, 2 |
/// | 8 | 4 | generation: one more than that of the settings before |
/// | 12 | 2 | which settings are set, a bit each; bits 15, 14 and 13 are values (`SettingValues`) |
/// | 14 | 2 | bytes of payload behind the record, 0 for none |
/// | 16 | 16 | the key that the device's addresses are made with |
/// | 32 | 32 | the access key, zeros for none |
/// | 64 | 12 | the first six numbers, two bytes each |
/// | 76 | 4 | CRC-32 of the owner's key, which is at the end of the page; 0 for none |
/// | 80 | 6 | the numbers from `Setting.latency` on, two bytes each, 0 for none |
/// | 86 | 6 | 0 |
/// | 92 | 4 | CRC-32 of bytes 0…91 |
struct SettingsRecord: BitwiseCopyable {
  /// The settings.
  var settings = DeviceSettings()
  /// A number one higher than that of the record before.
  var generation: UInt32 = 0
  /// Bytes of payload after the record.
  var payloadSize: UInt16 = 0
  /// CRC-32 of the owner's key.
  var ownerCheck: UInt32 = 0

  /// Bytes of a record: a multiple of eight.
  static var size: Int { 96 }
  /// The offset of the access key.
  static var accessKeyOffset: Int { 32 }
  /// Bytes of an access key.
  static var accessKeySize: Int { 32 }
  /// Bytes of the owner's public key.
  static var ownerKeySize: Int { 32 }
  /// "HSet".
  private static var magic: UInt32 { 0x7465_5348 }

  /// Writes the record except its access key, which is in place already, and the checksum of all of it.
  /// Unused bytes are zero.
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
    writer.u32(ownerCheck)
    settings.values.writeLater(to: &writer)
    writer.advance(6)
    writer.u32(CRC32.of(writer.whole.extracting(0..<writer.count)))
  }

  /// Reads the record from 96 bytes, over defaults; `false`, and left invalid, unless every field is valid.
  /// One of version 1, which is no longer written, may have any bytes behind its 40. In place, as the stack
  /// is deep when it is called: a returned value would be on the stack several times.
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
      ownerCheck = reader.u32() ?? 0
      guard settings.values.readLater(from: &reader) else { return false }
      for _ in 0..<3 where reader.u16() != 0 { return false }
    } else {
      // Version 1: days of retention, whether they are set, address key, 0, and the checksum.
      guard second == 1 || (first == 0 && second == 0), reader.u32() == 0 else { return false }
      // A number of days above the present maximum is reduced to it.
      if second == 1 {
        settings.values.set(.keepDays, to: min(UInt32(first), Setting.keepDays.description.range.upperBound))
      }
    }
    let end = reader.offset
    return reader.u32() == CRC32.of(bytes.extracting(0..<end))
  }

  /// Whether these 96 bytes, which are an invalid record, were one with an access key: half of the beginning
  /// of a record is intact, and the key's position has bytes that result neither from an erasure nor from a
  /// record without a key, and more of them than an interrupted word.
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

/// The result of reading the settings.
public enum SettingsCondition: UInt8, BitwiseCopyable, Sendable {
  /// No settings: the defaults apply.
  case fresh = 0
  /// Valid settings.
  case kept = 1
  /// Invalid bytes: the defaults apply.
  case damaged = 2
  /// Damaged settings that had an access key: the defaults apply, with the key bytes that are found.
  case locked = 3
}
