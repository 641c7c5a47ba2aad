import HeraldBluetooth
import HeraldHAL
import Testing

@testable import HeraldHCI

@Suite("Connections")
struct ConnectionTests {
  let peer = random("c1:02:03:04:05:06")
  let parameters = ConnectionParameters(ownAddress: .zero)
  /// LE Connection Complete of the peer above, as central.
  static let complete = "043e1301 00 0100 00 01 0605040302c1 1800 0000 9001 00"
  static let create = "010d2019600030000001" + "0605040302c1" + "00" + "0c000c00000090010000" + "0000"
  static let cancelled = "043e1301 02 0000 00 00 000000000000 0000 0000 0000 00"

  @Test("A connection of our own: created, opened, its packets lengthened")
  func central() throws {
    var bench = Bench.ready()
    try bench.radio.connect(to: peer, parameters)
    #expect(bench.answerAll() == [Self.create])
    #expect(bench.refusal { radio throws(RadioError) in try radio.connect(to: peer, parameters) } == .busy)
    bench.arrive(Self.complete)
    #expect(bench.events() == [.opened(0, .central, "c1:02:03:04:05:06")])
    #expect(bench.radio.session.support.canSetDataLength)
    #expect(bench.answerAll() == ["012220060100fb004808"])
  }

  @Test("A connection of a peer's; advertising goes on with what room there is")
  func peripheral() throws {
    var bench = Bench.ready()
    let advertising = AdvertisingParameters(
      ownAddress: .zero, interval: .milliseconds(250), connectable: true)
    try bench.advertise(advertising, [], [])
    _ = bench.answerAll()
    for place in 0..<3 {
      bench.arrive("043e1301 00 0\(place)00 01 00 06050403020\(place) 1800 0000 9001 00")
      #expect(bench.events() == [.opened(place, .peripheral, "0\(place):02:03:04:05:06p")])
      let commands = bench.answerAll()
      // The third takes the last place: from then on nobody could connect.
      #expect(commands.contains { $0.hasPrefix("0106200f") } == (place == 2))
      #expect(commands.last == "010a200101")
    }
    #expect(bench.radio.session.advertising.type == .scannable)
    #expect(bench.refusal { radio throws(RadioError) in try radio.connect(to: peer, parameters) } == .busy)
    // One more is turned away.
    bench.arrive("043e1301 00 0900 01 00 060504030209 1800 0000 9001 00")
    #expect(bench.events() == [])
    #expect(bench.answerAll().first == "01060403090014")
    #expect(bench.radio.counters[.connectionsRefused] == 1)
    // A place becomes free: connectable again.
    bench.arrive("04050400010013")
    #expect(bench.events() == [.closed(1, 0x13)])
    _ = bench.answerAll()
    #expect(bench.radio.session.advertising.type == .connectable)
  }

  @Test("HP-10 Cancelled before the command left, it ends at the next poll")
  func cancelEarly() throws {
    var bench = Bench.ready()
    try bench.radio.startScanning(
      ScanParameters(
        ownAddress: .zero, interval: .milliseconds(100), window: .milliseconds(50), active: false))
    try bench.radio.connect(to: peer, parameters)  // the scan's command is under way
    bench.radio.cancelConnect()
    bench.poll()
    #expect(bench.events() == [.failed(0x02)])
    #expect(!bench.answerAll().contains(Self.create))
  }

  @Test("HP-10 Cancelled in time, it ends with the controller's word")
  func cancel() throws {
    var bench = Bench.ready()
    try bench.radio.connect(to: peer, parameters)
    _ = bench.answerAll()
    bench.radio.cancelConnect()
    #expect(bench.sent() == ["010e2000"])
    bench.arrive("040e04010e2000")
    #expect(bench.events() == [])
    #expect(bench.deadline == bench.now + .seconds(2))
    bench.arrive(Self.cancelled)
    #expect(bench.events() == [.failed(0x02)])
    #expect(bench.deadline == .never)
    try bench.radio.connect(to: peer, parameters)
    #expect(bench.answerAll() == [Self.create])
  }

  @Test("Cancelled too late, it is open")
  func race() throws {
    var bench = Bench.ready()
    try bench.radio.connect(to: peer, parameters)
    _ = bench.answerAll()
    bench.radio.cancelConnect()
    #expect(bench.sent() == ["010e2000"])
    bench.arrive(Self.complete + "040e04010e200c")
    #expect(bench.events() == [.opened(0, .central, "c1:02:03:04:05:06")])
  }

  @Test("A cancelled attempt that never ends is a failure of the controller")
  func cancelUnanswered() throws {
    var bench = Bench.ready()
    try bench.radio.connect(to: peer, parameters)
    _ = bench.answerAll()
    bench.radio.cancelConnect()
    bench.arrive("040e04010e2000")
    bench.wait(2000)
    #expect(bench.events() == [.changed(.failed), .changed(.starting)])
  }

  @Test("Refused or failed, the attempt ends with the reason")
  func refused() throws {
    var bench = Bench.ready()
    try bench.radio.connect(to: peer, parameters)
    bench.arrive("040f0409010d20")
    #expect(bench.events() == [.failed(0x09)])
    try bench.radio.connect(to: peer, parameters)
    _ = bench.answerAll()
    bench.arrive("043e1301 3e 0000 00 01 0605040302c1 0000 0000 0000 00")
    #expect(bench.events() == [.failed(0x3E)])
  }

  @Test("A new address takes an attempt out of the way and makes it again")
  func rotation() throws {
    var bench = Bench.ready()
    let own = random("c6:05:04:03:02:01")
    try bench.radio.connect(to: peer, ConnectionParameters(ownAddress: own))
    let random = Self.create.replacing("0605040302c100", with: "0605040302c101")
    #expect(bench.answerAll() == ["010520060102030405c6", random])
    let next = AdvertisingParameters(
      ownAddress: DeviceAddress(high: 0xC705, low: 0x0403_0201, kind: .random), interval: .milliseconds(250),
      connectable: true)
    try bench.advertise(next, [], [])
    #expect(bench.answerAll() == ["010e2000"])
    bench.arrive(Self.cancelled)
    let commands = bench.answerAll()
    #expect(commands.first == "010520060102030405c7")
    #expect(commands.last == random)
    #expect(bench.events() == [])
  }

  @Test(
    "HP-03 A peer that connects to the former address while it is being changed is turned away, and served under the new one"
  )
  func calledFormerAddress() throws {
    var bench = Bench.ready()
    func advertise(_ address: DeviceAddress) throws {
      let parameters = AdvertisingParameters(
        ownAddress: address, interval: .milliseconds(250), connectable: true)
      try bench.advertise(parameters, [2, 1, 6], [])
    }
    try advertise(random("46:05:04:03:02:01"))
    _ = bench.answerAll()
    try advertise(random("47:05:04:03:02:01"))
    #expect(bench.sent() == ["010a200100"])
    // It comes before the answer to the command that ends advertising.
    bench.arrive("043e1301 00 0100 01 01 0605040302c1 1800 0000 9001 00" + "040e04010a2000")
    #expect(bench.events() == [])
    #expect(bench.sent() == ["01060403010014"])
    bench.arrive("040f0400010604" + "04050400010016")
    let commands = bench.answerAll()
    #expect(commands.first == "010520060102030405" + "47")
    #expect(commands.last == "010a200101")
    bench.arrive("043e1301 00 0200 01 01 0605040302c1 1800 0000 9001 00")
    #expect(bench.events() == [.opened(0, .peripheral, "c1:02:03:04:05:06")])
  }

  @Test("A scan rests while a connection is opened by a controller that cannot do both")
  func scanRests() throws {
    var bench = Bench.ready()
    try bench.radio.startScanning(
      ScanParameters(
        ownAddress: .zero, interval: .milliseconds(100), window: .milliseconds(50), active: false))
    _ = bench.answerAll()
    try bench.radio.connect(to: peer, parameters)
    #expect(bench.answerAll() == ["010c20020000", Self.create])
    bench.arrive(Self.complete)
    #expect(bench.answerAll().contains("010c20020100"))
    // One that can does not pause.
    var able = Bench.ready(states: "040e0c011c2000ffffffffff030000")
    try able.radio.startScanning(
      ScanParameters(
        ownAddress: .zero, interval: .milliseconds(100), window: .milliseconds(50), active: false))
    _ = able.answerAll()
    try able.radio.connect(to: peer, parameters)
    #expect(able.answerAll() == [Self.create])
    #expect(able.radio.capabilities.canScanWhileConnecting)
  }

  @Test("HP-02 Disconnected by us, by the peer, or unknown to the controller")
  func disconnect() throws {
    var bench = try Bench.connected()
    bench.radio.disconnect(ConnectionID(index: 0))
    #expect(bench.sent() == ["01060403010013"])
    bench.radio.disconnect(ConnectionID(index: 0))
    bench.arrive("040f0400010604")
    #expect(bench.sent() == [])
    #expect(bench.sendRefusal([1], on: 0) == .notConnected)
    bench.arrive("04050400010016")
    #expect(bench.events() == [.closed(0, 0x16)])

    try bench.connect(as: .peripheral, handle: "0200")
    bench.radio.disconnect(ConnectionID(index: 0))
    bench.arrive("040f0402010604")  // Unknown Connection Identifier
    #expect(bench.events() == [.closed(0, 0x16)])

    try bench.connect(as: .peripheral, handle: "0200")
    bench.radio.disconnect(ConnectionID(index: 0))
    bench.arrive("040f0400010604")
    bench.wait(39_999)
    #expect(bench.radio.state == .ready)
    bench.wait(1)
    #expect(bench.radio.state == .starting)
  }

  @Test("HP-02 Commands for other connections do not extend the time in which a connection has to end")
  func overdue() throws {
    var bench = try Bench.connected()
    bench.radio.disconnect(ConnectionID(index: 0))
    bench.arrive("040f0400010604")
    // Others come and go all the time, and one of them is always about to end.
    var elapsed = 0
    while bench.radio.state == .ready, elapsed < 200 {
      try bench.connect(as: .peripheral, handle: "0200")
      bench.radio.disconnect(ConnectionID(index: 1))
      bench.arrive("040f0400010604")
      bench.wait(10_000)
      elapsed += 10
      guard bench.radio.state == .ready else { break }
      bench.arrive("04050400020016")
      _ = bench.events()
    }
    #expect(elapsed == 40)
  }

  @Test("HP-02 Each of several connections has at least 40 s to end, and at most 80 s")
  func severalOverdue() throws {
    var bench = try Bench.connected()
    try bench.connect(as: .peripheral, handle: "0200")
    bench.radio.disconnect(ConnectionID(index: 0))
    bench.arrive("040f0400010604")
    bench.wait(30_000)
    bench.radio.disconnect(ConnectionID(index: 1))
    bench.arrive("040f0400010604")
    bench.wait(9_000)
    bench.arrive("04050400010016")
    #expect(bench.events() == [.closed(0, 0x16)])
    bench.wait(1_000)
    bench.wait(39_999)
    #expect(bench.radio.state == .ready)
    bench.wait(1)
    #expect(bench.radio.state == .starting)
  }

  @Test("The same handle again means that the end of the old connection was lost")
  func sameHandle() throws {
    var bench = try Bench.connected()
    bench.arrive("043e1301 00 0100 01 00 060504030209 1800 0000 9001 00")
    #expect(bench.events() == [.closed(0, 0x08), .opened(0, .peripheral, "09:02:03:04:05:06p")])
  }

  @Test("Strength of a connection")
  func strength() throws {
    var bench = try Bench.connected()
    bench.radio.readRSSI(ConnectionID(index: 0))
    #expect(bench.sent() == ["010514020100"])
    bench.arrive("040e0701051400 0100 d8")
    #expect(bench.events() == [.measured(0, -40)])
    bench.radio.readRSSI(ConnectionID(index: 0))
    bench.arrive("040e0701051402 0100 00")
    #expect(bench.events() == [.closed(0, 0x08)])
  }

  @Test("A peer that asks to encrypt is refused, and the connection goes on")
  func encryption() throws {
    var bench = try Bench.connected()
    bench.arrive("043e0d 05 0100 0000000000000000 0000")
    #expect(bench.sent() == ["011b20020100"])
    bench.arrive("040e06011b20000100")
    #expect(bench.events() == [])
    #expect(bench.radio.acl[0].life == .open)
  }
}
