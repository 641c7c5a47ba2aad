/// The header of a packet of the Simple Management Protocol: eight bytes, big-endian, before a CBOR map.
///
/// | byte | meaning |
/// | --- | --- |
/// | 0 | bits 0…2 operation, bits 3…4 version, bits 5…7 reserved |
/// | 1 | flags: bit 0 is set if the packet is sealed |
/// | 2, 3 | the number of bytes after the header |
/// | 4, 5 | group |
/// | 6 | sequence, which the response repeats |
/// | 7 | command within the group |
public struct SMPHeader: Equatable, BitwiseCopyable, Sendable {
  /// The operation of the packet.
  public var operation: SMPOperation
  /// 0…3: 0 is version 1 of the protocol, whose errors are `rc`; 1 is version 2, whose errors are `err`.
  public var version: UInt8
  /// Bit 0: the packet is sealed (`isSealed`); the others are reserved, and 0 in packets of this device.
  public var flags: UInt8
  /// Bytes behind the header.
  public var length: UInt16
  /// The command group.
  public var group: SMPGroup
  /// The sequence number, chosen by the client.
  public var sequence: UInt8
  /// The command within its group.
  public var command: UInt8

  /// The flag bit of a sealed body.
  static var sealedFlag: UInt8 { 1 }
  /// Bytes of a header.
  public static var size: Int { 8 }

  /// Initialises each member; version 2 of the protocol by default.
  public init(
    operation: SMPOperation, group: SMPGroup, command: UInt8, sequence: UInt8, length: UInt16 = 0,
    version: UInt8 = 1
  ) {
    self.operation = operation
    self.version = version & 3
    flags = 0
    self.length = length
    self.group = group
    self.sequence = sequence
    self.command = command
  }

  /// The header at the start of `packet`; `nil` if that is shorter than a header or has reserved bits set.
  public init?(_ packet: Span<UInt8>) {
    guard packet.count >= Self.size, packet[0] & 0b1110_0000 == 0 else { return nil }
    operation = SMPOperation(rawValue: packet[0] & 7)
    version = packet[0] &>> 3
    flags = packet[1]
    length = UInt16(packet[2]) &<< 8 | UInt16(packet[3])
    group = SMPGroup(rawValue: UInt16(packet[4]) &<< 8 | UInt16(packet[5]))
    sequence = packet[6]
    command = packet[7]
  }

  /// Changes the header at the start of `packet`, from which this was read, to that of its response: group,
  /// sequence and command stay.
  func writeAnswer(
    _ operation: SMPOperation, isSealed: Bool, length: Int, to packet: inout MutableSpan<UInt8>
  ) {
    guard packet.count >= Self.size else { return }
    packet[0] = min(version, 1) &<< 3 | operation.rawValue & 7
    packet[1] = isSealed ? Self.sealedFlag : 0
    packet[2] = UInt8(truncatingIfNeeded: length &>> 8)
    packet[3] = UInt8(truncatingIfNeeded: length)
  }

  /// Writes the header's eight bytes to the start of `packet`; `false` if they do not fit.
  @discardableResult
  public func write(to packet: inout MutableSpan<UInt8>) -> Bool {
    guard packet.count >= Self.size else { return false }
    packet[0] = (version & 3) &<< 3 | operation.rawValue & 7
    packet[1] = flags
    packet[2] = UInt8(truncatingIfNeeded: length &>> 8)
    packet[3] = UInt8(truncatingIfNeeded: length)
    packet[4] = UInt8(truncatingIfNeeded: group.rawValue &>> 8)
    packet[5] = UInt8(truncatingIfNeeded: group.rawValue)
    packet[6] = sequence
    packet[7] = command
    return true
  }
}

/// The operation of a packet.
public struct SMPOperation: RawRepresentable, Hashable, BitwiseCopyable, Sendable {
  /// Three bits.
  public let rawValue: UInt8
  /// The operation with this number.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// A request that changes nothing.
  public static var read: Self { Self(rawValue: 0) }
  /// The response to `read`.
  public static var readResponse: Self { Self(rawValue: 1) }
  /// A request that may change something.
  public static var write: Self { Self(rawValue: 2) }
  /// The response to `write`.
  public static var writeResponse: Self { Self(rawValue: 3) }

  /// The operation of the response: `nil` if it is not a request.
  public var response: Self? {
    switch self {
    case .read: .readResponse
    case .write: .writeResponse
    default: nil
    }
  }
}
