import HeraldBluetooth
import HeraldHAL

extension LinkLayer where Peripheral: ~Copyable {
  /// The maximum duration of an advertising event, with a response on one channel.
  static var advertisingTime: UInt32 {
    3 &* AdvertisingEvent.channelTime &+ AdvertisingEvent.answerTime &+ 2 &* (Peripheral.leadTime &+ 50)
  }

  /// Starts an advertising event, which must end before `limit`.
  mutating func beginAdvertising(at start: RadioTime, limit: RadioTime) {
    exchange.advertisingEvent = AdvertisingEvent()
    exchange.advertisingEvent.channels = advertising.channels
    exchange.advertisingEvent.channel = exchange.advertisingEvent.next(after: 36)
    exchange.advertisingEvent.filtersScans = advertising.filtersScans
    exchange.advertisingEvent.filtersConnections = advertising.filtersConnections
    exchange.advertisingEvent.kind = advertising.kind
    exchange.advertisingEvent.limit = limit
    var writer = ByteWriter(exchange.advertisement.mutableSpan)
    advertising.writeAdvertisement(to: &writer)
    writer = ByteWriter(exchange.response.mutableSpan)
    advertising.writeResponse(to: &writer)
    exchange.activity = .advertising
    eventStart = start
    exchange.advertise(at: start)
  }

  mutating func advertisingEnded() {
    // An event that was late is repeated at once, as a late operation starts the oscillator of the radio; a
    // second time it is left out, for a processor that is always late.
    if exchange.advertisingEvent.isLate, !repeatsAdvertising {
      repeatsAdvertising = true
      return
    }
    repeatsAdvertising = false
    advertisingTimes.plan(
      after: eventStart, interval: advertising.interval, isHighDuty: advertising.isHighDuty)
    guard exchange.advertisingEvent.wasRequested else { return }
    // A CONNECT_IND is accepted even if the host has meanwhile stopped the advertising or replaced its data:
    // the advertisement that it answers was transmitted. If the host has changed the own address, it is
    // ignored: a peer that knows the former address must not read what belongs to the new one.
    let index = freeIndex()
    guard index >= 0, let wanted = requested(), wanted.isValid, wanted.advertiser == advertising.address
    else {
      counters.count(.lost, .advertiser)
      return
    }
    isAdvertising = false
    open(wanted, .peripheral, end: exchange.advertisingEvent.requestEnd, at: index)
  }

  private mutating func requested() -> ConnectRequest? {
    ConnectRequest(of: exchange.request.bytes.span.extracting(first: Int(exchange.request.count)))
  }
}
