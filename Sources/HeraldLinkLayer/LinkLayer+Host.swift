import HeraldBluetooth
import HeraldHAL

// What `LinkLayerRadio` uses beside the commands of `LinkLayer+Commands.swift`.
extension LinkLayer where Peripheral: ~Copyable {
  /// Whether a connection may be opened by a peer: one is free, besides that which initiating needs.
  var acceptsConnections: Bool {
    mutating get { exchange.table.freeCount > (initiating.isOn ? 1 : 0) }
  }

  /// Advertises with the address, interval and data of the last call of `advertise`, as another type. The
  /// next event is due when it was due before a connection ended the advertising.
  mutating func continueAdvertising(_ type: AdvertisingType) {
    advertising.set(type)
    let ahead = advertisingTimes.due.since(exchange.radio.now())
    if ahead > 0, ahead <= advertising.interval &+ 10_000 { isAdvertising = true }
    startAdvertising(every: advertising.interval)
  }

  /// Removes and returns the oldest received payload.
  mutating func takeDataPayload() -> DataPayload? { exchange.payloads.take() }

  /// Lets an event in progress transmit the payloads that were queued, and use the slots of those taken.
  /// `procedures` could run since then.
  mutating func shareDuringEvent() { exchange.shareDuringEvent() }
}
