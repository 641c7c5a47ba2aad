import HeraldBluetooth

/// An HCI status or reason (Core Specification, Vol 1, Part F). Codes without a name here keep their number.
public struct HCIErrorCode: Error, Hashable, BitwiseCopyable, RawRepresentable, Sendable {
  /// The code; 0 is success.
  public let rawValue: UInt8
  /// The status with this code.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Success (0x00).
  public static var success: Self { Self(rawValue: 0x00) }
  /// Unknown HCI Command (0x01).
  public static var unknownCommand: Self { Self(rawValue: 0x01) }
  /// Unknown Connection Identifier (0x02).
  public static var unknownConnection: Self { Self(rawValue: 0x02) }
  /// Connection Timeout (0x08).
  public static var connectionTimeout: Self { Self(rawValue: 0x08) }
  /// Connection Limit Exceeded (0x09).
  public static var connectionLimitExceeded: Self { Self(rawValue: 0x09) }
  /// Command Disallowed (0x0C).
  public static var commandDisallowed: Self { Self(rawValue: 0x0C) }
  /// Invalid HCI Command Parameters (0x12).
  public static var invalidParameters: Self { Self(rawValue: 0x12) }
  /// Remote User Terminated Connection (0x13).
  public static var remoteUserTerminated: Self { Self(rawValue: 0x13) }
  /// Remote Device Terminated Connection due to Low Resources (0x14).
  public static var remoteLowResources: Self { Self(rawValue: 0x14) }

  /// Whether it is success.
  public var isSuccess: Bool { rawValue == 0 }
  /// The same code as the radio reports it.
  public var disconnectReason: DisconnectReason { DisconnectReason(rawValue: rawValue) }
}
