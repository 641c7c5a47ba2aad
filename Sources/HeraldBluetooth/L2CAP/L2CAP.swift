/// The fixed channels of an LE link (Vol 3, Part A, 2.1).
package enum ChannelID {
  /// The Attribute protocol.
  package static var attribute: UInt16 { 0x0004 }
  /// LE signalling.
  package static var signalling: UInt16 { 0x0005 }
  /// The Security Manager.
  package static var securityManager: UInt16 { 0x0006 }
}

/// The codes of the signalling channel that this host supports (Vol 3, Part A, 4).
package enum SignalCode {
  /// L2CAP_COMMAND_REJECT_RSP.
  package static var commandReject: UInt8 { 0x01 }
  /// L2CAP_CONNECTION_PARAMETER_UPDATE_REQ.
  package static var parameterUpdateRequest: UInt8 { 0x12 }
  /// L2CAP_CONNECTION_PARAMETER_UPDATE_RSP.
  package static var parameterUpdateResponse: UInt8 { 0x13 }

  /// Whether the code is that of a response. Responses never get a response, as two hosts could otherwise
  /// reject each other endlessly.
  package static func isAnswer(_ code: UInt8) -> Bool {
    // All responses have odd codes up to 0x15; after that they are even: 0x18 (credit based connection) and
    // 0x1A (reconfigure).
    code <= 0x15 ? code & 1 == 1 : code == 0x18 || code == 0x1A
  }
}

/// The reason for rejecting a command of the signalling channel (Vol 3, Part A, 4.1).
package enum RejectReason: UInt8 {
  /// Command not understood.
  case notUnderstood = 0x00
  /// Signaling MTU exceeded; followed by that MTU.
  case mtuExceeded = 0x01
}

/// The codes of the Security Manager that this host supports (Vol 3, Part H, 3.3 and 3.5).
package enum SecurityCode {
  /// Pairing Request.
  package static var pairingRequest: UInt8 { 0x01 }
  /// Pairing Failed.
  package static var pairingFailed: UInt8 { 0x05 }
  /// Security Request.
  package static var securityRequest: UInt8 { 0x0B }
  /// The reason Pairing Not Supported.
  package static var pairingNotSupported: UInt8 { 0x05 }
}
