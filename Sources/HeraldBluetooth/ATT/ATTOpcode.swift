import HeraldHAL

/// The first byte of an attribute PDU (Core Specification, Vol 3, Part F, 3.4.8, table 3.37).
public struct ATTOpcode: Hashable, BitwiseCopyable, RawRepresentable, Sendable {
  /// The byte on air: bits 0…5 the method, bit 6 "command", bit 7 "signed".
  public let rawValue: UInt8
  /// The opcode with this byte.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  static var errorResponse: Self { Self(rawValue: 0x01) }
  static var exchangeMTURequest: Self { Self(rawValue: 0x02) }
  static var exchangeMTUResponse: Self { Self(rawValue: 0x03) }
  static var findInformationRequest: Self { Self(rawValue: 0x04) }
  static var findInformationResponse: Self { Self(rawValue: 0x05) }
  static var findByTypeValueRequest: Self { Self(rawValue: 0x06) }
  static var findByTypeValueResponse: Self { Self(rawValue: 0x07) }
  static var readByTypeRequest: Self { Self(rawValue: 0x08) }
  static var readByTypeResponse: Self { Self(rawValue: 0x09) }
  static var readRequest: Self { Self(rawValue: 0x0A) }
  static var readResponse: Self { Self(rawValue: 0x0B) }
  static var readBlobRequest: Self { Self(rawValue: 0x0C) }
  static var readBlobResponse: Self { Self(rawValue: 0x0D) }
  static var readMultipleRequest: Self { Self(rawValue: 0x0E) }
  static var readMultipleResponse: Self { Self(rawValue: 0x0F) }
  static var readByGroupTypeRequest: Self { Self(rawValue: 0x10) }
  static var readByGroupTypeResponse: Self { Self(rawValue: 0x11) }
  static var writeRequest: Self { Self(rawValue: 0x12) }
  static var writeResponse: Self { Self(rawValue: 0x13) }
  static var prepareWriteRequest: Self { Self(rawValue: 0x16) }
  static var prepareWriteResponse: Self { Self(rawValue: 0x17) }
  static var executeWriteRequest: Self { Self(rawValue: 0x18) }
  static var executeWriteResponse: Self { Self(rawValue: 0x19) }
  public static var handleValueNotification: Self { Self(rawValue: 0x1B) }
  static var handleValueIndication: Self { Self(rawValue: 0x1D) }
  static var handleValueConfirmation: Self { Self(rawValue: 0x1E) }
  static var readMultipleVariableRequest: Self { Self(rawValue: 0x20) }
  static var readMultipleVariableResponse: Self { Self(rawValue: 0x21) }
  static var multipleHandleValueNotification: Self { Self(rawValue: 0x23) }
  static var writeCommand: Self { Self(rawValue: 0x52) }

  /// Whether a PDU with this opcode is for the client side of a connection (a response, a notification or an
  /// indication); all others are for the server side.
  public var isForClient: Bool {
    switch rawValue {
    case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x21, 0x23: true
    default: false
    }
  }

  /// Whether it has no response: bit 6, the command flag.
  var isCommand: Bool { rawValue & 0x40 != 0 }
}

/// Sizes that the attribute protocol fixes.
public enum ATTLimits {
  /// The ATT_MTU of LE until another is agreed, and the smallest there is (Vol 3, Part G, 5.2.1).
  public static let defaultMTU = 23
  /// The longest attribute value (Vol 3, Part F, 3.2.9).
  public static let longestValue = 512
  /// How long a transaction may take before the bearer counts as dead (Vol 3, Part F, 3.3.3).
  public static var transactionTimeout: Interval { .seconds(30) }
}
