import HeraldBluetooth

// Connection events and the transfer of PDUs.

extension Air {
  /// A connection event: if both radios are idle and within range, the next PDU of each side is transferred.
  func holdConnectionEvent(_ number: Int, _ token: UInt32) {
    let line = lines + number
    guard line.pointee.isOpen, line.pointee.token == token else { return }
    let central = line.pointee.stations[0]
    if line.pointee.isOneSided {
      line.pointee.missed &+= 1
      let end = now + AirModel.emptyEvent
      receivers[central].occupy(from: now, to: end)
      account(central, AirModel.airtime(payload: 0), AirModel.listening, until: end)
      if line.pointee.missed >= AirModel.eventsToEstablish {
        self.end(number, .failedToBeEstablished, .failedToBeEstablished)
      } else {
        plan(number, at: now + line.pointee.interval)
      }
      return
    }
    let peripheral = line.pointee.stations[1]
    let sent = [bytes(number, .central), bytes(number, .peripheral)]
    let end = now + AirModel.emptyEvent + UInt64(sent[0] + sent[1]) * 8
    let hasCentral = !receivers[central].isBusy(from: now, to: end)
    let hasPeripheral = !receivers[peripheral].isBusy(from: now, to: end)
    if hasCentral {
      receivers[central].occupy(from: now, to: end)
      account(central, AirModel.airtime(payload: sent[0]), AirModel.airtime(payload: sent[1]), until: end)
    }
    if hasPeripheral {
      receivers[peripheral].occupy(from: now, to: end)
      account(peripheral, AirModel.airtime(payload: sent[1]), AirModel.airtime(payload: sent[0]), until: end)
    }
    if hasCentral, hasPeripheral, passes(central, peripheral), passes(peripheral, central) {
      line.pointee.heardAt = now
      line.pointee.missed = 0
      line.pointee.wasHeard = true
      carry(number, from: .central)
      carry(number, from: .peripheral)
      if let closing = line.pointee.closing {
        let own = DisconnectReason.localHostTerminated
        let other = DisconnectReason.remoteUserTerminated
        self.end(number, closing == .central ? own : other, closing == .central ? other : own)
        return
      }
    } else {
      line.pointee.missed = line.pointee.missed < .max ? line.pointee.missed + 1 : .max
      if !line.pointee.wasHeard, line.pointee.missed >= AirModel.eventsToEstablish {
        self.end(number, .failedToBeEstablished, .failedToBeEstablished)
        return
      }
      if now - line.pointee.heardAt >= line.pointee.supervisionTimeout {
        let isClosing = line.pointee.closing
        self.end(
          number, isClosing == .central ? .localHostTerminated : .connectionTimeout,
          isClosing == .peripheral ? .localHostTerminated : .connectionTimeout)
        return
      }
    }
    plan(number, at: now + line.pointee.interval)
  }

  private func account(_ station: Int, _ sending: UInt64, _ receiving: UInt64, until end: UInt64) {
    interruptScan(station, until: end)
    stations[station].use.transmitting &+= sending
    stations[station].use.receiving &+= receiving
    stations[station].use.connections &+= sending + receiving
    stations[station].use.turns &+= 1
    stations[station].use.events &+= 1
    stations[station].use.pauses &+= AirModel.interFrameSpace
  }

  private func passes(_ sender: Int, _ receiver: Int) -> Bool {
    positions.power(sender, receiver) + fade() >= model.sensitivity
      && random.next() >= UInt32(Double(model.dataLoss) * Double(UInt32.max))
  }

  /// The number of bytes that a side is to send.
  private func bytes(_ line: Int, _ side: AirLine.Side) -> Int {
    let box = side.rawValue
    var count = 0
    if lines[line].answers[box].count > 0 { count += lines[line].answers[box].count + AirModel.pduOverhead }
    if lines[line].requests[box].count > 0 { count += lines[line].requests[box].count + AirModel.pduOverhead }
    return count
  }

  private func carry(_ line: Int, from side: AirLine.Side) {
    let receiver = lines[line].stations[side.other.rawValue]
    let token = lines[line].token
    let box = side.rawValue
    if lines[line].answers[box].count > 0, !lines[line].answers[box].isCarried {
      lines[line].answers[box].isCarried = true
      report(.pdu(line: line, token: token, from: side, isAnswer: true), to: receiver)
    }
    if lines[line].requests[box].count > 0, !lines[line].requests[box].isCarried {
      lines[line].requests[box].isCarried = true
      report(.pdu(line: line, token: token, from: side, isAnswer: false), to: receiver)
    }
  }

  // MARK: What hosts send and take

  func queue(_ pdu: Span<UInt8>, _ station: Int, _ connection: ConnectionID) throws(RadioError) {
    guard let line = line(station, connection) else {
      guard connection.index >= 0, connection.index < stations[station].connections,
        stations[station].lines[connection.index] == Station.dead
      else { throw .notConnected }
      throw .busy
    }
    let side = side(station, of: line)
    guard lines[line].requests[side.rawValue].count == 0 else {
      lines[line].wasRefused[side.rawValue] = true
      throw .busy
    }
    for index in 0..<pdu.count { lines[line].requests[side.rawValue].bytes[index] = pdu[index] }
    lines[line].requests[side.rawValue].count = pdu.count
  }

  /// Passes a received PDU to the host and frees its buffer. Returns 0 if the connection is closed.
  func take(
    _ line: Int, _ token: UInt32, from side: AirLine.Side, isAnswer: Bool, into buffer: inout [256 of UInt8]
  ) -> Int {
    guard lines[line].isOpen, lines[line].token == token else { return 0 }
    let box = side.rawValue
    let count: Int
    if isAnswer {
      count = lines[line].answers[box].count
      for index in 0..<count { buffer[index] = lines[line].answers[box].bytes[index] }
      lines[line].answers[box].count = 0
      lines[line].answers[box].isCarried = false
    } else {
      count = lines[line].requests[box].count
      for index in 0..<count { buffer[index] = lines[line].requests[box].bytes[index] }
      lines[line].requests[box].count = 0
      lines[line].requests[box].isCarried = false
      if lines[line].wasRefused[box] {
        lines[line].wasRefused[box] = false
        let connection = ConnectionID(index: lines[line].indices[box])
        report(.readyToSend(connection), to: lines[line].stations[box])
      }
    }
    return count
  }

  /// Sends the response to a received request. It is lost if the previous response is still pending, as in a
  /// radio with a single buffer.
  func answer(
    _ line: Int, _ token: UInt32, by side: AirLine.Side, _ buffer: inout [256 of UInt8], _ count: Int
  ) {
    guard lines[line].isOpen, lines[line].token == token, count <= 247 else { return }
    let box = side.rawValue
    guard lines[line].answers[box].count == 0 else { return }
    for index in 0..<count { lines[line].answers[box].bytes[index] = buffer[index] }
    lines[line].answers[box].count = count
  }

  func measure(_ station: Int, _ connection: ConnectionID) {
    guard let line = line(station, connection), !lines[line].isOneSided else { return }
    let peer = lines[line].stations[side(station, of: line).other.rawValue]
    let power = positions.power(peer, station) + fade()
    report(.measured(RSSI(Int8(max(-127, min(20, power.rounded())))), connection), to: station)
  }
}
