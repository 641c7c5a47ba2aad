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
      scanningEvent.writeRequest(to: heard, into: radio.outgoing())
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
    // `phaseTime` is not before `earliest` by more than the age of the scanning event: with 2²⁴ intervals more it
    // is after it.
    let interval = scanningEvent.interval
    let difference = scanningEvent.phaseTime.microseconds &- earliest.microseconds
    let isAhead = Int32(bitPattern: difference) >= 0
    let wait = isAhead ? difference % interval : (interval &- (0 &- difference) % interval) % interval
    // Rounded up, to a multiple of the unit below the interval.
    let offset = (wait &+ ConnectionTiming.unit &- 1) / ConnectionTiming.unit
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
    scanChannel = 37 &+ UInt8(truncatingIfNeeded: (UInt32(scanChannel &- 37) &+ passed) % 3)
    let into = soonest.since(scanStart)
    if into &+ Self.shortestScan <= window { return (soonest, window &- into) }
    scanStart = scanStart + interval
    scanChannel = scanChannel == 39 ? 37 : scanChannel &+ 1
    return (scanStart, window)
  }

  mutating func beginScanning(at start: RadioTime, window: UInt32) {
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
    eventStart = start
    radio.start(
      .receive(
        from: start, window: window, channel: scanChannel,
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
