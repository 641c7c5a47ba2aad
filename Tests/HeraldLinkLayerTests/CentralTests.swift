import HeraldBluetooth
import HeraldHAL
import HeraldSimulation
import TestInputs
import Testing

@testable import HeraldLinkLayer

@Suite("Central and multiple connections")
struct CentralTests {
  let medium = RadioMedium(seed: 8)

  /// Queues payloads with consecutive numbers as long as there is room.
  private final class Stream {
    var next = 0
    let end: Int
    init(_ end: Int) { self.end = end }
    func go(_ device: LinkLayerDevice, on connection: Int) {
      while next < end,
        (try? device.send([UInt8(next & 0xFF), UInt8(next >> 8), UInt8(connection)], on: connection)) != nil
      {
        next += 1
      }
    }
  }

  @Test(
    "A connection to an advertiser is created and maintained",
    arguments: [6, 24, 80, 800] as [UInt16])
  func connection(interval: UInt16) throws {
    let peripheral = LinkLayerDevice(medium, 0, deviation: 300, promised: 300)
    let central = LinkLayerDevice(medium, 1, deviation: -300, promised: 300)
    try peripheral.advertise()
    try central.connect(to: peripheral, interval: interval, timeout: 3200)
    #expect(throws: RadioError.busy) { try central.connect(to: peripheral) }
    medium.run(until: milliseconds(20_000))
    #expect(central.events == [.opened(connection: 0, role: .central, peer: peripheral.address)])
    #expect(peripheral.events == [.opened(connection: 0, role: .peripheral, peer: central.address)])
    let transcript = Transcript(medium)
    let events = transcript.data(1).count
    #expect(events >= 19_000 * 100 / 125 / Int(interval) && transcript.data(0).count == events)
    #expect(transcript.answers.allSatisfy { abs($0) <= 1000 })
    let request = try #require(transcript.advertising(1).first)
    #expect(try #require(connectRequest(request.pdu)).isValid)
  }

  @Test(
    "Payload transfer both ways with packet loss and lateness", arguments: [0, 30_000, 60_000] as [UInt32])
  func payloads(loss: UInt32) throws {
    let devices = [LinkLayerDevice(medium, 0), LinkLayerDevice(medium, 1)]
    try devices[0].advertise()
    try devices[1].connect(to: devices[0], interval: 12, timeout: 3200)
    medium.run(until: milliseconds(200))
    medium.trouble.loss = loss
    medium.trouble.lateness = loss == 0 ? 0 : 5000
    medium.trouble.delay = 500
    let streams = [Stream(200), Stream(200)]
    for (device, stream) in zip(devices, streams) {
      device.told = { device, _ in stream.go(device, on: 0) }
      stream.go(device, on: 0)
    }
    medium.run(until: milliseconds(30_000))
    let expected = (0..<200).map { [UInt8($0), 0, 0] }
    #expect(devices[0].payloads.map(\.bytes) == expected && devices[1].payloads.map(\.bytes) == expected)
    #expect(Transcript(medium).answers.allSatisfy { abs($0) <= 1000 })
  }

  @Test("Without packet loss each event transfers all queued payloads", arguments: [0, 1])
  func throughput(sender: Int) throws {
    let devices = [LinkLayerDevice(medium, 0), LinkLayerDevice(medium, 1)]
    try devices[0].advertise()
    try devices[1].connect(to: devices[0], interval: 24, timeout: 3200)
    medium.run(until: milliseconds(200))
    let stream = Stream(1000)
    devices[sender].told = { device, _ in stream.go(device, on: 0) }
    stream.go(devices[sender], on: 0)
    medium.run(until: milliseconds(200 + 3000))
    // 100 events with two payloads each; from a peripheral one, because its last payload is acknowledged in
    // the next event and occupies its place until then.
    #expect(devices[1 - sender].payloads.count >= (sender == 0 ? 99 : 195))
  }

  @Test("Initiating can be cancelled and ends with one event", arguments: 0..<40)
  func cancelling(delay: Int) throws {
    let peripheral = LinkLayerDevice(medium, 0)
    let central = LinkLayerDevice(medium, 1)
    try peripheral.advertise(every: 20)
    try central.connect(to: peripheral)
    medium.run(until: delay * 61_000)
    central.layer.cancelConnect()
    medium.callProcedures(of: 1)
    medium.run(until: milliseconds(2000))
    let opened = LinkLayerEvent.opened(connection: 0, role: .central, peer: peripheral.address)
    #expect(central.events == [.connectFailed(reason: .cancelled)] || central.events == [opened])
    #expect((central.events == [opened]) == (peripheral.events.count == 1))
    if central.events != [opened] {
      try central.connect(to: peripheral)
      medium.run(until: milliseconds(4000))
      #expect(central.events.last == opened)
    }
  }

  @Test("Either side can end a connection, and both hosts are notified", arguments: [0, 1])
  func end(side: Int) throws {
    let devices = [LinkLayerDevice(medium, 0), LinkLayerDevice(medium, 1)]
    try devices[0].advertise()
    try devices[1].connect(to: devices[0])
    medium.run(until: milliseconds(500))
    devices[side].layer.disconnect(0)
    medium.run(until: milliseconds(1000))
    #expect(devices[side].events.last == .closed(connection: 0, reason: .localHostTerminated))
    #expect(devices[1 - side].events.last == .closed(connection: 0, reason: .remoteUserTerminated))
  }

  @Test(
    "A central detects the loss of a peripheral before and after establishment", arguments: [true, false])
  func loss(isEstablished: Bool) throws {
    let devices = [LinkLayerDevice(medium, 0), LinkLayerDevice(medium, 1)]
    try devices[0].advertise()
    devices[1].told = { _, _ in if !isEstablished { medium.trouble.loss = 100_000 } }
    try devices[1].connect(to: devices[0])
    medium.run(until: milliseconds(500))
    medium.trouble.loss = 100_000
    medium.run(until: milliseconds(3000))
    let reason = isEstablished ? DisconnectReason.connectionTimeout : .failedToBeEstablished
    #expect(
      devices.map { $0.events.last } == [
        .closed(connection: 0, reason: reason), .closed(connection: 0, reason: reason),
      ])
  }

  @Test("A fifth connection is refused")
  func fifth() throws {
    let hub = LinkLayerDevice(medium, 0)
    let others = (1...5).map { LinkLayerDevice(medium, $0) }
    for (index, other) in others.enumerated() {
      try other.advertise()
      if index < 4 {
        try hub.connect(to: other, interval: 40, timeout: 400)
      } else {
        #expect(throws: RadioError.busy) { try hub.connect(to: other) }
        #expect(throws: RadioError.busy) { try hub.advertise() }
      }
      medium.run(until: milliseconds(1000 * (index + 1)))
    }
    #expect(hub.events.count == 4)
    // Non-connectable advertising remains possible.
    try hub.advertise(.nonConnectable, every: 100)
    medium.run(until: milliseconds(8000))
    #expect(Transcript(medium).advertising(0).count { $0.pdu[0] & 15 == 2 } > 60)
  }

  @Test("Anchor points of a central's connections are at least 3.75 ms apart")
  func anchors() throws {
    let hub = LinkLayerDevice(medium, 0)
    let others = (1...4).map { LinkLayerDevice(medium, $0) }
    for (index, other) in others.enumerated() {
      try other.advertise(every: 100)
      try hub.connect(to: other, interval: 24, timeout: 400)
      medium.run(until: milliseconds(1000 * (index + 1)))
    }
    #expect(hub.events.count == 4)
    medium.forget()
    medium.run(until: milliseconds(6000))
    var phases: [UInt32: Int] = [:]
    for packet in Transcript(medium).data(0) { phases[packet.accessAddress] = packet.start / 1000 % 30_000 }
    let sorted = phases.values.sorted()
    #expect(sorted.count == 4)
    let distances = zip(sorted, sorted.dropFirst() + [sorted[0] + 30_000]).map { $1 - $0 }
    #expect(distances.allSatisfy { $0 >= 3740 })
    // No event is skipped, except by the scanner, which has finished.
    #expect(hub.layer.counters.eventsSkipped <= 4 && hub.layer.counters.eventsSilent == 0)
  }

  @Test("The window offset is at most one connection interval, whatever the interval of other connections")
  func windowOffset() throws {
    let hub = LinkLayerDevice(medium, 0)
    let others = (1...4).map { LinkLayerDevice(medium, $0) }
    for (index, other) in others.enumerated() {
      try other.advertise(every: 100)
      // The interval of the first connection is far longer than those of the others.
      try hub.connect(to: other, interval: [800, 6, 7, 12][index], timeout: 400)
      medium.run(until: milliseconds(1000 * (index + 1)))
    }
    #expect(hub.events.count == 4)
    let requests = Transcript(medium).advertising(0).map(\.pdu).filter { $0[0] & 0x0F == 5 }
    for pdu in requests {
      let request = ConnectRequest(of: pdu.span)
      #expect(request.map { $0.times.windowOffset <= $0.times.interval } == true)
    }
    #expect(requests.count >= 4)
  }

  @Test("Four connections in mixed roles are maintained together with scanning and advertising")
  func everything() throws {
    // The hub is the central of two connections and the peripheral of two, whose clocks drift across those of
    // its own connections.
    let hub = LinkLayerDevice(medium, 0, deviation: 20, promised: 50)
    let others = (1...4).map {
      LinkLayerDevice(medium, $0, deviation: [-40, 35, -50, 50][$0 - 1], promised: 50)
    }
    let beacon = LinkLayerDevice(medium, 5, deviation: 10)
    let listener = LinkLayerDevice(medium, 6)
    try beacon.advertise(.scannable, every: 100, data: [2, 1, 6], response: [2, 10, 0])
    // Two packets that begin at the same time would not be distinguishable.
    medium.run(until: milliseconds(2))
    for (index, other) in others.enumerated() {
      if index < 2 {
        try other.advertise()
        try hub.connect(to: other, interval: 24, timeout: 200)
      } else {
        try hub.advertise()
        try other.connect(to: hub, interval: index == 2 ? 24 : 40, timeout: 200)
      }
      medium.run(until: milliseconds(1000 * (index + 1)))
    }
    #expect(hub.events.count == 4)
    try hub.scan(active: true)
    try hub.advertise(.nonConnectable, every: 100, data: [2, 1, 4])
    try listener.scan()
    medium.trouble.loss = 5000
    medium.trouble.delay = 300
    medium.trouble.lateness = 500
    let streams = (0..<4).map { _ in Stream(.max) }
    hub.told = { device, event in
      if case .ready(let connection) = event { streams[connection].go(device, on: connection) }
    }
    for connection in 0..<4 { streams[connection].go(hub, on: connection) }
    for _ in 0..<6 {
      medium.run(until: medium.time + milliseconds(10_000))
      _ = Transcript(medium)
    }
    let devices = [hub] + others
    #expect(
      devices.map { $0.events.filter { if case .closed = $0 { true } else { false } }.count } == [
        0, 0, 0, 0, 0,
      ])
    // 2,000 events of 30 ms in a minute, and 1,200 of 50 ms; each carries at least one payload.
    let received = others.map { $0.payloads.count }
    #expect(received.allSatisfy { $0 > 900 }, "\(received)")
    // Of 570 advertising events of the beacon many are received and answered.
    #expect(hub.reports.filter { $0.kind == .scannable }.count > 150)
    #expect(hub.reports.filter { $0.kind == .scanResponse }.count > 50)
    // Of 570 own advertising events.
    #expect(listener.reports.filter { $0.address == hub.address }.count > 250)
    #expect(Transcript(medium).dataAnswers.allSatisfy { abs($0) <= 1000 })
  }

  @Test("Connections that collide for seconds alternate, and both are maintained")
  func collision() throws {
    // Two independent centrals with the same interval of 10 ms: one clock is 500 ppm fast, so that the anchor
    // points coincide every 20 s and are too close to each other for 5 s.
    let hub = LinkLayerDevice(medium, 0)
    let centrals = [ScriptedCentral(medium, 1), ScriptedCentral(medium, 2, deviation: 500)]
    centrals[1].accessAddress = 0x14B7_03C4
    for (index, central) in centrals.enumerated() {
      central.interval = 8
      central.timeout = 300
      try hub.advertise()
      central.connect()
      medium.run(until: milliseconds(1000 * (index + 1)))
    }
    medium.run(until: milliseconds(44_000))
    #expect(hub.events.count == 2 && hub.layer.counters.eventsSkipped > 500)
    for central in centrals {
      let events = Array(Set(central.answered)).sorted()
      let longest = zip(events, events.dropFirst()).map { $1 - $0 }.max() ?? 0
      // At least every second event during the collisions; 150 would be half of the supervision timeout.
      #expect(longest <= 4, "\(longest)")
      #expect(central.event - (events.last ?? 0) <= 4)
    }
  }

  @Test("Advertising continues during connections without gaps")
  func advertisingAmongConnections() throws {
    let hub = LinkLayerDevice(medium, 0)
    let others = (1...3).map { LinkLayerDevice(medium, $0) }
    for (index, other) in others.enumerated() {
      try other.advertise()
      try hub.connect(to: other, interval: 9, timeout: 200)
      medium.run(until: milliseconds(1000 * (index + 1)))
    }
    #expect(hub.events.count == 3)
    let before = medium.time
    try hub.advertise(.nonConnectable, every: 100)
    medium.run(until: milliseconds(13_000))
    let starts = medium.transmissions.filter { $0.device == 0 && $0.channel == 37 && $0.start > before }.map(
      \.start)
    #expect(starts.count > 55 && zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 < milliseconds(200) })
    #expect(hub.events.count == 3 && others.allSatisfy { $0.events.count == 1 })
  }

  @Test("Counters have names, and discarded reports are counted")
  func counters() throws {
    typealias Layer = LinkLayer<MediumRadio, 4>
    let names = (0..<Layer.statisticsCount).map { Layer.statisticName($0).description }
    #expect(names == ["late", "reports_dropped", "requests_refused", "events_silent", "events_skipped"])
    #expect(Layer.statisticName(5).description.isEmpty)
    let device = LinkLayerDevice(medium, 0)
    let counted: [(LinkLayerCounter, [UInt32])] = [
      (.late, [1, 2, 3, 4, 5]), (.lost, [6, 7, 8, 9, 10]), (.skipped, [11, 12, 13, 14, 15]),
    ]
    for (counter, values) in counted {
      for (role, value) in zip(LinkLayerRole.allCases, values) {
        device.layer.counters[counter, role] = value
      }
    }
    #expect((-1...5).map { device.layer.statistic($0) } == [0, 15, 7, 6, 19, 29, 0])
  }
}
