/// What a device is to know of itself after a restart.
public struct DeviceSettings: BitwiseCopyable, Sendable {
  /// What its addresses are made with; `.none` until there is one.
  public var addressKey = IdentityResolvingKey.none
  /// For how many days records of the log are kept, 0 for as long as there is room; `nil` for what the image says.
  public var retentionDays: UInt16?

  /// The defaults.
  public init() {}

  /// Bytes they take in flash: a multiple of eight.
  static var size: Int { 40 }
  /// "HSet".
  private static var magic: UInt32 { 0x7465_5348 }
  private static var version: UInt32 { 1 }

  /// Writes the 40 bytes: magic, version, generation, days and whether there are any, key, 0, CRC-32 of what is before it.
  func write(to bytes: inout MutableSpan<UInt8>, generation: UInt32) {
    guard bytes.count == Self.size else { return }
    do {
      var writer = ByteWriter(bytes._mutatingExtracting(0..<Self.size))
      writer.u32(Self.magic)
      writer.u32(Self.version)
      writer.u32(generation)
      writer.u16(retentionDays ?? 0)
      writer.u16(retentionDays == nil ? 0 : 1)
      for index in 0..<16 { writer.u8(addressKey.bytes[index]) }
      writer.u32(0)
    }
    let crc = LogFormat.crc32(bytes.span, count: Self.size &- 4)
    for index in 0..<4 {
      bytes[Self.size &- 4 &+ index] = UInt8(
        truncatingIfNeeded: crc &>> UInt32(truncatingIfNeeded: index &* 8))
    }
  }

  /// The settings in 40 bytes, and their generation; `nil` unless all is right.
  static func read(_ bytes: Span<UInt8>) -> (DeviceSettings, UInt32)? {
    var reader = ByteReader(bytes)
    guard bytes.count == size, reader.u32() == magic, reader.u32() == version, let generation = reader.u32(),
      let days = reader.u16(), let hasDays = reader.u16(), hasDays <= 1, hasDays == 1 || days == 0
    else { return nil }
    var settings = DeviceSettings()
    if hasDays == 1 { settings.retentionDays = days }
    for index in 0..<16 { settings.addressKey.bytes[index] = reader.u8() ?? 0 }
    guard reader.u32() == 0, reader.u32() == LogFormat.crc32(bytes, count: size &- 4) else { return nil }
    return (settings, generation)
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
}
