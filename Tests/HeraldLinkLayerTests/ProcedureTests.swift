import HeraldBluetooth
import HeraldHAL
import HeraldLinkLayer
import HeraldSimulation
import TestInputs
import Testing

/// Control procedures, with a central that is independent of the link layer.
@Suite("Control procedures")
struct ProcedureTests {
  let medium = RadioMedium(seed: 6)

  private func pair(_ set: (ScriptedCentral) -> Void = { _ in }) throws -> (LinkLayerDevice, ScriptedCentral)
  {
    let device = LinkLayerDevice(medium, 0)
    let central = ScriptedCentral(medium, 1)
    central.timeout = 3200
    set(central)
    try device.advertise()
    central.connect()
    medium.run(until: milliseconds(200))
    return (device, central)
  }

  /// The response to one control PDU.
  private func answer(to request: String) throws -> [[UInt8]] {
    let (device, central) = try pair()
    central.queue = [(3, hexBytes(request))]
    medium.run(until: milliseconds(500))
    #expect(device.events == [PeripheralTests.opened])
    return central.got.filter { $0.llid == 3 }.map(\.payload)
  }

  @Test(
    "Requests are answered",
    arguments: [
      // LL_FEATURE_REQ: no feature. LL_VERSION_IND: 4.0. LL_ENC_REQ: not supported.
      ("08 ff00000000000000", "09 0000000000000000"), ("0c 09 5900 0100", "0c 06 ffff 0100"),
      ("03 00000000000000000000000000000000000000000000", "0d 1a"),
      // LL_PERIPHERAL_FEATURE_REQ, LL_CONNECTION_PARAM_REQ, LL_PING_REQ, LL_LENGTH_REQ, LL_PHY_REQ,
      // LL_PHY_UPDATE_IND, LL_MIN_USED_CHANNELS_IND, LL_CTE_REQ, and an unassigned opcode: unknown.
      ("0e 0000000000000000", "070e"), ("0f 0600060000006400000000000000000000000000000000", "070f"),
      ("12", "0712"),
      ("14 fb004808fb004808", "0714"), ("16 0303", "0716"), ("18 01010a00", "0718"), ("19 0102", "0719"),
      ("1a 00", "071a"), ("ff", "07ff"),
      // A PDU with an invalid length is unknown.
      ("08 ff", "0708"), ("00 0102", "0700"), ("02", "0702"),
    ])
  func answers(request: String, expected: String) throws {
    #expect(try answer(to: request) == [hexBytes(expected)])
  }

  @Test(
    "Responses and rejections of any length are not answered",
    arguments: ["07 14", "07", "070102", "09 0000000000000000", "0d 06", "0d", "11 14 1a", "11", ""])
  func silence(request: String) throws {
    #expect(try answer(to: request).isEmpty)
  }

  @Test("LL_VERSION_IND is sent once")
  func versionOnce() throws {
    let (_, central) = try pair()
    central.queue = [(3, hexBytes("0c0959000100")), (3, hexBytes("0c0959000100")), (3, hexBytes("12"))]
    medium.run(until: milliseconds(800))
    #expect(central.got.map(\.payload) == [hexBytes("0c06ffff0100"), hexBytes("0712")])
  }

  @Test("A flood of requests is answered sequentially and does not delay data")
  func flood() throws {
    let (device, central) = try pair()
    central.queue = (0..<100).map { (3, [0x30 + UInt8($0)]) }
    try device.send([1, 2, 3])
    medium.run(until: milliseconds(20_000))
    let controls = central.got.filter { $0.llid == 3 }.map(\.payload)
    let unknown = (0..<100).map { (count: UInt8) -> [UInt8] in [7, 0x30 + count] }
    #expect(controls == unknown)
    #expect(central.got.contains { $0.llid == 2 && $0.payload == [1, 2, 3] && $0.event < 20 })
  }

  @Test(
    "LL_TERMINATE_IND is acknowledged and the connection ends with its reason", arguments: [0x13, 0x15, 0xFF])
  func terminated(reason: UInt8) throws {
    let (device, central) = try pair()
    var sent = 0
    medium.run(until: milliseconds(210))
    central.queue = [(3, [2, reason])]
    device.told = { _, _ in sent = Transcript(medium).data(0).count }
    medium.run(until: milliseconds(1000))
    #expect(
      device.events == [
        PeripheralTests.opened, .closed(connection: 0, reason: DisconnectReason(rawValue: reason)),
      ])
    let answers = Transcript(medium).data(0)
    #expect(answers.count == sent)
    // NESN of the last packet acknowledges the PDU with LL_TERMINATE_IND.
    let request = try #require(Transcript(medium).data(1).first { $0.pdu[0] & 3 == 3 })
    #expect(try #require(answers.last).pdu[0] & 4 != request.pdu[0] >> 1 & 4)
  }

  @Test("Ending a connection transmits LL_TERMINATE_IND and waits for its acknowledgement")
  func terminating() throws {
    let (device, central) = try pair()
    device.layer.disconnect(0)
    #expect(throws: RadioError.notConnected) { try device.send([1]) }
    medium.run(until: milliseconds(300))
    #expect(central.got.map(\.payload) == [[2, 0x13]])
    #expect(device.events == [PeripheralTests.opened, .closed(connection: 0, reason: .localHostTerminated)])
    // The index is free for the next connection.
    try device.advertise()
  }

  @Test("An unacknowledged LL_TERMINATE_IND ends the connection after the supervision timeout")
  func unacknowledgedEnd() throws {
    let (device, central) = try pair { $0.timeout = 100 }
    central.stubbornFrom = 0
    device.layer.disconnect(0)
    medium.run(until: milliseconds(1150))
    #expect(device.events.count == 1)
    medium.run(until: milliseconds(1400))
    #expect(device.events.last == .closed(connection: 0, reason: .localHostTerminated))
  }

  @Test(
    "A connection update takes effect at the instant, with any anchor point in the transmit window",
    arguments: [0, 3, 24], [0, 1250, 2500])
  func update(offset: Int, into: Int) throws {
    let (device, central) = try pair()
    for interval in [40, 6, 100, 24] as [UInt16] {
      central.update(interval: interval, timeout: 600, offset: min(offset, Int(interval)), into: into)
      medium.run(until: medium.time + milliseconds(2000))
    }
    #expect(device.events == [PeripheralTests.opened])
    #expect(central.answered.count == central.event && central.event > 200)
    #expect(Transcript(medium).answers.allSatisfy { $0 == 0 })
  }

  @Test(
    "A channel map update takes effect at the instant",
    arguments: [0x1F_00F0_F0F0, 3, 0x18_0000_0000, 0x10_0000_0001] as [UInt64])
  func channelMap(map: UInt64) throws {
    let (device, central) = try pair()
    central.remap(map)
    medium.run(until: milliseconds(6000))
    #expect(device.events == [PeripheralTests.opened] && central.answered.count == central.event)
    let channels = Set(Transcript(medium).data(0).suffix(100).map(\.channel))
    let used = (0..<37).filter { (channel: UInt8) -> Bool in map >> UInt64(channel) & 1 == 1 }
    #expect(channels == Set(used))
  }

  @Test("Two pending instants, in either order and in the same event", arguments: 6...9, 6...9)
  func twoInstants(first: Int, second: Int) throws {
    let (device, central) = try pair()
    central.update(interval: 40, timeout: 300, offset: 2, into: 600, ahead: first)
    central.remap(0x15_5555_5555, ahead: second)
    medium.run(until: milliseconds(3000))
    #expect(device.events == [PeripheralTests.opened] && Set(central.answered).count == central.event)
  }

  @Test("No event is skipped between the indication and the instant", arguments: [10, 30])
  func latencyAndInstant(ahead: Int) throws {
    let (device, central) = try pair { $0.latency = 20 }
    let before = central.answered.count
    medium.run(until: milliseconds(3000))
    #expect(central.answered.count - before < 10)
    central.update(interval: 40, latency: 5, timeout: 600, offset: 1, into: 900, ahead: ahead + 21)
    medium.run(until: milliseconds(9000))
    #expect(device.events == [PeripheralTests.opened])
    let event = try #require(Transcript(medium).data(1).last { $0.pdu[0] & 3 == 3 && $0.pdu.count == 14 })
    let instant = Int(event.pdu[12]) | Int(event.pdu[13]) << 8
    // From the event in which it was received, which is at most 20 events after the first attempt.
    #expect(Set(central.answered).isSuperset(of: (instant - ahead)...instant))
  }

  @Test("Instants take effect also in events without a received packet", arguments: [0, 1, 2, 5])
  func deafInstant(silence: Int) throws {
    let (device, central) = try pair()
    let start = central.event + 8
    central.update(interval: 40, timeout: 300, offset: 1, into: 1100, ahead: 8)
    central.remap(0x0F_F00F_F0FF, ahead: 7)
    central.isSilent = { $0 >= start - 2 && $0 < start - 2 + silence * 2 }
    medium.run(until: milliseconds(3000))
    #expect(device.events == [PeripheralTests.opened])
    #expect(central.answered.suffix(20).count == 20 && central.answered.contains(central.event - 1))
  }

  @Test(
    "An instant that has passed ends the connection",
    arguments: ["00 02 0000 1800 0000 6400", "01 ffffffff1f"])
  func passedInstant(request: String) throws {
    let (device, central) = try pair()
    let instant = central.event - 2
    central.queue = [
      (3, hexBytes(request) + [UInt8(truncatingIfNeeded: instant), UInt8(truncatingIfNeeded: instant >> 8)])
    ]
    medium.run(until: milliseconds(500))
    #expect(device.events.last == .closed(connection: 0, reason: DisconnectReason(rawValue: 0x28)))
  }

  @Test(
    "Invalid timing parameters and channel maps end the connection",
    arguments: [
      "00 00 0000 1800 0000 6400", "00 02 0000 0500 0000 6400", "00 02 0000 1800 f401 8003",
      "00 02 0000 1800 0000 0500", "01 0000000000", "01 0100000000", "01 00000000e0",
    ])
  func invalid(request: String) throws {
    let (device, central) = try pair()
    central.queue = [(3, hexBytes(request) + [40, 0])]
    medium.run(until: milliseconds(500))
    #expect(device.events.last == .closed(connection: 0, reason: DisconnectReason(rawValue: 0x1E)))
  }

  @Test("A peripheral remains operational after every control opcode with every length")
  func everyOpcodeAndLength() throws {
    for opcode in UInt8.min...UInt8.max {
      let medium = RadioMedium(seed: UInt64(opcode))
      let device = LinkLayerDevice(medium, 0)
      let central = ScriptedCentral(medium, 1)
      central.timeout = 3200
      try device.advertise()
      central.connect()
      // PDUs that end a connection do so with any valid content; they are therefore sent with an invalid
      // length.
      let own = [0: 12, 1: 8, 2: 2][Int(opcode)]
      central.queue = (0...27).filter { $0 != own && $0 > 0 }.map {
        (3, [opcode] + [UInt8](repeating: 0xFF, count: $0 - 1))
      }
      medium.run(until: milliseconds(3000))
      #expect(device.events == [PeripheralTests.opened], "\(opcode)")
      let isSilent = [7, 9, 0x0D, 0x11].contains(opcode)
      #expect(isSilent || central.got.filter { $0.llid == 3 }.count >= 26 - 1, "\(opcode)")
    }
  }

  @Test("A peripheral remains operational after random data PDUs of all LLIDs", arguments: 0..<20)
  func randomPDUs(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let (device, central) = try pair { $0.timeout = 100 }
    medium.trouble.loss = 10_000
    central.queue = (0..<300).map { _ in
      let count = Int.random(in: 0...27, using: &random)
      let llid = UInt8.random(in: 0...3, using: &random)
      var payload = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      if llid == 3, count > 0 { payload[0] &= 0x1F }
      return (llid, payload)
    }
    medium.run(until: milliseconds(60_000))
    central.vanish()
    medium.run(until: milliseconds(130_000))
    // The connection has ended, for any reason, and another can be created.
    #expect(device.events.count == 2)
    if case .closed = device.events.last {} else { Issue.record("\(device.events)") }
    let next = ScriptedCentral(medium, 2)
    try device.advertise()
    next.connect()
    medium.trouble.loss = 0
    medium.run(until: medium.time + milliseconds(1000))
    #expect(device.events.count == 3 && next.answered.count > 10)
  }
}
