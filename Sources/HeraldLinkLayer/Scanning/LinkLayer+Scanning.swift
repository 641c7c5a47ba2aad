import HeraldBluetooth
import HeraldHAL

// In the radio interrupt.
extension LinkLayer where Peripheral: ~Copyable {
  mutating func scanningOutcome(_ outcome: RadioOutcome) {
    switch scanningEvent.phase {
    case .listen:
      switch outcome.kind {
      case .received: advertised(outcome)
      case .damaged: radio.proceed(.receiveAgain)
      case .silent, .late, .sent: finish()
      }
    case .ask:
      guard outcome.kind == .sent else {
        finish()
        return
      }
      scanningEvent.phase = .hear
      radio.proceed(.receiveAfterSpace)
    case .hear:
      finish()
      guard outcome.kind == .received, isResponse() else { return }
      scanningEvent.wasAnswered = true
      heardResponse.copy(radio.incoming(), rssi: outcome.rssi)
    case .connect:
      scanningEvent.wasConnected = outcome.kind == .sent
      scanningEvent.requestEnd = outcome.end
      finish()
    }
  }

  /// A packet came while the scanner listened.
  private mutating func advertised(_ outcome: RadioOutcome) {
    switch scanningEvent.verdict(on: radio.incoming()) {
    case .ignore:
      radio.proceed(.receiveAgain)
      return
    case .connect:
      // The offset of the first window is all that depends on the moment.
      setWindowOffset(requestEnd: outcome.end + (ConnectionEvent.space &+ 352))
      copyPDU(initiation.span, into: radio.outgoing())
      scanningEvent.phase = .connect
      radio.proceed(.transmitAfterSpace)
      return
    case .ask:
      heard.copy(radio.incoming(), rssi: outcome.rssi)
      heard.writeRequest(from: scanningEvent.own, into: radio.outgoing())
      scanningEvent.phase = .ask
      radio.proceed(.transmitAfterSpace)
    case .report:
      finish()
      heard.copy(radio.incoming(), rssi: outcome.rssi)
    }
  }

  /// Whether what came is the response of the device whose advertisement is in `heard`.
  private mutating func isResponse() -> Bool {
    let pdu = radio.incoming()
    guard let header = AdvertisingHeader(of: pdu), header.kind == .scanResponse else { return false }
    return isSame(pdu, 2, heard.bytes.span, 2) && header.sender.rawValue == heard.bytes[0] &>> 6 & 1
  }

  /// Puts the anchors of a connection that begins with the CONNECT_IND where they are wanted.
  private mutating func setWindowOffset(requestEnd: RadioTime) {
    guard scanningEvent.interval > 0 else { return }
    let earliest = requestEnd + ConnectionTiming.unit
    var place = scanningEvent.phaseTime
    // A few rounds: the window of a scanner that connects is short.
    while place.isBefore(earliest) { place = place + scanningEvent.interval }
    // Rounded up to whole units. ⌈2³² / 625⌉ · ⌊n / 2⌋ / 2³² is exact for all n below 2²², which 4 s are, and
    // there is no instruction to divide.
    let wait = place.since(earliest) &+ ConnectionTiming.unit &- 1
    let offset = (UInt64(wide: wait &>> 1) &* 6_871_948).high32
    initiation[22] = UInt8(truncatingIfNeeded: offset)
    initiation[23] = UInt8(truncatingIfNeeded: offset &>> 8)
  }
}

// Below it.
extension LinkLayer where Peripheral: ~Copyable {
  /// How long one channel is listened to while only a connection is wanted.
  static var initiatingInterval: UInt32 { 30_000 }
  /// A part of a window that is shorter is not worth the ramp-up.
  static var shortestScan: UInt32 { 600 }

  /// How long an exchange may last after the last moment of a window.
  var scanTail: UInt32 {
    let exchanges = isConnecting || scanning.isActive
    return ScanningEvent.packetTime &+ (exchanges ? ScanningEvent.exchangeTime : 0)
  }

  /// When listening could begin, at `soonest` or later, and for how long at most.
  mutating func scanSlot(_ soonest: RadioTime) -> (start: RadioTime, length: UInt32) {
    let interval = scanning.isOn && !isConnecting ? scanning.interval : Self.initiatingInterval
    let window = scanning.isOn && !isConnecting ? scanning.window : interval
    let passed = soonest.since(scanStart) / interval
    scanStart = scanStart + passed &* interval
    scanOffset = UInt8(truncatingIfNeeded: (UInt32(scanOffset) &+ passed) % 3)
    let into = soonest.since(scanStart)
    if into &+ Self.shortestScan <= window { return (soonest, window &- into) }
    scanStart = scanStart + interval
    scanOffset = scanOffset == 2 ? 0 : scanOffset &+ 1
    return (scanStart, window)
  }

  mutating func beginScanning(at start: RadioTime, window: UInt32) {
    eventStart = start
    scanningEvent = ScanningEvent()
    scanningEvent.reports = scanning.isOn
    scanningEvent.mayAsk = scanning.isActive && backoff.mayAsk
    scanningEvent.own = scanning.address
    scanningEvent.connects = isConnecting
    if isConnecting {
      scanningEvent.initiator = connecting.initiator
      scanningEvent.target = connecting.advertiser
      placeAnchors()
    }
    activity = .scanning
    radio.start(
      .receive(
        from: start, window: window, channel: 37 &+ scanOffset,
        accessAddress: AccessAddress.advertising.rawValue, crcInit: PacketCRC.advertisingInit,
        longestPayload: 37))
  }

  mutating func scanningEnded() {
    defer { cancelsConnect = false }
    if scanningEvent.wasConnected {
      isConnecting = false
      let place = freePlace()
      if let wanted = ConnectRequest(of: initiation.span.extracting(first: ConnectRequest.size)), place >= 0 {
        open(wanted, .central, end: scanningEvent.requestEnd, at: place)
      } else {
        failConnecting(.limitedResources)
      }
      return
    }
    if cancelsConnect, isConnecting { failConnecting(.cancelled) }
    if scanningEvent.asked {
      backoff.asked(wasAnswered: scanningEvent.wasAnswered, random: random.next())
    } else if scanningEvent.wasScannable {
      backoff.passed()
    }
    guard scanning.isOn else {
      heard.count = 0
      heardResponse.count = 0
      return
    }
    if heard.count > 0, reports.append(heard) != nil { counters.reportsDropped &+= 1 }
    if heardResponse.count > 0, reports.append(heardResponse) != nil { counters.reportsDropped &+= 1 }
    heard.count = 0
    heardResponse.count = 0
  }
}
