/// Why an attribute request failed (Core Specification, Vol 3, Part F, 3.4.1.1, table 3.4).
///
/// Not an enumeration: 0x80…0x9F belong to applications and 0xE0…0xFF to common profiles, so any value is
/// possible.
public struct ATTErrorCode: Hashable, BitwiseCopyable, RawRepresentable, Sendable {
  /// The code on air.
  public let rawValue: UInt8
  /// The error with this code.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// No error; not a value of an Error Response.
  static var none: Self { Self(rawValue: 0) }

  /// The attribute handle was not valid on this server.
  public static var invalidHandle: Self { Self(rawValue: 0x01) }
  /// The attribute cannot be read.
  public static var readNotPermitted: Self { Self(rawValue: 0x02) }
  /// The attribute cannot be written.
  public static var writeNotPermitted: Self { Self(rawValue: 0x03) }
  /// The attribute PDU was invalid.
  public static var invalidPDU: Self { Self(rawValue: 0x04) }
  /// The attribute requires authentication.
  public static var insufficientAuthentication: Self { Self(rawValue: 0x05) }
  /// The server does not support the request.
  public static var requestNotSupported: Self { Self(rawValue: 0x06) }
  /// The offset was past the end of the attribute.
  public static var invalidOffset: Self { Self(rawValue: 0x07) }
  /// The attribute requires authorization.
  public static var insufficientAuthorization: Self { Self(rawValue: 0x08) }
  /// Too many prepared writes have been queued.
  public static var prepareQueueFull: Self { Self(rawValue: 0x09) }
  /// No attribute was found in the handle range.
  public static var attributeNotFound: Self { Self(rawValue: 0x0A) }
  /// The attribute cannot be read with Read Blob.
  public static var attributeNotLong: Self { Self(rawValue: 0x0B) }
  /// The attribute value length is invalid for the operation.
  public static var invalidAttributeValueLength: Self { Self(rawValue: 0x0D) }
  /// The request failed for an unexpected reason.
  public static var unlikelyError: Self { Self(rawValue: 0x0E) }
  /// The attribute requires encryption.
  public static var insufficientEncryption: Self { Self(rawValue: 0x0F) }
  /// The attribute type is not a supported grouping attribute.
  public static var unsupportedGroupType: Self { Self(rawValue: 0x10) }
  /// Insufficient resources to complete the request.
  public static var insufficientResources: Self { Self(rawValue: 0x11) }
  /// The attribute parameter value was not allowed.
  public static var valueNotAllowed: Self { Self(rawValue: 0x13) }
  /// The client characteristic configuration descriptor is improperly configured (Core Specification
  /// Supplement, Part B).
  public static var improperlyConfigured: Self { Self(rawValue: 0xFD) }
}
