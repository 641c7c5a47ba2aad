import HeraldBluetooth
import HeraldHAL

// ACL data packets of the fragments of L2CAP PDUs (Vol 4, Part E, 5.4.2).
extension ACLConnection {
  /// Writes the packet of the response that is pending on a control channel: H4 and ACL headers, then its
  /// frame. Returns its length.
  mutating func writeControl(into packet: inout [17 of UInt8]) -> Int {
    let length = l2cap.control.write(into: &packet)
    packet[0] = PacketType.aclData
    packet[1] = UInt8(truncatingIfNeeded: handle.rawValue)
    packet[2] = UInt8(truncatingIfNeeded: handle.rawValue &>> 8)
    packet[3] = length
    return L2CAPConnection.packetHeaderSize &+ Int(length)
  }
}

extension L2CAPBuffer {
  /// Writes the packet header of a fragment into the five bytes in front of it, which were sent already: no
  /// PDU is copied to be sent. Returns the position of the packet in the buffer.
  @inline(never)
  mutating func writeHeader(of fragment: L2CAPConnection.Fragment, _ handle: ConnectionHandle) -> Int {
    let start = fragment.start &- L2CAPConnection.packetHeaderSize
    // Packet_Boundary_Flag: 00 first, 01 continuing.
    let head = handle.rawValue | (fragment.isStart ? 0x0000 : 0x1000)
    bytes[start] = PacketType.aclData
    bytes[start &+ 1] = UInt8(truncatingIfNeeded: head)
    bytes[start &+ 2] = UInt8(truncatingIfNeeded: head &>> 8)
    bytes[start &+ 3] = UInt8(truncatingIfNeeded: fragment.count)
    bytes[start &+ 4] = 0
    return start
  }

  /// Writes the ACL packet of a fragment to the transport.
  mutating func write<Transport: ControllerTransport & ~Copyable>(
    _ fragment: L2CAPConnection.Fragment, on handle: ConnectionHandle, to transport: inout Transport
  ) -> Bool {
    let start = writeHeader(of: fragment, handle)
    let count = fragment.count &+ L2CAPConnection.packetHeaderSize
    return transport.write(bytes.span.extracting(start..<(start &+ count)))
  }
}

extension L2CAPBuffers {
  /// Writes the ACL packet of a fragment of a slot to the transport.
  mutating func write<Transport: ControllerTransport & ~Copyable>(
    _ fragment: L2CAPConnection.Fragment, on handle: ConnectionHandle, _ index: Int, _ slot: Int,
    to transport: inout Transport
  ) -> Bool {
    slot == 0
      ? own[index].write(fragment, on: handle, to: &transport)
      : spare.write(fragment, on: handle, to: &transport)
  }
}
