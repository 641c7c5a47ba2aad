import HeraldHAL
import HeraldLinkLayer

// Transmission and reception: the phy computes neither the CRC nor checks it.
extension PhyDevice {
  /// Transmits the PDU in `outgoing`.
  func transmit(_ exchange: Exchange, _ program: some PhyProgram) throws(PhyInterface.Failure) {
    guard let operation else { return }
    var packet = Array(outgoing[..<(min(Int(outgoing[1]), 37) + 2)])
    let check = PacketCRC.check(packet.span, start: operation.crcInit)
    packet += [UInt8(check & 0xFF), UInt8(check >> 8 & 0xFF), UInt8(check >> 16 & 0xFF)]
    var recheck = max(nextPoll, exchange.start)
    state = .onAir
    isCancelled = false
    try interface.transmit(
      packet, from: exchange.start, to: exchange.start + 8 * (5 + packet.count), recheck: recheck,
      accessAddress: operation.accessAddress, channel: operation.channel)
    while true {
      let response = try interface.response()
      switch response {
      case .recheck: recheck = try pollDuringOperation(at: recheck, program)
      case .transmitted:
        time = try interface.transmissionEnd()
        lastEnd = time
        report(.sent, from: exchange.start, to: program)
        return
      default: throw .unexpected(response)
      }
    }
  }

  /// Receives a packet into `incoming`.
  func receive(_ exchange: Exchange, _ program: some PhyProgram) throws(PhyInterface.Failure) {
    guard let operation else { return }
    guard exchange.windowEnd > exchange.start else {
      report(.silent, from: time, to: program)
      return
    }
    var recheck = max(nextPoll, exchange.start)
    var packet: [UInt8] = []
    state = .searching
    isCancelled = false
    try interface.receive(
      from: exchange.start, window: UInt32(clamping: exchange.windowEnd - exchange.start), recheck: recheck,
      accessAddress: operation.accessAddress, channel: operation.channel)
    while true {
      let response = try interface.response()
      switch response {
      case .recheck: recheck = try pollDuringOperation(at: recheck, program)
      case .addressFound:
        let found = try interface.reception()
        packet = try interface.bytes(found.count)
        time = found.now
        if !isCancelled { state = .onAir }
        try interface.goOn(!isCancelled)
        if isCancelled { return }
      case .received:
        let reception = try interface.reception()
        time = reception.now
        guard !isCancelled else { return }
        if reception.status == 3 {
          // The phy ends a reception with a damaged header there. The packet is still on the air, and a
          // response to it is counted from its end.
          try wait(forPacketEnd: reception.stamp + 1 + 8 * packet.count, program)
        }
        received(reception, packet, operation, program)
        return
      default: throw .unexpected(response)
      }
    }
  }

  /// Serves the host during an operation. A reception that the host cancelled is aborted. Returns the time of
  /// the next call.
  private func pollDuringOperation(
    at moment: Int, _ program: some PhyProgram
  ) throws(PhyInterface.Failure) -> Int {
    time = moment
    poll(program)
    if case .searching = state, isLeaving { _ = cancel() }
    let abort = isCancelled ? UInt64(moment) : PhyInterface.never
    try interface.recheck(abort: abort, next: isCancelled ? PhyInterface.never : UInt64(nextPoll))
    return nextPoll
  }

  /// Waits until the end of a packet, and serves the host.
  private func wait(forPacketEnd end: Int, _ program: some PhyProgram) throws(PhyInterface.Failure) {
    while time < end {
      try wait(until: min(end, nextPoll))
      if time >= nextPoll { poll(program) }
    }
  }

  private func received(
    _ reception: PhyInterface.Reception, _ packet: [UInt8], _ operation: RadioOperation,
    _ program: some PhyProgram
  ) {
    // 4: no access address.
    guard reception.status != 4 else {
      report(.silent, from: time, to: program)
      return
    }
    lastEnd = time
    // The bytes of a packet that the phy has damaged are not used: it passes them undamaged.
    let isReceived = reception.status == 1 && accept(packet, operation)
    report(
      isReceived ? .received : .damaged, from: reception.stamp - Self.addressTime + 1, rssi: reception.rssi,
      to: program)
  }

  /// Checks the CRC and the length of a packet, and copies its PDU.
  private func accept(_ packet: [UInt8], _ operation: RadioOperation) -> Bool {
    let count = packet.count - 3
    guard count >= 2, count <= Int(operation.longestPayload) + 2, count <= incoming.count else {
      return false
    }
    let check = PacketCRC.check(packet.span.extracting(first: count), start: operation.crcInit)
    let received = UInt32(packet[count]) | UInt32(packet[count + 1]) << 8 | UInt32(packet[count + 2]) << 16
    guard check == received else { return false }
    for index in 0..<count { incoming[index] = packet[index] }
    incomingCount = count
    return true
  }
}
