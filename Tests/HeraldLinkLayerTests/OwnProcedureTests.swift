import HeraldBluetooth
import HeraldHAL
import HeraldLinkLayer
import HeraldSimulation
import TestInputs
import Testing

/// Control procedures that this device starts, and filter policies.
@Suite("Procedures of this device")
struct OwnProcedureTests {
  let medium = RadioMedium(seed: 9)

  /// A peripheral and a connected central, both link layers.
  private func pair(interval: UInt16 = 24, latency: UInt16 = 0) throws -> (LinkLayerDevice, LinkLayerDevice) {
    let peripheral = LinkLayerDevice(medium, 0)
    let central = LinkLayerDevice(medium, 1)
    try peripheral.advertise()
    try central.connect(to: peripheral, interval: interval, timeout: 3200)
    medium.run(until: milliseconds(500))
    #expect(central.events.count == 1 && peripheral.events.count == 1)
    return (peripheral, central)
  }

  /// The payloads of the control PDUs that a device transmitted, each once.
  private func controls(of device: Int) -> [[UInt8]] {
    var found: [[UInt8]] = []
    for packet in Transcript(medium).data(device) where packet.pdu[0] & 3 == 3 {
      let payload = Array(packet.pdu[2...])
      if found.last != payload { found.append(payload) }
    }
    return found
  }

  @Test("Feature exchange")
  func features() throws {
    let (peripheral, central) = try pair()
    try central.layer.readFeatures(0)
    #expect(throws: RadioError.busy) { try central.layer.readFeatures(0) }
    #expect(throws: RadioError.unsupported) { try peripheral.layer.readFeatures(0) }
    #expect(throws: RadioError.notConnected) { try central.layer.readFeatures(1) }
    medium.run(until: milliseconds(700))
    #expect(central.layer.takeResult() == .features(connection: 0, status: 0, features: 0))
    #expect(central.layer.takeResult() == nil)
    #expect(controls(of: 1) == [hexBytes("08 0000000000000000")])
    #expect(controls(of: 0) == [hexBytes("09 0000000000000000")])
    // From then on both sides know them.
    for device in [central, peripheral] {
      try device.layer.readFeatures(0)
      #expect(device.layer.takeResult() == .features(connection: 0, status: 0, features: 0))
    }
    #expect(controls(of: 1).count == 1)
  }

  @Test("FeatureSet of the central is reported as it was received")
  func centralFeatures() throws {
    let device = LinkLayerDevice(medium, 0)
    let central = ScriptedCentral(medium, 1)
    try device.advertise()
    central.connect()
    medium.run(until: milliseconds(300))
    #expect(throws: RadioError.unsupported) { try device.layer.readFeatures(0) }
    central.queue = [(3, hexBytes("08 0123456789abcdef"))]
    medium.run(until: milliseconds(500))
    try device.layer.readFeatures(0)
    #expect(
      device.layer.takeResult() == .features(connection: 0, status: 0, features: 0xEFCD_AB89_6745_2301))
  }

  @Test("Version exchange from either side; LL_VERSION_IND is transmitted once")
  func version() throws {
    let (peripheral, central) = try pair()
    let version = LinkLayerVersion(number: 6, company: 0xFFFF, subversion: 1)
    try peripheral.layer.readVersion(0)
    medium.run(until: milliseconds(700))
    #expect(peripheral.layer.takeResult() == .version(connection: 0, version))
    #expect(central.layer.takeResult() == nil)
    for device in [central, peripheral] {
      try device.layer.readVersion(0)
      medium.run(until: medium.time + milliseconds(200))
      #expect(device.layer.takeResult() == .version(connection: 0, version))
    }
    #expect(controls(of: 0) == [hexBytes("0c 06 ffff 0100")])
    #expect(controls(of: 1) == [hexBytes("0c 06 ffff 0100")])
  }

  @Test("Version exchange from both sides at the same time")
  func bothVersions() throws {
    let (peripheral, central) = try pair()
    try peripheral.layer.readVersion(0)
    try central.layer.readVersion(0)
    medium.run(until: milliseconds(700))
    for device in [central, peripheral] {
      #expect(
        device.layer.takeResult()
          == .version(connection: 0, LinkLayerVersion(number: 6, company: 0xFFFF, subversion: 1)))
    }
    #expect(controls(of: 0).count == 1 && controls(of: 1).count == 1)
  }

  @Test(
    "Connection update takes effect on both sides",
    arguments: [(6, 0, 100), (100, 0, 3200), (40, 4, 600), (3200, 0, 3200)] as [(UInt16, UInt16, UInt16)],
    [0, 30_000] as [UInt32])
  func update(_ parameters: (UInt16, UInt16, UInt16), loss: UInt32) throws {
    let (interval, latency, timeout) = parameters
    let (peripheral, central) = try pair()
    medium.trouble.loss = loss
    try central.layer.update(0, interval: interval, latency: latency, timeout: timeout)
    #expect(throws: RadioError.busy) {
      try central.layer.update(0, interval: 6, latency: 0, timeout: 100)
    }
    medium.run(until: medium.time + milliseconds(1500))
    let updated = LinkLayerResult.updated(
      connection: 0, interval: interval, latency: latency, timeout: timeout)
    #expect(central.layer.takeResult() == updated && peripheral.layer.takeResult() == updated)
    #expect(central.layer.takeResult() == nil && peripheral.layer.takeResult() == nil)
    medium.trouble.loss = 0
    let before = medium.time
    medium.run(until: before + milliseconds(20_000))
    #expect(central.events.count == 1 && peripheral.events.count == 1)
    let events = Transcript(medium).data(1).filter { $0.start > before }.count
    #expect(abs(events - 16_000 / Int(interval)) <= 2)
  }

  @Test("Invalid connection updates are refused, and one that changes nothing is reported to its host only")
  func refusedUpdates() throws {
    let (peripheral, central) = try pair()
    for (interval, latency, timeout) in [
      (5, 0, 100), (3201, 0, 3200), (6, 500, 3200), (6, 0, 9), (6, 0, 3201), (400, 4, 100), (8, 99, 200),
    ] as [(UInt16, UInt16, UInt16)] {
      #expect(throws: RadioError.invalidParameter) {
        try central.layer.update(0, interval: interval, latency: latency, timeout: timeout)
      }
    }
    #expect(throws: RadioError.unsupported) {
      try peripheral.layer.update(0, interval: 24, latency: 0, timeout: 3200)
    }
    try central.layer.update(0, interval: 24, latency: 0, timeout: 3200)
    medium.run(until: medium.time + milliseconds(1000))
    #expect(
      central.layer.takeResult() == .updated(connection: 0, interval: 24, latency: 0, timeout: 3200))
    #expect(peripheral.layer.takeResult() == nil)
    #expect(
      controls(of: 1).map { Array($0.prefix(10)) } == [hexBytes("00 01 0000 1800 0000 800c")])
  }

  @Test("Channel map update of existing and future connections", arguments: [0x1F, 0x1F_0000_0000, 0x11])
  func channelMap(map: UInt64) throws {
    let (peripheral, central) = try pair()
    let channels = ChannelMap(low: UInt32(truncatingIfNeeded: map), high: UInt8(map >> 32))
    try central.layer.use(channels)
    medium.run(until: medium.time + milliseconds(1000))
    let before = medium.time
    medium.run(until: before + milliseconds(5000))
    let used = Transcript(medium).data(1).filter { $0.start > before }
    #expect(used.count > 150 && used.allSatisfy { channels.contains($0.channel) })
    #expect(Transcript(medium).data(0).filter { $0.start > before }.count == used.count)
    let first = try #require(controls(of: 1).first)
    #expect(
      first.count == 8 && first[0] == 1 && first[1] == UInt8(map & 0xFF) && first[5] == UInt8(map >> 32))
    let third = LinkLayerDevice(medium, 2)
    try third.advertise()
    try central.connect(to: third)
    medium.run(until: medium.time + milliseconds(1000))
    #expect(third.events.count == 1)
    let request = try #require(Transcript(medium).advertising(1).last)
    #expect(try #require(connectRequest(request.pdu)).channels == channels)
    #expect(peripheral.events.count == 1)
    #expect(throws: RadioError.invalidParameter) { try central.layer.use(ChannelMap(low: 1, high: 0)) }
  }

  @Test("Procedures started at the same time are executed one after the other")
  func sequence() throws {
    let (_, central) = try pair(interval: 12)
    try central.layer.use(ChannelMap(low: 0xFFFF, high: 0))
    try central.layer.update(0, interval: 16, latency: 0, timeout: 200)
    try central.layer.readFeatures(0)
    try central.layer.readVersion(0)
    medium.run(until: medium.time + milliseconds(1500))
    #expect(controls(of: 1).map { $0[0] } == [0x00, 0x0C, 0x08, 0x01])
    var results = 0
    while central.layer.takeResult() != nil { results += 1 }
    #expect(results == 3)
  }

  @Test("A peer that does not respond loses the connection after 40 s")
  func timeout() throws {
    let device = LinkLayerDevice(medium, 0)
    let central = ScriptedCentral(medium, 1)
    central.timeout = 3200
    try device.advertise()
    central.connect()
    medium.run(until: milliseconds(300))
    try device.layer.readVersion(0)
    medium.run(until: milliseconds(40_200))
    #expect(device.events.count == 1)
    medium.run(until: milliseconds(40_500))
    #expect(device.events.last == .closed(connection: 0, reason: DisconnectReason(rawValue: 0x22)))
    #expect(device.layer.takeResult() == nil)
  }

  @Test("A refused version exchange is reported; other responses are ignored")
  func refusal() throws {
    let device = LinkLayerDevice(medium, 0)
    let central = ScriptedCentral(medium, 1)
    central.timeout = 3200
    try device.advertise()
    central.connect()
    medium.run(until: milliseconds(300))
    central.queue = [(3, hexBytes("07 0c")), (3, hexBytes("09 0102030405060708")), (3, hexBytes("0d 1a"))]
    medium.run(until: milliseconds(600))
    #expect(device.layer.takeResult() == nil)
    try device.layer.readVersion(0)
    medium.run(until: milliseconds(700))
    central.queue = [(3, hexBytes("07 08")), (3, hexBytes("07 0c"))]
    medium.run(until: milliseconds(1000))
    let none = LinkLayerVersion(number: 0, company: 0, subversion: 0)
    #expect(device.layer.takeResult() == .version(connection: 0, none))
    medium.run(until: milliseconds(60_000))
    #expect(device.events.count == 1)
  }

  @Test("The reason of a disconnection is transmitted")
  func reason() throws {
    let (peripheral, central) = try pair()
    central.layer.disconnect(0, reason: DisconnectReason(rawValue: 0x15))
    medium.run(until: milliseconds(700))
    #expect(peripheral.events.last == .closed(connection: 0, reason: DisconnectReason(rawValue: 0x15)))
    #expect(central.events.last == .closed(connection: 0, reason: .localHostTerminated))
  }
}
