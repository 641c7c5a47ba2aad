/// An endpoint address: a number and a direction (USB 2.0, 9.6.6).
public struct USBEndpoint: RawRepresentable, Hashable, BitwiseCopyable, Sendable {
  /// Bits 0…3 the number, bit 7 set for IN, from the device to the host.
  public let rawValue: UInt8
  /// The endpoint with this address.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The control endpoint, both ways.
  public static var control: Self { Self(rawValue: 0) }
  /// The most bytes in a packet of a full-speed bulk, interrupt or control endpoint (USB 2.0, 5.5.3, 5.7.3,
  /// 5.8.3): 64.
  public static var packetSize: Int { 64 }

  /// 0…15.
  public var number: Int { Int(rawValue & 15) }
  /// Whether data goes from the device to the host.
  public var isIn: Bool { rawValue & 0x80 != 0 }
}

/// How an endpoint transfers (USB 2.0, 4.7), other than control.
public enum USBTransferKind: UInt8, BitwiseCopyable, Sendable {
  /// Whenever there is time.
  case bulk = 2
  /// At every interval.
  case interrupt = 3
}

/// The eight bytes of a control request's setup packet (USB 2.0, 9.3).
public struct USBSetup: Equatable, BitwiseCopyable, Sendable {
  /// bmRequestType: bit 7 direction, bits 5…6 type, bits 0…4 recipient.
  public let requestType: UInt8
  /// bRequest.
  public let request: UInt8
  /// wValue.
  public let value: UInt16
  /// wIndex.
  public let index: UInt16
  /// wLength: bytes in the data stage.
  public let length: UInt16

  /// Bytes of a setup packet.
  public static var size: Int { 8 }

  /// Stated one by one.
  public init(requestType: UInt8, request: UInt8, value: UInt16, index: UInt16, length: UInt16) {
    self.requestType = requestType
    self.request = request
    self.value = value
    self.index = index
    self.length = length
  }

  /// The setup packet in `bytes`, little-endian; `nil` unless there are exactly eight.
  public init?(_ bytes: Span<UInt8>) {
    var reader = ByteReader(bytes)
    guard bytes.count == Self.size, let requestType = reader.u8(), let request = reader.u8(),
      let value = reader.u16(), let index = reader.u16(), let length = reader.u16()
    else { return nil }
    self.init(requestType: requestType, request: request, value: value, index: index, length: length)
  }

  /// Whether the data stage goes from the device to the host.
  public var isIn: Bool { requestType & 0x80 != 0 }
}

/// What happens on the bus.
public enum USBEvent: Equatable, BitwiseCopyable, Sendable {
  /// The host reset the bus: address 0, no configuration, every endpoint but the control endpoint closed.
  case reset
  /// No more power or no more host. Everything is as after a reset.
  case detached
  /// The bus has been idle for 3 ms.
  case suspended
  /// The bus is no longer idle.
  case resumed
  /// A control request. Whatever there was of the one before is over.
  case setup(USBSetup)
}
