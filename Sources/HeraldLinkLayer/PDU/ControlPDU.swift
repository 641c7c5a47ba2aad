import HeraldHAL

/// Opcodes of the supported control PDUs (Core Specification, Vol 6, Part B, 2.4.2). All others are answered
/// with LL_UNKNOWN_RSP.
public enum ControlOpcode {
  /// LL_CONNECTION_UPDATE_IND.
  public static var connectionUpdate: UInt8 { 0x00 }
  /// LL_CHANNEL_MAP_IND.
  public static var channelMap: UInt8 { 0x01 }
  /// LL_TERMINATE_IND.
  public static var terminate: UInt8 { 0x02 }
  /// LL_ENC_REQ.
  public static var encryption: UInt8 { 0x03 }
  /// LL_UNKNOWN_RSP.
  public static var unknown: UInt8 { 0x07 }
  /// LL_FEATURE_REQ.
  public static var featureRequest: UInt8 { 0x08 }
  /// LL_FEATURE_RSP.
  public static var featureResponse: UInt8 { 0x09 }
  /// LL_VERSION_IND.
  public static var version: UInt8 { 0x0C }
  /// LL_REJECT_IND.
  public static var reject: UInt8 { 0x0D }
  /// LL_REJECT_EXT_IND.
  public static var rejectExtended: UInt8 { 0x11 }
}

/// The link layer version of a device: the content of LL_VERSION_IND (Core Specification, Vol 6, Part B,
/// 2.4.2.13).
public struct LinkLayerVersion: Equatable, BitwiseCopyable, Sendable {
  /// VersNr: 6 is Bluetooth 4.0.
  public let number: UInt8
  /// CompId: the company identifier of the manufacturer. 0xFFFF is assigned to no company.
  public let company: UInt16
  /// SubVersNr: assigned by the manufacturer.
  public let subversion: UInt16

  /// Creates a version from its fields.
  public init(number: UInt8, company: UInt16, subversion: UInt16) {
    self.number = number
    self.company = company
    self.subversion = subversion
  }
}

/// A control PDU: the payload of a data channel PDU with LLID 3 (Core Specification, Vol 6, Part B, 2.4.2).
public enum ControlPDU: Equatable, BitwiseCopyable, Sendable {
  /// LL_CONNECTION_UPDATE_IND: new timing parameters from `instant` on.
  case connectionUpdate(ConnectionTimes, instant: UInt16)
  /// LL_CHANNEL_MAP_IND: a new channel map from `instant` on.
  case channelMap(ChannelMap, instant: UInt16)
  /// LL_TERMINATE_IND: the connection ends with this reason.
  case terminate(reason: UInt8)
  /// LL_UNKNOWN_RSP: the PDU with this opcode is not supported.
  case unknown(opcode: UInt8)
  /// LL_FEATURE_REQ. The feature set is not stored, because no feature is used.
  case featureRequest
  /// LL_FEATURE_RSP.
  case featureResponse
  /// LL_VERSION_IND.
  case version(LinkLayerVersion)
  /// LL_REJECT_IND, or LL_REJECT_EXT_IND of any opcode: rejected with this reason.
  case reject(reason: UInt8)
  /// LL_ENC_REQ: a request for encryption, which is not supported.
  case encryption
  /// Any other opcode, or a supported opcode with an invalid length.
  case other(opcode: UInt8)

  /// The maximum length of a transmitted control PDU: that of LL_CONNECTION_UPDATE_IND.
  public static var longest: Int { 12 }

  /// Reads the payload of a data channel PDU; `nil` if it is empty.
  public init?(_ payload: Span<UInt8>) {
    var reader = ByteReader(payload)
    guard let opcode = reader.u8() else { return nil }
    self = Self.known(opcode, &reader) ?? .other(opcode: opcode)
  }

  /// A PDU with a supported opcode and a valid length.
  private static func known(_ opcode: UInt8, _ reader: inout ByteReader) -> ControlPDU? {
    let left = reader.remaining
    switch opcode {
    case ControlOpcode.connectionUpdate where left == 11:
      guard let times = ConnectionTimes(&reader), let instant = reader.u16() else { return nil }
      return .connectionUpdate(times, instant: instant)
    case ControlOpcode.channelMap where left == 7:
      guard let low = reader.u32(), let high = reader.u8(), let instant = reader.u16() else { return nil }
      return .channelMap(ChannelMap(low: low, high: high), instant: instant)
    case ControlOpcode.terminate where left == 1: return reader.u8().map { .terminate(reason: $0) }
    case ControlOpcode.unknown where left == 1: return reader.u8().map { .unknown(opcode: $0) }
    case ControlOpcode.reject where left == 1: return reader.u8().map { .reject(reason: $0) }
    case ControlOpcode.rejectExtended where left == 2:
      guard reader.skip(1), let reason = reader.u8() else { return nil }
      return .reject(reason: reason)
    case ControlOpcode.featureRequest where left == 8: return .featureRequest
    case ControlOpcode.featureResponse where left == 8: return .featureResponse
    case ControlOpcode.encryption where left == 22: return .encryption
    case ControlOpcode.version where left == 5:
      guard let number = reader.u8(), let company = reader.u16(), let subversion = reader.u16() else {
        return nil
      }
      return .version(LinkLayerVersion(number: number, company: company, subversion: subversion))
    default: return nil
    }
  }

  /// Appends the payload. Appends no bytes for PDUs that this link layer never transmits: LL_ENC_REQ and
  /// `other`.
  public func write(to writer: inout ByteWriter) {
    switch self {
    case .connectionUpdate(let times, let instant):
      writer.u8(ControlOpcode.connectionUpdate)
      times.write(to: &writer)
      writer.u16(instant)
    case .channelMap(let map, let instant):
      writer.u8(ControlOpcode.channelMap)
      writer.u32(map.lowBits)
      writer.u8(map.highBits)
      writer.u16(instant)
    case .terminate(let reason):
      writer.u8(ControlOpcode.terminate)
      writer.u8(reason)
    case .unknown(let opcode):
      writer.u8(ControlOpcode.unknown)
      writer.u8(opcode)
    case .featureRequest, .featureResponse:
      writer.u8(self == .featureRequest ? ControlOpcode.featureRequest : ControlOpcode.featureResponse)
      // FeatureSet: no feature is supported.
      writer.u64(0)
    case .version(let version):
      writer.u8(ControlOpcode.version)
      writer.u8(version.number)
      writer.u16(version.company)
      writer.u16(version.subversion)
    case .reject(let reason):
      writer.u8(ControlOpcode.reject)
      writer.u8(reason)
    case .encryption, .other: break
    }
  }
}
