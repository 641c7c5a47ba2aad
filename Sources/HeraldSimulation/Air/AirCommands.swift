import HeraldBluetooth

// Commands of hosts that do not concern a connection.

extension Air {
  func startAdvertising(_ station: Int, _ parameters: AdvertisingParameters, _ bytes: Span<UInt8>) {
    let start = data + station * 32
    for index in 0..<bytes.count { start[index] = bytes[index] }
    stations[station].dataLength = bytes.count
    let former = stations[station].advertising
    stations[station].advertising = parameters
    stations[station].rhythm?.follow(parameters.ownAddress, chance: random.next())
    // A change of the address, or of whether connections are accepted, does not change when the next event
    // is.
    if stations[station].rhythm != nil, former?.interval == parameters.interval,
      stations[station].plannedAt > now
    {
      planAdvertising(station, at: stations[station].plannedAt)
      return
    }
    // A change of the advertising data does not shorten the advertising interval.
    var time = now + UInt64(random.below(AirModel.advertisingDelay))
    if let last = stations[station].advertisedAt {
      time = max(time, last + UInt64(parameters.interval.milliseconds) * 1000)
    }
    stations[station].nominalAt = time
    planAdvertising(station, at: time)
  }

  func stopAdvertising(_ station: Int) {
    stations[station].advertising = nil
    stations[station].advertisingToken &+= 1
  }

  /// A scan command of a host, `nil` to stop, which takes effect after `scanDelay`.
  func commandScan(_ station: Int, _ parameters: ScanParameters?) {
    guard scanDelay > 0 else {
      setScan(station, parameters)
      return
    }
    scanCommands.append(parameters)
    queue.add(
      AirEvent(
        time: now + scanDelay, order: 0, kind: .listen, channel: 0, index: Int32(station), token: 0))
  }

  func setScan(_ station: Int, _ parameters: ScanParameters?) {
    accountListening(station)
    stations[station].scan = parameters
    if let parameters {
      receivers[station].scan.begin(
        every: UInt64(parameters.interval.milliseconds) * 1000,
        for: UInt64(parameters.window.milliseconds) * 1000, at: now)
    } else {
      receivers[station].scan.interval = 0
    }
  }

  func initiate(_ station: Int, _ peer: DeviceAddress, _ parameters: ConnectionParameters) {
    accountListening(station)
    stations[station].peer = peer
    stations[station].connection = parameters
    receivers[station].isInitiating = true
    receivers[station].initiating.begin(
      every: AirModel.initiatingInterval, for: AirModel.initiatingWindow, at: now)
  }

  func cancel(_ station: Int) {
    guard receivers[station].isInitiating else { return }
    endInitiating(station)
    report(.failed(.cancelled), to: station)
  }

  func endInitiating(_ station: Int) {
    accountListening(station)
    receivers[station].isInitiating = false
  }

  /// An event of the radio that begins now interrupts a scan window.
  func interruptScan(_ station: Int, until end: UInt64) {
    guard receivers[station].scan.isOpen(at: now) else { return }
    stations[station].use.interrupted &+= end - now
    pauseScan(station, for: 2 * model.scanPause + AirModel.scanTail)
  }

  /// A part of a scan window has ended, and the next begins after a pause, in which the crystal is on.
  func pauseScan(_ station: Int, for pause: UInt64) {
    stations[station].use.interrupted &+= pause
    stations[station].use.pauses &+= pause
    stations[station].use.parts &+= 1
  }

  /// Adds the scan windows since the last call to the radio's activity times. Windows of scanning and
  /// initiating overlap at random.
  func accountListening(_ station: Int) {
    let elapsed = Double(now - stations[station].listeningSince)
    stations[station].listeningSince = now
    func share(_ windows: ScanWindows) -> Double {
      windows.interval == 0 ? 0 : Double(windows.length) / Double(windows.interval)
    }
    let scanning = share(receivers[station].scan)
    let initiating = receivers[station].isInitiating ? share(receivers[station].initiating) : 0
    let either = scanning + initiating - scanning * initiating
    stations[station].use.scanning &+= UInt64(elapsed * either)
    // Continuous scanning has one start; other windows have one each.
    for windows in [receivers[station].scan, receivers[station].initiating]
    where share(windows) > 0 && share(windows) < 1 && elapsed > 0 {
      guard windows.interval != AirModel.initiatingInterval || receivers[station].isInitiating else {
        continue
      }
      stations[station].use.scans &+= UInt64(elapsed / Double(windows.interval)) &+ 1
    }
    if scanning == 1, elapsed > 0 { stations[station].use.scans &+= 1 }
  }
}
