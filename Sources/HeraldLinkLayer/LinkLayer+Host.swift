import HeraldBluetooth
import HeraldHAL

// What `LinkLayerRadio` uses beside the commands of `LinkLayer+Commands.swift`.
extension LinkLayer where Peripheral: ~Copyable {
  /// Whether a connection may be opened by a peer: one is free, besides that which initiating needs.
  var acceptsConnections: Bool {
    mutating get { exchange.table.freeCount > (initiating.isOn ? 1 : 0) }
  }

  /// Advertises with the address, interval and data of the last call of `advertise`, as another type.
  mutating func continueAdvertising(_ type: AdvertisingType) {
    advertising.set(type)
    startAdvertising(every: advertising.interval)
  }

  /// Removes and returns the oldest received payload.
  mutating func takeDataPayload() -> DataPayload? { exchange.payloads.take() }

  /// Lets an event in progress transmit the payloads that were queued, and use the places of those taken.
  /// `procedures` could run since then.
  mutating func shareDuringEvent() { exchange.shareDuringEvent() }

  /// Queues a payload. Returns `false` if it was refused.
  mutating func accepts(_ payload: Span<UInt8>, isStart: Bool, on connection: Int) -> Bool {
    do throws(RadioError) {
      try send(payload, isStart: isStart, on: connection)
      return true
    } catch {
      return false
    }
  }

  /// Starts a connection update to the timing that the peer requested. Returns whether it is to be repeated,
  /// because another update is in progress. An update that is not possible is omitted.
  mutating func postponesUpdate(_ connection: Int, to timing: ConnectionTiming) -> Bool {
    do throws(RadioError) {
      try update(
        connection, interval: timing.intervalMax, latency: timing.latency, timeout: timing.timeout)
      return false
    } catch {
      return error == .busy
    }
  }
}
