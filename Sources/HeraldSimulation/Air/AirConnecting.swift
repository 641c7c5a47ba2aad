import HeraldBluetooth

// Opening and closing of connections.

extension Air {
  /// Stations respond to an advertisement with connection requests, all at the same time.
  func request(_ advertiser: Int, _ initiators: [Int], on channel: UInt8) {
    let start = now + AirModel.interFrameSpace
    let end = start + AirModel.connectRequest
    for initiator in initiators {
      receivers[initiator].occupy(from: now, to: end)
      stations[initiator].use.transmitting &+= AirModel.connectRequest
      send(on: channel, from: start, to: end, by: initiator)
    }
    receivers[advertiser].occupy(from: now, to: end)
    calls.append(
      ConnectionRequests(
        advertiser: advertiser, address: stations[advertiser].advertising?.ownAddress ?? .zero,
        channel: channel,
        start: start, initiators: initiators))
    queue.add(
      AirEvent(
        time: end, order: 0, kind: .connectRequests, channel: channel, index: Int32(advertiser), token: 0))
  }

  /// Ends the requests to one advertiser, which has received at most one of them. Every station that sent one
  /// is in the connected state.
  func finishRequests(_ advertiser: Int) {
    guard let index = calls.firstIndex(where: { $0.advertiser == advertiser }) else { return }
    let call = calls.remove(at: index)
    var others = AirChannel.Overlaps()
    overlaps(on: call.channel, from: call.start, to: now, of: advertiser, into: &others)
    var strongest: (initiator: Int, power: Float)?
    for initiator in call.initiators where isStillInitiating(initiator, call) {
      let power = positions.power(initiator, advertiser) + fade()
      if power > strongest?.power ?? model.sensitivity { strongest = (initiator, power) }
    }
    if let found = strongest {
      for index in 0..<others.count where Int(others.packets[index].sender) != found.initiator {
        let disturbance = positions.power(Int(others.packets[index].sender), advertiser) + fade()
        if found.power - disturbance < model.captureThreshold { strongest = nil }
      }
    }
    if stations[advertiser].freeIndex() == nil || stations[advertiser].advertising?.connectable != true {
      strongest = nil
    }
    for initiator in call.initiators where isStillInitiating(initiator, call) {
      open(initiator, advertiser, isOneSided: initiator != strongest?.initiator)
    }
  }

  /// Whether a station that sent a request is still initiating to the same address.
  private func isStillInitiating(_ initiator: Int, _ call: ConnectionRequests) -> Bool {
    receivers[initiator].isInitiating && stations[initiator].peer == call.address
  }

  private func open(_ initiator: Int, _ advertiser: Int, isOneSided: Bool) {
    guard let index = stations[initiator].freeIndex(), let number = freeLines.popLast() else { return }
    let address = stations[initiator].peer
    endInitiating(initiator)
    let line = lines + number
    line.pointee.isOpen = true
    line.pointee.isOneSided = isOneSided
    line.pointee.stations[0] = initiator
    line.pointee.indices[0] = index
    line.pointee.stations[1] = advertiser
    line.pointee.interval = UInt64(stations[initiator].connection.interval) * 1250
    line.pointee.supervisionTimeout = UInt64(stations[initiator].connection.supervisionTimeout) * 10_000
    line.pointee.heardAt = now
    line.pointee.missed = 0
    line.pointee.wasHeard = false
    line.pointee.closing = nil
    line.pointee.token &+= 1
    for side in 0..<2 {
      clear(&line.pointee.requests[side])
      clear(&line.pointee.answers[side])
      line.pointee.wasRefused[side] = false
    }
    stations[initiator].lines[index] = Int32(number)
    report(
      .opened(ConnectionOpened(connection: ConnectionID(index: index), role: .central, peer: address)),
      to: initiator)
    if isOneSided {
      requestsLost &+= 1
    } else if let other = stations[advertiser].freeIndex() {
      connectionsMade &+= 1
      line.pointee.indices[1] = other
      stations[advertiser].lines[other] = Int32(number)
      report(
        .opened(
          ConnectionOpened(
            connection: ConnectionID(index: other), role: .peripheral,
            peer: stations[initiator].connection.ownAddress)), to: advertiser)
    }
    plan(number, at: now + AirModel.firstEventDelay + UInt64(random.below(1250)))
  }

  private func clear(_ box: inout AirLine.Box) {
    box.count = 0
    box.isCarried = false
  }

  func plan(_ line: Int, at time: UInt64) {
    queue.add(
      AirEvent(
        time: time, order: 0, kind: .connection, channel: 0, index: Int32(line), token: lines[line].token))
  }

  /// The index of a station's connection; `nil` if it is not open.
  func line(_ station: Int, _ connection: ConnectionID) -> Int? {
    guard connection.index >= 0, connection.index < stations[station].connections else { return nil }
    let line = stations[station].lines[connection.index]
    return line >= 0 ? Int(line) : nil
  }

  func side(_ station: Int, of line: Int) -> AirLine.Side {
    lines[line].stations[0] == station ? .central : .peripheral
  }

  func disconnect(_ station: Int, _ connection: ConnectionID) {
    guard connection.index >= 0, connection.index < stations[station].connections else { return }
    if let line = line(station, connection) {
      if lines[line].isOneSided {
        // The peripheral does not have this connection: it is closed at once, without LL_TERMINATE_IND.
        end(line, .localHostTerminated, .localHostTerminated)
      } else if lines[line].closing == nil {
        lines[line].closing = side(station, of: line)
      }
    } else if stations[station].lines[connection.index] == Station.dead {
      stations[station].lines[connection.index] = Station.none
      report(.closed(connection, .localHostTerminated), to: station)
    }
  }

  /// Closes a connection and reports the reason of either side.
  func end(_ line: Int, _ central: DisconnectReason, _ peripheral: DisconnectReason) {
    lines[line].isOpen = false
    lines[line].token &+= 1
    freeLines.append(line)
    leave(line, .central, central)
    if !lines[line].isOneSided { leave(line, .peripheral, peripheral) }
  }

  private func leave(_ line: Int, _ side: AirLine.Side, _ reason: DisconnectReason) {
    let station = lines[line].stations[side.rawValue]
    let index = lines[line].indices[side.rawValue]
    let isOwn = lines[line].closing == side || reason == .localHostTerminated
    if reportsLostConnections || isOwn {
      stations[station].lines[index] = Station.none
      report(.closed(ConnectionID(index: index), reason), to: station)
    } else {
      stations[station].lines[index] = Station.dead
    }
  }
}
