import HeraldBluetooth
import HeraldHAL

extension LinkLayer where Peripheral: ~Copyable {
  /// The time for which one channel is used while only a connection is requested.
  static var initiatingInterval: UInt32 { 30_000 }

  /// The maximum time for which an exchange may continue after the end of a scan window.
  var scanTail: UInt32 {
    let exchanges = initiating.isOn || scanning.isActive
    return ScanningEvent.packetTime &+ (exchanges ? ScanningEvent.exchangeTime : 0)
  }

  mutating func beginScanning(at start: RadioTime, window: UInt32, channel: UInt8) {
    eventStart = start
    exchange.scanningEvent = ScanningEvent()
    exchange.scanningEvent.reports = scanning.isOn
    exchange.scanningEvent.mayAsk = scanning.isActive && backoff.mayAsk
    exchange.scanningEvent.own = scanning.address
    exchange.scanningEvent.filters = scanning.filters
    exchange.scanningEvent.connects = initiating.isOn
    exchange.scanningEvent.connectsListed = initiating.usesList
    if initiating.isOn {
      exchange.scanningEvent.initiator = initiating.request.initiator
      exchange.scanningEvent.target = initiating.request.advertiser
      chooseAnchorPhase()
    }
    exchange.begin(
      .scanning,
      .receive(
        from: start, window: window, channel: channel,
        accessAddress: AccessAddress.advertising.rawValue, crcInit: PacketCRC.advertisingInit,
        longestPayload: 37))
  }

  mutating func scanningEnded() {
    defer { initiating.isCancelled = false }
    if exchange.scanningEvent.wasConnected {
      initiating.end()
      let index = freeIndex()
      if let wanted = ConnectRequest(of: exchange.initiation.span.extracting(first: ConnectRequest.size)),
        index >= 0
      {
        open(wanted, .central, end: exchange.scanningEvent.requestEnd, at: index)
      } else {
        failConnecting(.limitedResources)
      }
      return
    }
    if initiating.isCancelled, initiating.isOn { failConnecting(.cancelled) }
    if exchange.scanningEvent.asked {
      backoff.asked(wasAnswered: exchange.scanningEvent.wasAnswered, random: random.next())
    } else if exchange.scanningEvent.wasScannable {
      backoff.passed()
    }
    guard scanning.isOn else {
      exchange.received.count = 0
      exchange.receivedResponse.count = 0
      return
    }
    if exchange.received.count > 0, reports.append(exchange.received) != nil {
      counters.count(.lost, .scanner)
    }
    if exchange.receivedResponse.count > 0, reports.append(exchange.receivedResponse) != nil {
      counters.count(.lost, .scanner)
    }
    exchange.received.count = 0
    exchange.receivedResponse.count = 0
  }
}
