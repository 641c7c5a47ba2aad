import HeraldHAL

/// The first byte of an attribute PDU (Core Specification, Vol 3, Part F, 3.4.8, table 3.37).
public struct ATTOpcode: Hashable, BitwiseCopyable, RawRepresentable, Sendable {
  /// The byte on air: bits 0…5 the method, bit 6 "command", bit 7 "signed".
  public let rawValue: UInt8
  /// The opcode with this byte.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable static var errorResponse: Self { Self(rawValue: 0x01) }
  @inlinable static var exchangeMTURequest: Self { Self(rawValue: 0x02) }
  @inlinable static var exchangeMTUResponse: Self { Self(rawValue: 0x03) }
  @inlinable static var findInformationRequest: Self { Self(rawValue: 0x04) }
  @inlinable static var findInformationResponse: Self { Self(rawValue: 0x05) }
  @inlinable static var findByTypeValueRequest: Self { Self(rawValue: 0x06) }
  @inlinable static var findByTypeValueResponse: Self { Self(rawValue: 0x07) }
  @inlinable static var readByTypeRequest: Self { Self(rawValue: 0x08) }
  @inlinable static var readByTypeResponse: Self { Self(rawValue: 0x09) }
  @inlinable static var readRequest: Self { Self(rawValue: 0x0A) }
  @inlinable static var readResponse: Self { Self(rawValue: 0x0B) }
  @inlinable static var readBlobRequest: Self { Self(rawValue: 0x0C) }
  @inlinable static var readBlobResponse: Self { Self(rawValue: 0x0D) }
  @inlinable static var readMultipleRequest: Self { Self(rawValue: 0x0E) }
  @inlinable static var readMultipleResponse: Self { Self(rawValue: 0x0F) }
  @inlinable static var readByGroupTypeRequest: Self { Self(rawValue: 0x10) }
  @inlinable static var readByGroupTypeResponse: Self { Self(rawValue: 0x11) }
  @inlinable static var writeRequest: Self { Self(rawValue: 0x12) }
  @inlinable static var writeResponse: Self { Self(rawValue: 0x13) }
  @inlinable static var prepareWriteRequest: Self { Self(rawValue: 0x16) }
  @inlinable static var prepareWriteResponse: Self { Self(rawValue: 0x17) }
  @inlinable static var executeWriteRequest: Self { Self(rawValue: 0x18) }
  @inlinable static var executeWriteResponse: Self { Self(rawValue: 0x19) }
  @inlinable package static var handleValueNotification: Self { Self(rawValue: 0x1B) }
  @inlinable static var handleValueIndication: Self { Self(rawValue: 0x1D) }
  @inlinable static var handleValueConfirmation: Self { Self(rawValue: 0x1E) }
  @inlinable static var readMultipleVariableRequest: Self { Self(rawValue: 0x20) }
  @inlinable static var readMultipleVariableResponse: Self { Self(rawValue: 0x21) }
  @inlinable static var multipleHandleValueNotification: Self { Self(rawValue: 0x23) }
  @inlinable static var writeCommand: Self { Self(rawValue: 0x52) }

  /// Whether a PDU with this opcode is for the client side of a connection (a response, a notification or an
  /// indication); all others are for the server side.
  @inlinable
  public var isForClient: Bool {
    switch rawValue {
    case 0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x21, 0x23: true
    default: false
    }
  }

  /// Whether it has no response: bit 6, the command flag.
  @inlinable
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
