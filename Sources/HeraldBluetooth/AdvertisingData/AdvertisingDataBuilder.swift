import HeraldHAL

extension ByteWriter {
  /// Appends an advertising data structure, or nothing (and `overflowed` is set) if it does not fit. More
  /// than 254 bytes never fit.
  @_lifetime(self: copy self)
  public mutating func advertisingStructure(_ type: AdvertisingDataType, _ data: Span<UInt8>) {
    guard startAdvertisingStructure(type, length: data.count) else { return }
    bytes(data)
  }

  /// Appends the length and type of a structure whose `length` bytes of data the caller appends next.
  /// `false`, appending nothing and setting `overflowed`, if the whole structure does not fit.
  @inline(never)
  @_lifetime(self: copy self)
  public mutating func startAdvertisingStructure(_ type: AdvertisingDataType, length: Int) -> Bool {
    guard length >= 0, length <= 254, length &+ 2 <= remaining else {
      refuse()
      return false
    }
    u8(UInt8(length &+ 1))
    u8(type.rawValue)
    return true
  }

  /// Appends flags (0x06: general discoverable, no BR/EDR).
  @_lifetime(self: copy self)
  public mutating func advertisingFlags(_ flags: UInt8) {
    guard startAdvertisingStructure(.flags, length: 1) else { return }
    u8(flags)
  }

  /// Appends a complete list of one 16-bit service UUID.
  @_lifetime(self: copy self)
  public mutating func advertisingService(_ uuid: UUID16) {
    guard startAdvertisingStructure(.allUUID16, length: 2) else { return }
    u16(uuid.rawValue)
  }

  /// Appends a complete list of one 128-bit service UUID.
  @_lifetime(self: copy self)
  public mutating func advertisingService(_ uuid: UUID128) {
    guard startAdvertisingStructure(.allUUID128, length: 16) else { return }
    uuid128(uuid)
  }

  /// Appends the transmit power in dBm.
  @_lifetime(self: copy self)
  public mutating func advertisingTxPower(_ dBm: Int8) {
    guard startAdvertisingStructure(.txPower, length: 1) else { return }
    i8(dBm)
  }

  /// Appends a company identifier (little-endian on air) and the company's data.
  @_lifetime(self: copy self)
  public mutating func advertisingManufacturerData(company: UInt16, _ data: Span<UInt8>) {
    guard startAdvertisingStructure(.manufacturerData, length: data.count &+ 2) else { return }
    u16(company)
    bytes(data)
  }

  /// Appends a 16-bit service UUID and its data.
  @_lifetime(self: copy self)
  public mutating func advertisingServiceData(_ uuid: UUID16, _ data: Span<UInt8>) {
    guard startAdvertisingStructure(.serviceData16, length: data.count &+ 2) else { return }
    u16(uuid.rawValue)
    bytes(data)
  }
}
