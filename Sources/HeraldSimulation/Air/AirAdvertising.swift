/// The recent packets on one advertising channel, as required to detect overlaps.
struct AirChannel {
  struct Packet {
    var start: UInt64 = 0
    var end: UInt64 = 0
    var sender: Int32 = 0
  }

  private var packets: [128 of Packet] = .init(repeating: Packet())
  private var newest = 0

  /// Adds a packet that starts now or within the next millisecond.
  mutating func add(_ packet: Packet) {
    newest = (newest &+ 1) & 127
    packets[newest] = packet
  }

  /// Finds the packets that overlap `start`…`end`, except those of `sender`: at most the 16 earliest.
  mutating func overlaps(_ start: UInt64, _ end: UInt64, of sender: Int32, into found: inout Overlaps) {
    found.count = 0
    var index = newest
    for _ in 0..<128 {
      let packet = packets[index]
      // Packets are added up to 1 ms ahead of time: those before this one have ended.
      if packet.start &+ 2_000 < start { return }
      if packet.start < end, packet.end > start, packet.sender != sender, found.count < 16 {
        found.packets[found.count] = packet
        found.count &+= 1
      }
      index = (index &- 1) & 127
    }
  }

  struct Overlaps {
    var packets: [16 of Packet] = .init(repeating: Packet())
    var count = 0
  }
}

extension Air {
  /// Adds a packet to its channel and schedules its end.
  func send(on channel: UInt8, from start: UInt64, to end: UInt64, by sender: Int) {
    let packet = AirChannel.Packet(start: start, end: end, sender: Int32(truncatingIfNeeded: sender))
    switch channel {
    case 0: channels.0.add(packet)
    case 1: channels.1.add(packet)
    default: channels.2.add(packet)
    }
  }

  func overlaps(
    on channel: UInt8, from start: UInt64, to end: UInt64, of sender: Int,
    into found: inout AirChannel.Overlaps
  ) {
    let sender = Int32(truncatingIfNeeded: sender)
    switch channel {
    case 0: channels.0.overlaps(start, end, of: sender, into: &found)
    case 1: channels.1.overlaps(start, end, of: sender, into: &found)
    default: channels.2.overlaps(start, end, of: sender, into: &found)
    }
  }

  /// Schedules a station's next advertising event and invalidates an earlier schedule.
  func planAdvertising(_ station: Int, at time: UInt64) {
    stations[station].advertisingToken &+= 1
    stations[station].plannedAt = time
    queue.add(
      AirEvent(
        time: time, order: 0, kind: .advertise, channel: 0, index: Int32(station),
        token: stations[station].advertisingToken))
  }

  /// An advertising event: the same packet on each of the three channels.
  func beginAdvertising(_ station: Int, _ token: UInt32) {
    guard stations[station].advertisingToken == token, let parameters = stations[station].advertising else {
      return
    }
    let length = AirModel.airtime(payload: 6 + stations[station].dataLength)
    let whole = 3 * length + 2 * model.channelChange
    if receivers[station].isBusy(from: now, to: now + whole) {
      // Connection events take precedence.
      planAdvertising(station, at: max(receivers[station].busyEnd, now) + AirModel.interFrameSpace)
      return
    }
    stations[station].advertisedAt = now
    planNextEvent(station, every: parameters.interval.milliseconds)
    receivers[station].occupy(from: now, to: now + whole)
    stations[station].use.events &+= 1
    interruptScan(station, until: now + whole + AirModel.interFrameSpace + AirModel.listening)
    startPacket(station, channel: 0, from: now, length: length)
  }

  /// Schedules the event after one that begins now. Without random delays the times are counted as in the
  /// link layer (`LinkLayer.planAdvertising`).
  private func planNextEvent(_ station: Int, every interval: UInt32) {
    let delay = stations[station].rhythm?.next(interval: interval) ?? random.below(AirModel.advertisingDelay)
    let soonest = now + stations[station].lengthened(UInt64(interval) * 1000)
    let length = stations[station].lengthened(UInt64(interval) * 1000 + UInt64(delay))
    let nominal = stations[station].nominalAt + length
    let isKept = stations[station].rhythm != nil && nominal + 60_000 >= soonest
    let next = isKept ? max(nominal, soonest) : now + length
    stations[station].nominalAt = isKept ? nominal : next
    planAdvertising(station, at: next)
  }

  private func startPacket(_ station: Int, channel: UInt8, from start: UInt64, length: UInt64) {
    advertisements &+= 1
    stations[station].use.transmitting &+= length
    if stations[station].advertising?.connectable == true {
      // The radio listens for a request until the first bits of one would have arrived.
      stations[station].use.receiving &+= AirModel.listening
      stations[station].use.pauses &+= AirModel.interFrameSpace
      stations[station].use.turns &+= 1
    }
    if channel > 0 { stations[station].use.pauses &+= model.channelPause }
    send(on: channel, from: start, to: start + length, by: station)
    queue.add(
      AirEvent(
        time: start + length, order: 0, kind: .advertisement, channel: channel, index: Int32(station),
        token: stations[station].advertisingToken))
  }

  /// The end of an advertising packet: all receivers process it, and initiators for this address send a
  /// connection request.
  func finishAdvertisement(_ station: Int, _ event: AirEvent, _ wake: (Int, UInt64) -> UInt64) {
    // The host has changed the advertising parameters: the packet was cut off and is lost.
    guard stations[station].advertisingToken == event.token, let parameters = stations[station].advertising
    else { return }
    let end = event.time
    let length = AirModel.airtime(payload: 6 + stations[station].dataLength)
    let start = end - length
    var others = AirChannel.Overlaps()
    overlaps(on: event.channel, from: start, to: end, of: station, into: &others)
    var initiators: [Int] = []
    let listeners = positions.listeners + station * count
    let powers = positions.powers + station * count
    for number in 0..<positions.listenerCounts[station] {
      let receiver = Int(listeners[number])
      let isScanned = receivers[receiver].receives(event.channel, from: start, to: end)
      if !isScanned {
        guard receivers[receiver].isInitiating,
          receivers[receiver].receivesWhileInitiating(event.channel, from: start, to: end)
        else {
          continue
        }
      }
      let power = powers[receiver] + fade()
      guard power >= model.sensitivity else { continue }
      if others.count > 0, isSpoilt(power, at: receiver, from: start, &others) {
        collisions &+= 1
        continue
      }
      if receivers[receiver].isInitiating, parameters.connectable,
        stations[receiver].peer == parameters.ownAddress
      {
        initiators.append(receiver)
      }
      if isScanned { deliver(station, to: receiver, power, wake) }
    }
    if initiators.isEmpty || stations[station].advertisingToken != event.token {
      if event.channel < 2, stations[station].advertisingToken == event.token {
        startPacket(station, channel: event.channel + 1, from: end + model.channelChange, length: length)
      }
    } else {
      request(station, initiators, on: event.channel)
    }
  }

  /// Whether an overlapping packet prevents the reception of a packet of `power` dBm: the power exceeds that
  /// of the other by less than the capture threshold, or the receiver is already synchronised to the other.
  @inline(__always)
  func isSpoilt(_ power: Float, at receiver: Int, from start: UInt64, _ others: inout AirChannel.Overlaps)
    -> Bool
  {
    for index in 0..<others.count {
      let other = others.packets[index]
      if Int(other.sender) == receiver { continue }
      let disturbance = positions.power(Int(other.sender), receiver) + fade()
      if power - disturbance < model.captureThreshold { return true }
      if other.start < start, disturbance >= model.sensitivity { return true }
    }
    return false
  }

  @inline(__always)
  private func deliver(
    _ station: Int, to receiver: Int, _ power: Float, _ wake: (Int, UInt64) -> UInt64
  ) {
    stations[receiver].delivered &+= 1
    pauseScan(receiver, for: model.scanPause)
    sender = station
    heard.receiver = receiver
    heard.rssi = Int8(max(-127, min(20, power.rounded())))
    wakeUp(receiver, wake)
    heard.receiver = -1
    sender = -1
  }
}
