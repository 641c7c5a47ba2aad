/// What an advertising data structure means (Assigned Numbers, 2.3).
public struct AdvertisingDataType: Hashable, BitwiseCopyable, RawRepresentable, Sendable {
  /// The number on air.
  public let rawValue: UInt8
  /// The type with this number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Flags.
  public static var flags: Self { Self(rawValue: 0x01) }
  /// Some 16-bit service UUIDs.
  public static var someUUID16: Self { Self(rawValue: 0x02) }
  /// All 16-bit service UUIDs.
  public static var allUUID16: Self { Self(rawValue: 0x03) }
  /// Some 32-bit service UUIDs.
  public static var someUUID32: Self { Self(rawValue: 0x04) }
  /// All 32-bit service UUIDs.
  public static var allUUID32: Self { Self(rawValue: 0x05) }
  /// Some 128-bit service UUIDs.
  public static var someUUID128: Self { Self(rawValue: 0x06) }
  /// All 128-bit service UUIDs.
  public static var allUUID128: Self { Self(rawValue: 0x07) }
  /// A name, shortened.
  public static var shortenedName: Self { Self(rawValue: 0x08) }
  /// The name.
  public static var completeName: Self { Self(rawValue: 0x09) }
  /// The transmit power in dBm, one signed byte.
  public static var txPower: Self { Self(rawValue: 0x0A) }
  /// A 16-bit service UUID and its data.
  public static var serviceData16: Self { Self(rawValue: 0x16) }
  /// A 32-bit service UUID and its data.
  public static var serviceData32: Self { Self(rawValue: 0x20) }
  /// A 128-bit service UUID and its data.
  public static var serviceData128: Self { Self(rawValue: 0x21) }
  /// A company identifier, little-endian, and the company's data.
  public static var manufacturerData: Self { Self(rawValue: 0xFF) }
}
