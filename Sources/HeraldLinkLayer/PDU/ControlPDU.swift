import HeraldHAL

/// Opcodes of control PDUs (Core Specification, Vol 6, Part B, 2.4.2) that this link layer knows. It answers
/// all others with LL_UNKNOWN_RSP.
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

/// A device's version of the link layer: the content of LL_VERSION_IND (Core Specification, Vol 6, Part B,
/// 2.4.2.13).
public struct LinkLayerVersion: Equatable, BitwiseCopyable, Sendable {
  /// VersNr: 6 is Bluetooth 4.0.
  public let number: UInt8
  /// CompId: who made it. 0xFFFF is nobody in particular.
  public let company: UInt16
  /// SubVersNr: the maker's own.
  public let subversion: UInt16

  /// Stated one by one.
  public init(number: UInt8, company: UInt16, subversion: UInt16) {
    self.number = number
    self.company = company
    self.subversion = subversion
  }
}

/// A control PDU: what the payload of a data channel PDU with LLID 3 says (Core Specification, Vol 6, Part B,
/// 2.4.2).
public enum ControlPDU: Equatable, BitwiseCopyable, Sendable {
  /// LL_CONNECTION_UPDATE_IND: from `instant` on, other times.
  case connectionUpdate(ConnectionTimes, instant: UInt16)
  /// LL_CHANNEL_MAP_IND: from `instant` on, other channels.
  case channelMap(ChannelMap, instant: UInt16)
  /// LL_TERMINATE_IND: the connection ends for this reason.
  case terminate(reason: UInt8)
  /// LL_UNKNOWN_RSP: the PDU with this opcode was not understood.
  case unknown(opcode: UInt8)
  /// LL_FEATURE_REQ. The features themselves are of no interest: none of them is used.
  case featureRequest
  /// LL_FEATURE_RSP.
  case featureResponse
  /// LL_VERSION_IND.
  case version(LinkLayerVersion)
  /// LL_REJECT_IND, or LL_REJECT_EXT_IND of any opcode: no, for this reason.
  case reject(reason: UInt8)
  /// LL_ENC_REQ: encryption is wanted, which there is none.
  case encryption
  /// Anything else, or a known opcode with a length that it cannot have.
  case other(opcode: UInt8)

  /// The longest of those that this link layer sends: LL_CONNECTION_UPDATE_IND.
  public static var longest: Int { 12 }

  /// From the payload of a data channel PDU; `nil` if it is empty.
  public init?(_ payload: Span<UInt8>) {
    var reader = ByteReader(payload)
    guard let opcode = reader.u8() else { return nil }
    self = Self.known(opcode, &reader) ?? .other(opcode: opcode)
  }

  /// A PDU whose opcode is known and whose length is right.
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

  /// Appends the payload. Nothing for what this link layer never sends: LL_ENC_REQ and others.
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
      // FeatureSet: none.
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
