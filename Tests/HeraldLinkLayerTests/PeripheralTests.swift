import HeraldBluetooth
import HeraldHAL
import HeraldLinkLayer
import HeraldSimulation
import TestInputs
import Testing

/// A peripheral, and a central that is independent of the link layer.
@Suite("Peripheral")
struct PeripheralTests {
  let medium = RadioMedium(seed: 3)

  /// Creates both and starts the connection.
  private func pair(
    deviation: Int = 0, ofCentral: Int = 0, promised: UInt16 = 20, _ set: (ScriptedCentral) -> Void = { _ in }
  ) throws -> (LinkLayerDevice, ScriptedCentral) {
    let device = LinkLayerDevice(medium, 0, deviation: deviation, promised: promised)
    let central = ScriptedCentral(medium, 1, deviation: ofCentral)
    set(central)
    try device.advertise()
    central.connect()
    return (device, central)
  }

  static let opened = LinkLayerEvent.opened(
    connection: 0, role: .peripheral, peer: DeviceAddress(high: 0xC605, low: 0x0403_0201, kind: .random))

  private func closed(_ reason: UInt8) -> [LinkLayerEvent] {
    [Self.opened, .closed(connection: 0, reason: DisconnectReason(rawValue: reason))]
  }

  @Test("A peripheral responds after 150 µs in every connection event", arguments: [6, 24, 80] as [UInt16])
  func events(interval: UInt16) throws {
    let (device, central) = try pair {
      $0.interval = interval
      $0.timeout = 300
    }
    medium.run(until: milliseconds(100 + Int(interval) * 125))
    #expect(device.events == [Self.opened])
    #expect(central.event >= 95 && central.answered.count == central.event)
    #expect(Transcript(medium).answers.allSatisfy { $0 == 0 })
    // The connection has ended advertising.
    #expect(Transcript(medium).advertising(0).count <= 4)
  }

  @Test(
    "The first anchor point is anywhere in its window", arguments: [0, 1250, 2500], [0, 1, 24] as [UInt16])
  func firstAnchor(into: Int, offset: UInt16) throws {
    let (_, central) = try pair {
      $0.into = into
      $0.windowOffset = offset
    }
    medium.run(until: milliseconds(1000))
    #expect(central.answered.prefix(3) == [0, 1, 2])
  }

  @Test("A connection is not established without a packet in six windows", arguments: 0...7)
  func establishment(silent: Int) throws {
    let (device, central) = try pair { $0.isSilent = { $0 < silent } }
    medium.run(until: milliseconds(800))
    if silent < 6 {
      #expect(device.events == [Self.opened] && central.answered.first == silent)
    } else {
      #expect(device.events == closed(0x3E))
    }
  }

  @Test(
    "A connection is maintained at the declared limits of both clocks, at any interval",
    arguments: [-500, 500], [-500, 500])
  func drift(ofCentral: Int, ofPeripheral: Int) throws {
    for interval in [6, 24, 400, 800, 3200] as [UInt16] {
      let medium = RadioMedium(seed: 4)
      let device = LinkLayerDevice(medium, 0, deviation: ofPeripheral, promised: 500)
      let central = ScriptedCentral(medium, 1, deviation: ofCentral)
      central.interval = interval
      central.timeout = max(100, interval / 2)
      try device.advertise()
      central.connect()
      medium.run(until: milliseconds(100 + Int(interval) * 1250 / 1000 * 60))
      #expect(central.answered.count >= 58 && central.answered.count == central.event, "\(interval)")
    }
  }

  @Test("Window widening covers a time without packets", arguments: [-1000, 1000])
  func bridging(drift: Int) throws {
    // In 3 s without packets, clocks that differ by 1,000 ppm drift by 3 ms.
    let (device, central) = try pair(deviation: drift / 2, ofCentral: -drift / 2, promised: 500) {
      $0.timeout = 500
      $0.isSilent = { (10..<110).contains($0) }
    }
    medium.run(until: milliseconds(6000))
    #expect(
      device.events == [Self.opened] && central.answered.contains(110) && central.answered.contains(180))
  }

  @Test(
    "A connection is lost after the supervision timeout", arguments: [10, 72, 100] as [UInt16])
  func supervision(timeout: UInt16) throws {
    let (device, central) = try pair {
      $0.timeout = timeout
      $0.interval = 24
    }
    var end = 0
    device.told = { _, event in if case .closed = event { end = medium.time } }
    medium.run(until: milliseconds(1000))
    let last = try #require(Transcript(medium).data(1).last).end
    central.vanish()
    medium.run(until: milliseconds(4000))
    #expect(device.events == closed(0x08))
    // At most one interval early: no packet could be received in between.
    #expect((milliseconds(Int(timeout) * 10 - 30)...milliseconds(Int(timeout) * 10 + 2)).contains(end - last))
  }

  @Test(
    "Payloads arrive in order and once each with packet loss", arguments: [0, 20_000, 60_000] as [UInt32])
  func loss(rate: UInt32) throws {
    let (device, central) = try pair { $0.timeout = 3200 }
    medium.run(until: milliseconds(100))
    medium.trouble.loss = rate
    let down = (0..<60).map { [UInt8($0), 1, 2, 3] }
    central.queue = down.map { (2, $0) }
    var next = UInt8(0)
    device.told = { device, event in
      while next < 60, (try? device.send([next, 9, 8])) != nil { next += 1 }
    }
    while next < 3, (try? device.send([next, 9, 8])) != nil { next += 1 }
    #expect(throws: RadioError.busy) { try device.send([0, 0]) }
    medium.run(until: milliseconds(20_000))
    #expect(device.payloads.map(\.bytes) == down)
    #expect(device.payloads.allSatisfy { $0.isStart && $0.connection == 0 })
    #expect(central.got.map(\.payload) == (0..<60).map { [UInt8($0), 9, 8] })
    #expect(Transcript(medium).answers.allSatisfy { $0 == 0 })
  }

  @Test("Late operations cause missed events only")
  func lateness() throws {
    let (device, central) = try pair { $0.timeout = 3200 }
    medium.run(until: milliseconds(100))
    medium.trouble.lateness = 20_000
    medium.trouble.delay = 1000
    let down = (0..<60).map { [UInt8($0), 1, 2, 3] }
    central.queue = down.map { (2, $0) }
    medium.run(until: milliseconds(10_000))
    #expect(device.payloads.map(\.bytes) == down && device.events == [Self.opened])
    #expect(device.layer.counters.late > 50)
  }

  @Test("A packet with a wrong CRC determines the anchor point and is answered; two end the event")
  func damaged() throws {
    let (device, central) = try pair(deviation: 500, promised: 500) {
      $0.timeout = 3200
      $0.spoils = { event, number in event >= 10 && event < 300 && (number == 0 || event % 2 == 0) }
    }
    medium.run(until: milliseconds(10_000))
    #expect(device.events == [Self.opened])
    // With ±520 ppm and without anchor points the packets would leave the receive window after some events.
    #expect(Set(central.answered).isSuperset(of: (10..<310).filter { $0 % 2 == 1 }))
    #expect(Transcript(medium).answers.allSatisfy { $0 == 0 })
  }

  @Test("Two consecutive packets with a wrong CRC end the event")
  func twoDamaged() throws {
    let (_, central) = try pair {
      $0.timeout = 3200
      $0.spoils = { event, _ in event >= 10 }
    }
    central.before = { central, event in if event < 20 { central.queue = [(2, [1]), (2, [2]), (2, [3])] } }
    medium.run(until: milliseconds(300))
    let before = [0, 1].map { Transcript(medium).data($0).count }
    medium.run(until: milliseconds(600))
    let counts = [0, 1].map { Transcript(medium).data($0).count - before[$0] }
    // The first is answered, because more packets may follow; the second is not.
    #expect(counts == [10, 20])
  }

  @Test("Flow control delays the peer while the host takes no payloads, and no payload is lost")
  func backpressure() throws {
    let (device, central) = try pair { $0.timeout = 3200 }
    medium.run(until: milliseconds(100))
    device.isDeaf = true
    central.queue = (0..<20).map { (2, [UInt8($0)]) }
    medium.run(until: milliseconds(2000))
    #expect(device.payloads.isEmpty && device.events == [Self.opened])
    device.isDeaf = false
    device.drain()
    medium.run(until: milliseconds(4000))
    #expect(device.payloads.map(\.bytes) == (0..<20).map { [UInt8($0)] })
  }

  @Test("Payloads of maximum length, empty PDUs and the reserved LLID")
  func payloads() throws {
    let (device, central) = try pair()
    medium.run(until: milliseconds(100))
    let long = [UInt8](repeating: 0x5A, count: 27)
    central.queue = [(2, long), (1, long), (2, []), (0, [1, 2]), (1, [7])]
    medium.run(until: milliseconds(500))
    #expect(device.payloads.map(\.bytes) == [long, long, [7]])
    #expect(device.payloads.map(\.isStart) == [true, false, false])
  }

  @Test("Peripheral latency skips events only while no data is pending")
  func latency() throws {
    let (device, central) = try pair {
      $0.latency = 9
      $0.timeout = 400
    }
    medium.run(until: milliseconds(10_000))
    let quiet = central.answered.count
    #expect((30...40).contains(quiet) && device.events == [Self.opened])
    try device.send([1, 2, 3])
    // It is transmitted in the next event, not nine events later.
    medium.run(until: milliseconds(10_070))
    #expect(central.got.map(\.payload) == [[1, 2, 3]])
  }

  @Test("The event counter overflows")
  func wrap() throws {
    let (device, central) = try pair {
      $0.interval = 6
      $0.latency = 30
      $0.timeout = 100
    }
    medium.run(until: milliseconds(490_000))
    medium.forget()
    // Event 65,536 occurs after 491.5 s; an instant after it is indicated before it.
    central.update(interval: 12, ahead: 300)
    medium.run(until: milliseconds(500_000))
    #expect(central.event > 65_536 && device.events == [Self.opened])
    #expect(central.answered.suffix(50).count { $0 > 65_700 } > 20)
  }

  @Test(
    "A CONNECT_IND with invalid fields is ignored, and advertising continues",
    arguments: [
      // Access address of the advertising channels; window size 0; interval 5; latency 500; timeout 9; no
      // channel; hop 4; hop 17; a timeout shorter than the latency permits.
      "d6be898e 2c7f1b 02 0000 1800 0000 6400 ffffffff1f 07",
      "a35d6550 2c7f1b 00 0000 1800 0000 6400 ffffffff1f 07",
      "a35d6550 2c7f1b 02 0000 0500 0000 6400 ffffffff1f 07",
      "a35d6550 2c7f1b 02 0000 1800 f401 6400 ffffffff1f 07",
      "a35d6550 2c7f1b 02 0000 1800 0000 0900 ffffffff1f 07",
      "a35d6550 2c7f1b 02 0000 1800 0000 6400 00000000e0 07",
      "a35d6550 2c7f1b 02 0000 1800 0000 6400 ffffffff1f 04",
      "a35d6550 2c7f1b 02 0000 1800 0000 6400 ffffffff1f 11",
      "a35d6550 2c7f1b 02 0000 1800 1000 6400 ffffffff1f 07",
    ])
  func nonsense(fields: String) throws {
    let (device, _) = try pair { $0.fields = hexBytes(fields) }
    medium.run(until: milliseconds(500))
    #expect(device.events.isEmpty && device.layer.counters.requestsRefused == 1)
    #expect(Transcript(medium).advertising(0).count > 30)
  }

  @Test(
    "Directed advertising accepts a CONNECT_IND of its target only", arguments: [true, false])
  func directed(isForCentral: Bool) throws {
    let device = LinkLayerDevice(medium, 0)
    let central = ScriptedCentral(medium, 1)
    let own = DeviceAddress(high: 0xC605, low: 0x0403_0201, kind: .random)
    let other = DeviceAddress(high: 0xC605, low: 0x0403_0202, kind: .random)
    try device.advertise(.directed(to: isForCentral ? own : other, isHighDuty: false))
    central.connect()
    medium.run(until: milliseconds(500))
    #expect(device.events == (isForCentral ? [Self.opened] : []))
    #expect(device.layer.counters.requestsRefused == 0)
  }

  @Test("A device remains operational after CONNECT_IND PDUs with random fields")
  func randomRequests() throws {
    var random = SplitMix64(seed: 5)
    for round in 0..<100 {
      let medium = RadioMedium(seed: UInt64(round))
      let device = LinkLayerDevice(medium, 0)
      let central = ScriptedCentral(medium, 1)
      central.fields = (0..<22).map { _ in UInt8.random(in: 0...255, using: &random) }
      try device.advertise()
      central.connect()
      medium.run(until: milliseconds(300))
      if device.events.count == 1 { medium.run(until: milliseconds(40_000)) }
      #expect([0, 2].contains(device.events.count))
      if device.events.count == 2 { #expect(device.events == closed(0x3E)) }
    }
  }
}
