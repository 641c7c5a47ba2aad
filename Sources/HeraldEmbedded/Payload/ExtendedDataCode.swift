/// The meaning of a segment of extended data (Herald payload specification, extended data).
///
/// Codes without a name here are passed unchanged: 09…0F, 19, 22…3D and 43…7F are reserved, 80…FE are for
/// private use, FF is reserved for wider codes.
public struct ExtendedDataCode: Hashable, BitwiseCopyable, RawRepresentable, Sendable {
  /// The number on air.
  public let rawValue: UInt8
  /// The code with this number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// 00: version of the extended data's format, one byte; 1 if absent.
  public static var formatVersion: Self { Self(rawValue: 0x00) }
  /// 01: the kind of RSSI of the payload, one byte: 0 raw, 1 sample mean, 2 running mean, 3 sample mode, 4
  /// running mode.
  public static var rssiKind: Self { Self(rawValue: 0x01) }
  /// 02: the maximum error of the RSSI in either direction, one byte, dB.
  public static var rssiError: Self { Self(rawValue: 0x02) }
  /// 03: distance by sonar, metres, 32 or 64 bits of floating point.
  public static var sonarRange: Self { Self(rawValue: 0x03) }
  /// 04: the maximum error of that distance in either direction, metres, 32 or 64 bits of floating point.
  public static var sonarError: Self { Self(rawValue: 0x04) }
  /// 05: the area as text, UTF-8.
  public static var area: Self { Self(rawValue: 0x05) }
  /// 06: position on WGS84, two signed 16-bit numbers, minutes of latitude and longitude.
  public static var positionWGS84: Self { Self(rawValue: 0x06) }
  /// 07: position on the web Mercator projection, two signed 16-bit numbers.
  public static var positionWebMercator: Self { Self(rawValue: 0x07) }
  /// 08: position on ITRF2014, two signed 16-bit numbers.
  public static var positionITRF2014: Self { Self(rawValue: 0x08) }
  /// 10: name of the premises, UTF-8.
  public static var premisesName: Self { Self(rawValue: 0x10) }
  /// 11: the location within the premises, UTF-8.
  public static var premisesLocation: Self { Self(rawValue: 0x11) }
  /// 12: which of several areas of that name, UTF-8.
  public static var premisesArea: Self { Self(rawValue: 0x12) }
  /// 13: an https address, UTF-8.
  public static var url: Self { Self(rawValue: 0x13) }
  /// 14: postal address, UTF-8, lines separated by line feeds.
  public static var address: Self { Self(rawValue: 0x14) }
  /// 15: how the visit was recorded, UTF-8: `ble` or `qr`.
  public static var entrySource: Self { Self(rawValue: 0x15) }
  /// 16: version of that source, UTF-8.
  public static var entrySourceVersion: Self { Self(rawValue: 0x16) }
  /// 17: the company of the location, digits in UTF-8.
  public static var locationCompany: Self { Self(rawValue: 0x17) }
  /// 18: GS1 company number, unsigned 32 bits.
  public static var gs1Company: Self { Self(rawValue: 0x18) }
  /// 20: the start of the event, or the present time, seconds since 1970, unsigned 32 bits.
  public static var startTime: Self { Self(rawValue: 0x20) }
  /// 21: the end of the event, seconds since 1970, unsigned 32 bits.
  public static var endTime: Self { Self(rawValue: 0x21) }
  /// 3E: bytes encrypted for the phone they come from.
  public static var encryptedForPhone: Self { Self(rawValue: 0x3E) }
  /// 3F: bytes encrypted for that phone's authority.
  public static var encryptedForAuthority: Self { Self(rawValue: 0x3F) }
  /// 40: the RSSI the sender last measured, dBm, signed byte.
  public static var ownRSSI: Self { Self(rawValue: 0x40) }
  /// 41: the sender's transmit power, one byte.
  public static var ownTxPower: Self { Self(rawValue: 0x41) }
  /// 42: the sender's phone model, UTF-8.
  public static var ownModel: Self { Self(rawValue: 0x42) }
}

/// A position to the minute of arc, as in extended data.
public struct PositionInMinutes: Equatable, BitwiseCopyable, Sendable {
  /// Minutes north of the equator.
  public let latitude: Int16
  /// Minutes east of Greenwich.
  public let longitude: Int16

  /// A position.
  public init(latitude: Int16, longitude: Int16) {
    self.latitude = latitude
    self.longitude = longitude
  }
}
