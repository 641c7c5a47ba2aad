import HeraldBluetooth
import HeraldHAL

// Notification of a new payload to the peers that have subscribed (HP-08).

extension Serving {
  /// Notifies the payload, as much of it as one PDU holds, to every peer that has subscribed and does not
  /// have the present one. A connection that accepts no PDU now is served when it does.
  mutating func notifyPayload<R: Radio & ~Copyable>(
    _ radio: inout R, _ table: inout ConnectionTable<connections>, _ context: inout Context
  ) {
    guard Parts.TableType.notifies, unnotified != 0 else { return }
    guard context.offersPayload, let value = Parts.TableType.database.notifiedValue(.payload) else {
      unnotified = 0
      return
    }
    var index = 0
    while index < connections, index < 32 {
      let bit: UInt32 = 1 &<< UInt32(truncatingIfNeeded: index)
      if unnotified & bit != 0, notifyPayload(index, value, &radio, &table) { unnotified &= ~bit }
      index &+= 1
    }
    unnotified &= connections < 32 ? (1 &<< UInt32(truncatingIfNeeded: connections)) &- 1 : .max
  }

  /// Notifies it on one connection, if its peer has subscribed; `false` if that is to be repeated.
  mutating func notifyPayload<R: Radio & ~Copyable>(
    _ index: Int, _ value: NotifiedValue, _ radio: inout R, _ table: inout ConnectionTable<connections>
  ) -> Bool {
    let connection = ConnectionID(index: index)
    let nobody = ConnectionID(index: connections)
    guard table[index].step != .closed, table[index].step != .closing,
      server.configuration(slot: value.slot, on: connection) == .notifications
    else { return true }
    guard let buffer = values.pool.claim(nobody, .serving) else { return false }
    let length = values.pool.buffers[buffer].fillNotification(
      of: value.handle, from: &values.supplier, at: values.rotatedUnixSeconds, now: values.rotatedAt,
      mtu: server.mtu(connection))
    var isDone = true
    if length > 0 {
      do throws(RadioError) {
        try values.pool.buffers[buffer].send(length, on: connection, by: &radio)
      } catch {
        isDone = error != .busy
      }
    }
    values.pool.release(nobody)
    return isDone
  }
}

/// A value that is notified: its handle, and the slot of its client configuration.
struct NotifiedValue: BitwiseCopyable {
  let handle: UInt16
  let slot: Int
}

extension GATTDatabase {
  /// The first value of this meaning that has a client configuration behind it.
  func notifiedValue(_ tag: AttributeTag) -> NotifiedValue? {
    var index = 1
    while index < attributes.count {
      let value = attributes[index &- 1]
      let configuration = attributes[index]
      if value.flags.contains(.dynamic), value.tag == tag.rawValue,
        configuration.flags.contains(.configuration)
      {
        return NotifiedValue(handle: UInt16(truncatingIfNeeded: index), slot: Int(configuration.tag))
      }
      index &+= 1
    }
    return nil
  }
}

extension PayloadBuffer {
  /// Makes it a Handle Value Notification of our payload, cut to `mtu` (Core Specification, Vol 3, Part F,
  /// 3.4.7.1). Returns its length; 0 if there is no payload.
  mutating func fillNotification<Supplier: PayloadSupplier & ~Copyable>(
    of handle: UInt16, from supplier: inout Supplier, at unixSeconds: UInt64?, now: Instant, mtu: Int
  ) -> Int {
    var buffer = bytes.mutableSpan
    var room = buffer._mutatingExtracting(3..<516)
    let count = supplier.payload(at: unixSeconds, now: now, into: &room)
    guard count > 0, count <= Payload.maximumLength else { return 0 }
    bytes[0] = ATTOpcode.handleValueNotification.rawValue
    bytes[1] = UInt8(truncatingIfNeeded: handle)
    bytes[2] = UInt8(truncatingIfNeeded: handle &>> 8)
    return min(count &+ 3, mtu)
  }

  /// Sends the first `count` bytes of it.
  mutating func send<R: Radio & ~Copyable>(
    _ count: Int, on connection: ConnectionID, by radio: inout R
  ) throws(RadioError) {
    try radio.send(bytes.span.extracting(0..<count), on: connection)
  }
}
