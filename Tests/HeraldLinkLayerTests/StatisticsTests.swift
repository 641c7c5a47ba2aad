import HeraldBluetooth
import HeraldHAL
import HeraldSimulation
import TestInputs
import Testing

@testable import HeraldLinkLayer

extension LinkLayerRole {
  static var allCases: [LinkLayerRole] { (0..<5).compactMap { LinkLayerRole(rawValue: $0) } }
}

extension LinkLayerCounter {
  static var allCases: [LinkLayerCounter] { (0..<8).compactMap { LinkLayerCounter(rawValue: $0) } }
}

@Suite("Counters of roles")
struct StatisticsTests {
  let medium = RadioMedium(seed: 31)

  /// The four times of a role in microseconds: receiving, transmitting, ramp-up, crystal; and its events.
  private struct Use: Equatable {
    var receiving: UInt64 = 0
    var transmitting: UInt64 = 0
    var ramping: UInt64 = 0
    var crystal: UInt64 = 0
    var events: UInt32 = 0

    static func - (left: Use, right: Use) -> Use {
      Use(
        receiving: left.receiving - right.receiving, transmitting: left.transmitting - right.transmitting,
        ramping: left.ramping - right.ramping, crystal: left.crystal - right.crystal,
        events: left.events - right.events)
    }
  }

  private func use(_ device: LinkLayerDevice, _ role: LinkLayerRole) -> Use {
    let counters = device.layer.counters
    return Use(
      receiving: counters.microseconds(.receiving, role),
      transmitting: counters.microseconds(.transmitting, role),
      ramping: counters.microseconds(.ramping, role), crystal: counters.microseconds(.crystal, role),
      events: counters[.events, role])
  }

  @Test("An advertising event on three channels without an answer")
  func advertisingEvent() throws {
    let device = LinkLayerDevice(medium, 0)
    // 6 bytes of address and 31 of data: 47 bytes on the air.
    try device.advertise(every: 100, data: [30, 0xFF] + [UInt8](repeating: 7, count: 29))
    medium.run(until: milliseconds(50))
    // Listening for 45 µs on each channel, 150 µs after the packet, and 250 µs to the next channel. The
    // crystal is started 350 µs before the packet, as the event begins at once.
    #expect(
      use(device, .advertiser)
        == Use(receiving: 3 * 45, transmitting: 3 * 376, ramping: 3 * 278, crystal: 2563, events: 1))
    let before = use(device, .advertiser)
    medium.run(until: milliseconds(150))
    // It is started 200 µs and 600 µs before the packet.
    #expect(
      use(device, .advertiser) - before
        == Use(receiving: 3 * 45, transmitting: 3 * 376, ramping: 3 * 278, crystal: 3013, events: 1))
    for role in LinkLayerRole.allCases where role != .advertiser { #expect(use(device, role) == Use()) }
  }

  @Test("A non-connectable advertising event receives nothing")
  func nonConnectable() throws {
    let device = LinkLayerDevice(medium, 0)
    try device.advertise(.nonConnectable, every: 100, data: [2, 1, 6])
    medium.run(until: milliseconds(50))
    // 19 bytes on the air.
    #expect(
      use(device, .advertiser)
        == Use(receiving: 0, transmitting: 3 * 152, ramping: 3 * 140, crystal: 350 + 956, events: 1))
  }

  @Test("Scan windows of 30 ms")
  func scanWindows() throws {
    let device = LinkLayerDevice(medium, 0)
    try device.scan(every: 100, for: 30)
    medium.run(until: milliseconds(300))
    let before = use(device, .scanner)
    medium.run(until: milliseconds(1300))
    #expect(
      use(device, .scanner) - before
        == Use(receiving: 300_000, transmitting: 0, ramping: 10 * 138, crystal: 308_000, events: 10))
    for role in LinkLayerRole.allCases where role != .scanner { #expect(use(device, role) == Use()) }
  }

  @Test("A scan window that is interrupted counts until then")
  func interrupted() throws {
    let device = LinkLayerDevice(medium, 0)
    try device.scan(every: 10_000, for: 10_000)
    medium.run(until: milliseconds(20))
    try device.advertise(.nonConnectable, every: 10_000, data: [])
    // The first scan began after 350 µs; the second is in progress.
    #expect(
      use(device, .scanner)
        == Use(receiving: 19_650, transmitting: 0, ramping: 138, crystal: 20_000, events: 1)
    )
  }

  @Test("An active scanner transmits requests and receives responses")
  func activeScan() throws {
    let device = LinkLayerDevice(medium, 0)
    let beacon = LinkLayerDevice(medium, 1)
    try device.scan(active: true, every: 30, for: 30)
    try beacon.advertise(.scannable, every: 1000, data: [2, 1, 6], response: [2, 10, 0])
    medium.run(until: milliseconds(500))
    #expect(device.reports.map(\.kind) == [.scannable, .scanResponse])
    // SCAN_REQ has 22 bytes on the air. SCAN_RSP has 19.
    #expect(use(device, .scanner).transmitting == 176)
    #expect(use(beacon, .advertiser).transmitting == 3 * 152 + 152)
  }

  /// Central and peripheral with an interval of 30 ms, 1 s after the CONNECT_IND.
  private func pair() throws -> (central: LinkLayerDevice, peripheral: LinkLayerDevice) {
    let central = LinkLayerDevice(medium, 0)
    let peripheral = LinkLayerDevice(medium, 1)
    try peripheral.advertise()
    try central.connect(to: peripheral, interval: 24, timeout: 100)
    medium.run(until: milliseconds(1000))
    return (central, peripheral)
  }

  @Test("Connection events of one exchange of empty packets")
  func connectionEvents() throws {
    let (central, peripheral) = try pair()
    #expect(central.events.count == 1 && peripheral.events.count == 1)
    // CONNECT_IND has 44 bytes on the air.
    #expect(use(central, .initiator).transmitting == 352)
    #expect(central.layer.counters[.lost, .initiator] == 0)
    let before = (use(central, .central), use(peripheral, .peripheral))
    medium.run(until: milliseconds(1300))
    // An empty packet has 10 bytes. The central's event lasts 310 µs.
    #expect(
      use(central, .central) - before.0
        == Use(receiving: 800, transmitting: 800, ramping: 10 * 278, crystal: 10 * (800 + 310), events: 10))
    // The peripheral listens 17 µs earlier: 1 µs for 40 ppm of 30 ms, and 16 µs.
    #expect(
      use(peripheral, .peripheral) - before.1
        == Use(receiving: 970, transmitting: 800, ramping: 10 * 278, crystal: 10 * (800 + 327), events: 10))
    #expect(use(central, .scanner) == Use() && use(central, .peripheral) == Use())
    #expect(use(peripheral, .central) == Use() && use(peripheral, .initiator) == Use())
  }

  @Test("A connection event without a packet is lost, and so is a connection that is not established")
  func lost() throws {
    let (central, peripheral) = try pair()
    #expect(central.layer.counters[.lost, .central] == 0)
    medium.trouble.loss = 100_000
    medium.run(until: milliseconds(1300))
    #expect(central.layer.counters[.lost, .central] == 10)
    #expect(peripheral.layer.counters[.lost, .peripheral] == 10)
    #expect(central.layer.counters.eventsSilent == 10)
    medium.run(until: milliseconds(4000))
    #expect(central.events.count == 2 && peripheral.events.count == 2)
    medium.trouble.loss = 0
    try peripheral.advertise()
    try central.connect(to: peripheral, interval: 24, timeout: 100)
    central.told = { device, event in
      if case .opened = event { medium.trouble.loss = 100_000 }
    }
    medium.run(until: milliseconds(5000))
    #expect(central.events.last == .closed(connection: 0, reason: .failedToBeEstablished))
    #expect(central.layer.counters[.lost, .initiator] == 1)
  }

  @Test("Operations that are too late count for their role")
  func late() throws {
    let device = LinkLayerDevice(medium, 0)
    medium.trouble.lateness = 100_000
    try device.advertise(.nonConnectable, every: 100)
    medium.run(until: milliseconds(50))
    // An event and its repetition.
    #expect(device.layer.counters[.late, .advertiser] == 2 && device.layer.counters.late == 2)
    #expect(use(device, .advertiser).events == 2 && use(device, .advertiser).transmitting == 0)
    device.layer.stopAdvertising()
    try device.scan()
    medium.run(until: milliseconds(51))
    #expect(device.layer.counters[.late, .scanner] >= 1 && device.layer.counters[.late, .advertiser] == 2)
  }

  /// The role in which a device transmitted a packet. `asCentral` are the access addresses of its connections
  /// as central.
  private func role(_ sent: RadioMedium.Transmission, asCentral: Set<UInt32>) -> LinkLayerRole {
    guard sent.channel > 36 else { return asCentral.contains(sent.accessAddress) ? .central : .peripheral }
    switch sent.pdu[0] & 15 {
    case 3: return .scanner
    case 5: return .initiator
    default: return .advertiser
    }
  }

  @Test(
    "In all roles at once, with errors, the times are those of the packets, and within those of the crystal",
    arguments: [1, 2, 3] as [UInt64])
  func everything(seed: UInt64) throws {
    let medium = RadioMedium(seed: seed)
    let hub = LinkLayerDevice(medium, 0, promised: 50)
    let others = (1...4).map {
      LinkLayerDevice(medium, $0, deviation: [-40, 35, -50, 50][$0 - 1], promised: 50)
    }
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
    let requests = medium.transmissions.filter { $0.device == 0 && $0.channel > 36 && $0.pdu[0] & 15 == 5 }
    let asCentral = Set(requests.compactMap { ConnectRequest(of: $0.pdu.span)?.accessAddress.rawValue })
    #expect(hub.events.count == 4 && asCentral.count == 2)
    try hub.scan(active: true)
    try hub.advertise(.nonConnectable, every: 100, data: [2, 1, 4])
    let beacon = LinkLayerDevice(medium, 5, deviation: 10)
    try beacon.advertise(.scannable, every: 100, data: [2, 1, 6], response: [2, 10, 0])
    medium.trouble.loss = 5000
    medium.trouble.delay = 300
    medium.trouble.lateness = 500
    medium.run(until: milliseconds(20_000))
    // No event is in progress at the end.
    hub.layer.stopAdvertising()
    hub.layer.stopScanning()
    medium.trouble = RadioMedium.Trouble()
    for connection in 0..<4 { hub.layer.disconnect(connection) }
    medium.run(until: milliseconds(24_000))
    #expect(hub.events.count { if case .closed = $0 { true } else { false } } == 4)

    var transmitted: [LinkLayerRole: UInt64] = [:]
    for sent in medium.transmissions where sent.device == 0 {
      transmitted[role(sent, asCentral: asCentral), default: 0] += UInt64(sent.end - sent.start) / 1000
    }
    var crystal: UInt64 = 0
    for role in LinkLayerRole.allCases {
      let use = use(hub, role)
      #expect(use.transmitting == transmitted[role], "\(role)")
      #expect(use.events > 0 && use.receiving + use.transmitting + use.ramping <= use.crystal, "\(role)")
      crystal += use.crystal
    }
    #expect(crystal <= UInt64(medium.time / 1000))
    #expect(hub.layer.counters.late > 0 && hub.layer.counters.eventsSkipped > 0)
  }

  @Test("Times are milliseconds without a loss of microseconds")
  func sums() {
    var counters = LinkLayerCounters()
    for _ in 0..<7 { counters.add(999, to: .crystal, .central) }
    #expect(counters[.crystal, .central] == 6 && counters.microseconds(.crystal, .central) == 6993)
    counters.add(.max - 993, to: .crystal, .central)
    #expect(counters.microseconds(.crystal, .central) == 4_294_973_295)
    #expect(counters[.crystal, .central] == 4_294_973 && counters[.crystal, .peripheral] == 0)
  }
}
