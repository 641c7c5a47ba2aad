import HeraldHAL

/// The attribute types the server and the client use.
enum AttributeType {
  /// Primary Service.
  static var primaryService: UInt16 { 0x2800 }
  /// Secondary Service.
  static var secondaryService: UInt16 { 0x2801 }
  /// Characteristic.
  static var characteristic: UInt16 { 0x2803 }
  /// Service Changed.
  static var serviceChanged: UInt16 { 0x2A05 }
  /// Client Characteristic Configuration.
  static var configuration: UInt16 { 0x2902 }
}

extension UUID128 {
  /// The 16-bit UUID this is the 128-bit form of; `nil` if it is not under the Bluetooth Base UUID.
  public var short: UUID16? {
    guard low.high32 == 0x8000_0080, low.low32 == 0x5F9B_34FB, high.low32 == 0x0000_1000,
      let value = UInt16(exactly: high.high32)
    else { return nil }
    return UUID16(value)
  }
}
