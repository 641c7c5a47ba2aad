/// The host's end of a session: requests are numbered and sealed, and responses are opened.
public struct HostSession: BitwiseCopyable {
  private var keys = SessionKeys()
  /// The number of the last request.
  private var number: UInt32 = 0

  /// Bytes by which a request is longer when it is sealed.
  public static var requestOverhead: Int { SealedPacket.numberSize + SealedPacket.tagSize }
  /// Bytes by which a response is longer when it is sealed.
  public static var responseOverhead: Int { SealedPacket.tagSize }

  /// A session whose proofs have been exchanged.
  public init(_ schedule: inout SessionKeySchedule, serial: Span<UInt8>) {
    var bytes: [32 of UInt8] = .init(repeating: 0)
    schedule.keys(serial: serial, into: &bytes)
    keys.take(&bytes)
  }

  /// Seals a request. `packet` is its header, 4 bytes of room, its body, and 8 bytes of room; the length in
  /// the header is that of the body, and is changed to that of the sealed packet. Returns the request's
  /// number, which its response has to be opened with; `nil` if `packet` is too short, or all numbers have
  /// been used.
  public mutating func seal(_ packet: inout MutableSpan<UInt8>) -> UInt32? {
    let length = packet.count &- SMPHeader.size
    guard length >= Self.requestOverhead, length <= 0xFFFF, number < .max else { return nil }
    number &+= 1
    packet[1] |= SMPHeader.sealedFlag
    packet[2] = UInt8(truncatingIfNeeded: length &>> 8)
    packet[3] = UInt8(truncatingIfNeeded: length)
    for index in 0..<4 {
      packet[SMPHeader.size &+ index] = UInt8(
        truncatingIfNeeded: number &>> UInt32(truncatingIfNeeded: 24 &- index &* 8))
    }
    guard
      SealedPacket.seal(&packet, from: SealedPacket.requestStart, number: number, key: keys.requests)
    else { return nil }
    return number
  }

  /// Opens the response to request `number` in place: header, body, tag. Returns where its body is; `nil` if
  /// it is not sealed, not as long as its header states, or was not made by the device for this very request.
  public mutating func open(_ packet: inout MutableSpan<UInt8>, number: UInt32) -> Range<Int>? {
    let size = packet.count
    guard size >= SMPHeader.size &+ Self.responseOverhead, packet[1] & SMPHeader.sealedFlag != 0,
      Int(packet[2]) &<< 8 | Int(packet[3]) == size &- SMPHeader.size,
      SealedPacket.open(&packet, from: SMPHeader.size, number: number, key: keys.responses)
    else { return nil }
    return SMPHeader.size..<(size &- Self.responseOverhead)
  }

  /// Overwrites the keys.
  public mutating func wipe() { keys.wipe() }
}

extension SMPHeader {
  /// Whether the packet belongs to a session: bit 0 of the flags.
  public var isSealed: Bool { flags & SMPHeader.sealedFlag != 0 }
}
