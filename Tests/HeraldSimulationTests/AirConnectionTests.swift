import HeraldBluetooth
import Testing

@testable import HeraldSimulation

@Suite("Connections on the air")
struct AirConnectionTests {
  @Test("A connection is made at the peer's advertisement, and both sides hear of it")
  func opened() throws {
    let air = AirHosts(2)
    try air.connect(0, to: 1)
    air.run(milliseconds: 2000)
    #expect(air[0].log.opened.isEmpty)
    try air.advertise(1, every: 20)
    air.run(milliseconds: 1000)
    let central = try #require(air[0].log.opened.first)
    let peripheral = try #require(air[1].log.opened.first)
    #expect(central.role == .central)
    #expect(central.peer == air.address(1))
    #expect(peripheral.role == .peripheral)
    #expect(peripheral.peer == air.address(0))
    #expect(air.air.connectionsMade == 1)
  }

  @Test("Nobody connects to what does not take connections, nor to another address")
  func notConnectable() throws {
    let air = AirHosts(3)
    try air.advertise(1, every: 20, connectable: false)
    try air.advertise(2, every: 20)
    try air.connect(0, to: 1)
    air.run(milliseconds: 2000)
    #expect(air[0].log.opened.isEmpty)
    air[0].radio.cancelConnect()
    air.run(milliseconds: 10)
    #expect(air[0].log.failed == [.cancelled])
  }

  @Test("An attempt that is given up for another while its request is on the air makes no connection")
  func givenUp() throws {
    let air = AirHosts(3)
    try air.advertise(1, every: 20)
    try air.connect(0, to: 1)
    while air.air.calls.isEmpty, air.air.now < 2_000_000 { air.run(microseconds: 50) }
    #expect(!air.air.calls.isEmpty)
    air[0].radio.cancelConnect()
    try air.connect(0, to: 2)
    air.run(milliseconds: 1000)
    #expect(air[0].log.opened.isEmpty && air[1].log.opened.isEmpty)
    try air.advertise(2, every: 20)
    air.run(milliseconds: 1000)
    #expect(air[0].log.opened.map(\.peer) == [air.address(2)])
    #expect(air[1].log.opened.isEmpty && air[2].log.opened.count == 1)
  }

  @Test("A request and its response take a connection interval each")
  func exchange() throws {
    let air = AirHosts(2)
    try air.connected()
    let connection = try #require(air[0].log.opened.first).connection
    let request: [UInt8] = [0x0A, 0x15, 0x00]
    air[1].log.answer = [0x0B, 1, 2, 3]
    try air[0].radio.send(request.span, on: connection)
    #expect(throws: RadioError.busy) { try air[0].radio.send(request.span, on: connection) }
    let start = air.air.now
    while air[0].log.pdus.isEmpty, air.air.now < start + 1_000_000 { air.run(milliseconds: 1) }
    #expect(air[1].log.pdus == [[0x0A, 0x15, 0x00]])
    #expect(air[0].log.pdus == [[0x0B, 1, 2, 3]])
    #expect(air.air.now - start > 15_000)
    #expect(air.air.now - start < 33_000)
    #expect(air[0].log.freed == 1)
    try air[0].radio.send(request.span, on: connection)
  }

  @Test("Both sides are told of the end, each with its own reason")
  func closed() throws {
    let air = AirHosts(2)
    try air.connected()
    air[0].radio.disconnect(try #require(air[0].log.opened.first).connection)
    air.run(milliseconds: 100)
    #expect(air[0].log.closed.map(\.reason.rawValue) == [0x16])
    #expect(air[1].log.closed.map(\.reason.rawValue) == [0x13])
    let connection = try #require(air[0].log.opened.first).connection
    let bytes: [UInt8] = [0x0A, 0x15, 0x00]
    #expect(throws: RadioError.notConnected) { try air[0].radio.send(bytes.span, on: connection) }
  }

  @Test("A peer that walks out of reach is gone after the supervision timeout of 4 s")
  func supervision() throws {
    let air = AirHosts(2)
    try air.connected()
    air.air.place(1, x: 500, y: 0)
    air.air.updateLinks()
    let start = air.air.now / 1000
    air.run(milliseconds: 3900)
    #expect(air[0].log.closed.isEmpty)
    air.run(milliseconds: 200)
    #expect(air[0].log.closed.map(\.reason.rawValue) == [0x08])
    #expect(air[1].log.closed.map(\.reason.rawValue) == [0x08])
    let moment = try #require(air[0].log.closed.first).at
    #expect(moment >= start + 3970 && moment <= start + 4031)
  }

  @Test(
    "HP-02 the air can keep the end of connections to itself; the host's own disconnecting is still confirmed"
  )
  func silence() throws {
    let air = AirHosts(2)
    air.air.reportsLostConnections = false
    try air.connected()
    let connection = try #require(air[0].log.opened.first).connection
    air.air.place(1, x: 500, y: 0)
    air.air.updateLinks()
    air.run(milliseconds: 20_000)
    #expect(air[0].log.closed.isEmpty)
    let bytes: [UInt8] = [0x0A, 0x15, 0x00]
    #expect(throws: RadioError.busy) { try air[0].radio.send(bytes.span, on: connection) }
    air[0].radio.disconnect(connection)
    air.run(milliseconds: 10)
    #expect(air[0].log.closed.map(\.reason.rawValue) == [0x16])
    #expect(air[1].log.closed.isEmpty)
  }

  @Test("Of requests sent at the same moment one is understood at most; the others were never connected")
  func contention() throws {
    let air = AirHosts(4)
    // Station 3 is the peer; the others wait for it together.
    for station in 0..<3 {
      try air.connect(station, to: 3)
      // One more stretch of time in which they all listen.
      try air.scan(station, 100, of: 100)
    }
    try air.advertise(3, every: 200)
    air.run(milliseconds: 2000)
    #expect(air.air.requestsLost > 0)
    #expect(air[3].log.opened.count == Int(air.air.connectionsMade))
    let unheard = (0..<3).flatMap { air[$0].log.closed }
    #expect(unheard.count == Int(air.air.requestsLost))
    #expect(unheard.allSatisfy { $0.reason.rawValue == 0x3E })
  }

  @Test("The RSSI of a peer can be measured on a connection")
  func strength() throws {
    let air = AirHosts(2, metres: 5)
    try air.connected()
    air[0].radio.readRSSI(try #require(air[0].log.opened.first).connection)
    air.run(milliseconds: 10)
    #expect(air[0].log.measured == [-71])
  }

  @Test("A radio holds as many connections as it has places")
  func places() throws {
    var one = AirRadio.usualCapabilities
    one.connections = 1
    let air = AirHosts(3, capabilities: one)
    try air.connected()
    #expect(throws: RadioError.busy) { try air.connect(0, to: 2) }
    try air.advertise(1, every: 20)
    try air.connect(2, to: 1)
    air.run(milliseconds: 1000)
    #expect(air[1].log.opened.count == 1)
  }
}
