import HeraldBluetooth
import HeraldHAL

// Payloads of peers in a buffer of the pool, which are shared with other peers (HP-42).

extension PayloadBuffer {
  /// Stores the payload in it for sharing, as that of the target at `slot`.
  mutating func keep<let capacity: Int>(
    in store: inout SharingStore, of slot: Int, in table: inout TargetTable<capacity>, at now: Instant
  ) {
    store.keep(bytes.span.extracting(0..<Int(length)), of: slot, in: &table, at: now)
  }

  /// Fills it with the message that shares payloads with the target at `slot`, with the RSSI at which it was
  /// last received (HP-42); `false` if that is not known or there is nothing to share.
  mutating func fill<let capacity: Int>(
    sharing store: inout SharingStore, for slot: Int, in table: inout TargetTable<capacity>, at now: Instant
  ) -> Bool {
    length = 0
    let rssi = table[slot].lastRSSI
    guard rssi.isAvailable else { return false }
    let header = SignalMessage.Kind.payloadSharing.headerLength
    var buffer = bytes.mutableSpan
    var data = buffer._mutatingExtracting(header..<ATTLimits.longestValue)
    let count = store.compose(for: slot, in: &table, at: now, into: &data)
    guard count > 0 else { return false }
    _ = SignalMessage.writeHeader(.payloadSharing, rssi: Int16(rssi.rawValue), length: count, to: &buffer)
    length = UInt16(truncatingIfNeeded: header &+ count)
    return true
  }
}
