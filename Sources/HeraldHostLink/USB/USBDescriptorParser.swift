import HeraldDeviceLink
import HeraldHAL
import HeraldText

/// The fields of the device descriptor (USB 2.0, 9.6.1) that the host uses.
public struct USBDeviceDescriptor: Equatable, Sendable {
  /// The vendor ID (idVendor); 0x1209 is pid.codes.
  public let vendorID: UInt16
  /// The product ID (idProduct).
  public let productID: UInt16
  /// The device release number (bcdDevice), binary-coded decimal.
  public let deviceVersion: UInt16
  /// The index of the manufacturer string; 0 if there is none.
  public let manufacturerString: UInt8
  /// The index of the product string; 0 if there is none.
  public let productString: UInt8
  /// The index of the serial number string; 0 if there is none.
  public let serialString: UInt8

  /// Parses 18 bytes; `nil` if `bytes` do not begin with a device descriptor.
  public init?(_ bytes: Span<UInt8>) {
    var reader = ByteReader(bytes)
    guard let length = reader.u8(), length >= 18, reader.u8() == 1, reader.skip(6),
      let vendorID = reader.u16(), let productID = reader.u16(), let deviceVersion = reader.u16(),
      let manufacturer = reader.u8(), let product = reader.u8(), let serial = reader.u8(), reader.skip(1)
    else { return nil }
    self.vendorID = vendorID
    self.productID = productID
    self.deviceVersion = deviceVersion
    manufacturerString = manufacturer
    productString = product
    serialString = serial
  }
}

/// One endpoint of an interface (USB 2.0, 9.6.6).
public struct USBEndpointDescriptor: Equatable, Sendable {
  /// The number (0…15), with bit 7 set for IN (device to host).
  public let address: UInt8
  /// The transfer type in bits 0…1: 0 control, 1 isochronous, 2 bulk, 3 interrupt.
  public let attributes: UInt8
  /// The maximum packet size in bytes.
  public let maximumPacket: Int

  /// Whether it is an IN endpoint.
  public var isIn: Bool { address & 0x80 != 0 }
  /// Whether it is a bulk endpoint.
  public var isBulk: Bool { attributes & 3 == 2 }
  /// Whether it is an interrupt endpoint.
  public var isInterrupt: Bool { attributes & 3 == 3 }
}

/// One alternate setting of an interface (USB 2.0, 9.6.5) with its endpoints.
public struct USBInterface: Equatable, Sendable {
  /// The interface number within the configuration.
  public let number: UInt8
  /// The alternate setting; 0 is active after SET_CONFIGURATION.
  public let alternate: UInt8
  /// Class, subclass and protocol.
  public let kind: USBInterfaceKind
  /// The index of its name string; 0 if there is none.
  public let nameString: UInt8
  /// The endpoints in the order of the descriptors.
  public var endpoints: [USBEndpointDescriptor]
}

/// Class, subclass and protocol of an interface.
public struct USBInterfaceKind: Equatable, Sendable {
  /// Class code; 0xFF is vendor specific.
  public let interfaceClass: UInt8
  /// Subclass code.
  public let subclass: UInt8
  /// Protocol code.
  public let `protocol`: UInt8

  /// Initialises each member.
  public init(_ interfaceClass: UInt8, _ subclass: UInt8, _ protocol: UInt8) {
    self.interfaceClass = interfaceClass
    self.subclass = subclass
    self.protocol = `protocol`
  }

  /// The codes of Herald's interface: SMP packets over bulk endpoints.
  public static var herald: USBInterfaceKind {
    USBInterfaceKind(USBDescriptors.linkClass, USBDescriptors.linkSubclass, USBDescriptors.linkProtocol)
  }
}

/// A configuration with its interfaces (USB 2.0, 9.6.3).
public struct USBConfiguration: Equatable, Sendable {
  /// The value for SET_CONFIGURATION.
  public let value: UInt8
  /// All alternate settings, in the order of the descriptors.
  public let interfaces: [USBInterface]

  /// Initialises each member.
  package init(value: UInt8, interfaces: [USBInterface]) {
    self.value = value
    self.interfaces = interfaces
  }

  /// Parses a configuration descriptor and the descriptors that follow it; `nil` unless it begins with one.
  /// Accepts any input: descriptors of unknown type are skipped by their length, and parsing stops at the
  /// first invalid length. The total length field is limited to the number of bytes present.
  public init?(_ bytes: Span<UInt8>) {
    var reader = ByteReader(bytes)
    guard let length = reader.u8(), length >= 9, reader.u8() == 2, let total = reader.u16(), reader.skip(1),
      let value = reader.u8(), reader.skip(Int(length) - 6)
    else { return nil }
    let end = min(Int(total), bytes.count)
    var interfaces: [USBInterface] = []
    while end - reader.offset >= 2, let length = reader.u8(), let type = reader.u8(), length >= 2,
      Int(length) - 2 <= end - reader.offset, let body = reader.bytes(Int(length) - 2)
    {
      switch type {
      case 4 where body.count >= 7:
        interfaces.append(
          USBInterface(
            number: body[0], alternate: body[1], kind: USBInterfaceKind(body[3], body[4], body[5]),
            nameString: body[6], endpoints: []))
      case 5 where body.count >= 4:
        let size = Int(body[2]) | Int(body[3] & 0x07) << 8
        guard let last = interfaces.indices.last else { continue }
        interfaces[last].endpoints.append(
          USBEndpointDescriptor(address: body[0], attributes: body[1], maximumPacket: size))
      default: continue
      }
    }
    self.value = value
    self.interfaces = interfaces
  }

  /// The Herald link: the interface is found by class, subclass and protocol, its endpoints by their
  /// descriptors.
  public var heraldLink: HeraldUSBLink? {
    for interface in interfaces where interface.kind == .herald && interface.alternate == 0 {
      let usable = interface.endpoints.filter {
        $0.isBulk && $0.maximumPacket > 0 && $0.address & 0x0F != 0 && $0.address & 0x70 == 0
      }
      if let input = usable.first(where: \.isIn), let output = usable.first(where: { !$0.isIn }) {
        return HeraldUSBLink(
          configuration: value, interface: interface.number, input: input, output: output)
      }
    }
    return nil
  }
}

/// The endpoints for SMP packets on a USB device.
public struct HeraldUSBLink: Equatable, Sendable {
  /// The configuration to select.
  public let configuration: UInt8
  /// The interface to claim.
  public let interface: UInt8
  /// The IN endpoint.
  public let input: USBEndpointDescriptor
  /// The OUT endpoint.
  public let output: USBEndpointDescriptor
}

/// String descriptors (USB 2.0, 9.6.7).
public enum USBString {
  /// The text of a string descriptor, sanitised for display; empty if `bytes` contain none. An unpaired
  /// surrogate becomes U+FFFD.
  public static func text(_ bytes: Span<UInt8>) -> String {
    var reader = ByteReader(bytes)
    guard let length = reader.u8(), reader.u8() == 3 else { return "" }
    var units: [UInt16] = []
    while units.count < (Int(length) - 2) / 2, let unit = reader.u16() { units.append(unit) }
    return PrintableText.of(String(decoding: units, as: UTF16.self))
  }

  /// The first language identifier in string descriptor 0; `nil` if it contains none.
  public static func firstLanguage(_ bytes: Span<UInt8>) -> UInt16? {
    var reader = ByteReader(bytes)
    guard let length = reader.u8(), length >= 4, reader.u8() == 3 else { return nil }
    return reader.u16()
  }
}

/// The setup packet of a control transfer (USB 2.0, 9.3). Multi-byte fields are little-endian.
public struct USBSetupPacket: Equatable, Sendable {
  /// bmRequestType: direction, type and recipient.
  public let requestType: UInt8
  /// bRequest: the request code.
  public let request: UInt8
  /// wValue.
  public let value: UInt16
  /// wIndex: an interface, an endpoint or a language.
  public let index: UInt16
  /// wLength: the number of bytes that follow, or are requested.
  public let length: UInt16

  /// GET_DESCRIPTOR.
  public static func descriptor(type: UInt8, index: UInt8, language: UInt16 = 0, length: UInt16)
    -> USBSetupPacket
  {
    USBSetupPacket(
      requestType: 0x80, request: 6, value: UInt16(type) << 8 | UInt16(index), index: language, length: length
    )
  }
  /// SET_CONFIGURATION.
  public static func setConfiguration(_ value: UInt8) -> USBSetupPacket {
    USBSetupPacket(requestType: 0x00, request: 9, value: UInt16(value), index: 0, length: 0)
  }
  /// SET_REPORT of an output report (HID 1.11, 7.2.2).
  package static func setReport(interface: UInt8, length: UInt16) -> USBSetupPacket {
    USBSetupPacket(requestType: 0x21, request: 9, value: 0x0200, index: UInt16(interface), length: length)
  }
  /// CLEAR_FEATURE(ENDPOINT_HALT).
  public static func clearHalt(endpoint: UInt8) -> USBSetupPacket {
    USBSetupPacket(requestType: 0x02, request: 1, value: 0, index: UInt16(endpoint), length: 0)
  }

  /// The eight bytes of the packet.
  public var bytes: [UInt8] {
    let words = [value, index, length]
    return [requestType, request] + words.flatMap { word in [UInt8(word & 0xFF), UInt8(word >> 8)] }
  }
}
