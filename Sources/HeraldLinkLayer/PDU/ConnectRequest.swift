import HeraldBluetooth
import HeraldHAL

/// The timing parameters of a connection: the fields that CONNECT_IND and LL_CONNECTION_UPDATE_IND have in
/// common (Core Specification, Vol 6, Part B, 2.3.3.1 and 2.4.2.1).
public struct ConnectionTimes: Equatable, BitwiseCopyable, Sendable {
  /// transmitWindowSize in units of 1.25 ms: 1…8, and less than `interval`.
  public let windowSize: UInt8
  /// transmitWindowOffset in units of 1.25 ms: 0…`interval`.
  public let windowOffset: UInt16
  /// connInterval in units of 1.25 ms: 6…3,200.
  public let interval: UInt16
  /// connPeripheralLatency: the number of consecutive connection events that the peripheral may skip, 0…499.
  public let latency: UInt16
  /// connSupervisionTimeout in units of 10 ms: 10…3,200, and more than twice the longest time without packets
  /// that `latency` permits.
  public let timeout: UInt16

  /// Creates a value from its fields.
  public init(windowSize: UInt8, windowOffset: UInt16, interval: UInt16, latency: UInt16, timeout: UInt16) {
    self.windowSize = windowSize
    self.windowOffset = windowOffset
    self.interval = interval
    self.latency = latency
    self.timeout = timeout
  }

  /// All fields are zero; this value is not valid.
  static var none: ConnectionTimes {
    ConnectionTimes(windowSize: 0, windowOffset: 0, interval: 0, latency: 0, timeout: 0)
  }

  /// Reads nine bytes, in the field order of both PDUs.
  init?(_ reader: inout ByteReader) {
    guard let size = reader.u8(), let offset = reader.u16(), let interval = reader.u16(),
      let latency = reader.u16(), let timeout = reader.u16()
    else { return nil }
    self.init(
      windowSize: size, windowOffset: offset, interval: interval, latency: latency, timeout: timeout)
  }

  func write(to writer: inout ByteWriter) {
    writer.u8(windowSize)
    writer.u16(windowOffset)
    writer.u16(interval)
    writer.u16(latency)
    writer.u16(timeout)
  }

  /// Whether every field is within its range, and the fields are consistent with each other.
  public var isValid: Bool {
    guard interval >= 6, interval <= 3200, latency <= 499, timeout >= 10, timeout <= 3200 else {
      return false
    }
    guard windowSize >= 1, windowSize <= 8, UInt16(windowSize) < interval, windowOffset <= interval else {
      return false
    }
    // Twice (latency + 1) intervals of 1.25 ms, compared with units of 10 ms: the products are far below 2³².
    return (UInt32(latency) &+ 1) &* UInt32(interval) < UInt32(timeout) &* 4
  }
}

/// CONNECT_IND (Core Specification, Vol 6, Part B, 2.3.3.1): the request by which an initiator becomes the
/// central of a connection.
public struct ConnectRequest: Equatable, BitwiseCopyable, Sendable {
  /// The size of the PDU in bytes, including the header.
  public static var size: Int { 36 }

  /// InitA: the central.
  public let initiator: DeviceAddress
  /// AdvA: the peripheral.
  public let advertiser: DeviceAddress
  /// AA: the access address of the connection.
  public let accessAddress: AccessAddress
  /// CRCInit: 24 bits.
  public let crcInit: UInt32
  /// The timing parameters of the connection.
  public let times: ConnectionTimes
  /// ChM: the channels in use.
  public let channels: ChannelMap
  /// hopIncrement: 5…16.
  public let hop: UInt8
  /// SCA: the maximum deviation of the central's sleep clock.
  public let clockAccuracy: ClockAccuracy

  /// Creates a value from its fields.
  public init(
    initiator: DeviceAddress, advertiser: DeviceAddress, accessAddress: AccessAddress, crcInit: UInt32,
    times: ConnectionTimes, channels: ChannelMap, hop: UInt8, clockAccuracy: ClockAccuracy
  ) {
    self.initiator = initiator
    self.advertiser = advertiser
    self.accessAddress = accessAddress
    self.crcInit = crcInit
    self.times = times
    self.channels = channels
    self.hop = hop
    self.clockAccuracy = clockAccuracy
  }

  /// All fields are zero; this value is not valid.
  static var none: ConnectRequest {
    ConnectRequest(
      initiator: .zero, advertiser: .zero, accessAddress: AccessAddress(rawValue: 0), crcInit: 0,
      times: .none,
      channels: ChannelMap(low: 0, high: 0), hop: 0, clockAccuracy: ClockAccuracy(code: 0))
  }

  /// Reads a PDU with its header; `nil` unless it is a CONNECT_IND. The values of the fields are not checked:
  /// see `isValid`.
  public init?(of pdu: Span<UInt8>) {
    guard let header = AdvertisingHeader(of: pdu), header.kind == .connect else { return nil }
    var reader = ByteReader(pdu)
    guard reader.skip(2), let initiator = reader.deviceAddress(header.sender),
      let advertiser = reader.deviceAddress(header.receiver), let address = reader.u32(),
      let crcLow = reader.u16(), let crcHigh = reader.u8(), let times = ConnectionTimes(&reader),
      let mapLow = reader.u32(), let mapHigh = reader.u8(), let last = reader.u8()
    else { return nil }
    self.init(
      initiator: initiator, advertiser: advertiser, accessAddress: AccessAddress(rawValue: address),
      crcInit: UInt32(crcLow) | UInt32(crcHigh) &<< 16, times: times,
      channels: ChannelMap(low: mapLow, high: mapHigh), hop: last & 0x1F,
      clockAccuracy: ClockAccuracy(code: last &>> 5))
  }

  /// Whether the fields permit a connection. An access address that violates the rules for central devices is
  /// accepted, because the peripheral cannot choose another, unless it is that of the advertising channels or
  /// differs from it in one bit only.
  public var isValid: Bool {
    times.isValid && channels.isValid && hop >= 5 && hop <= 16 && !accessAddress.resemblesAdvertising
  }

  /// Appends the PDU with its header.
  public func write(to writer: inout ByteWriter) {
    let header = AdvertisingHeader(.connect, sender: initiator.kind, receiver: advertiser.kind, length: 34)
    writer.u8(header.firstByte)
    writer.u8(header.length)
    writer.deviceAddress(initiator)
    writer.deviceAddress(advertiser)
    writer.u32(accessAddress.rawValue)
    writer.u16(UInt16(truncatingIfNeeded: crcInit))
    writer.u8(UInt8(truncatingIfNeeded: crcInit &>> 16))
    times.write(to: &writer)
    writer.u32(channels.lowBits)
    writer.u8(channels.highBits)
    writer.u8(hop & 0x1F | clockAccuracy.code &<< 5)
  }
}
