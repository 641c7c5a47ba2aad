import HeraldHAL
import Testing

@testable import HeraldHCI

/// Connections that the controller has and this host does not know of: those of a controller that goes on
/// with them when it is reset, as Bumble's does.
@Suite("Connections of which nothing is known")
struct StrayConnectionTests {
  /// A Read Request of handle 3 on connection 0x0007.
  private let request = "0207200700030004000a0300"
  private let disconnect = "01060403070014"

  @Test("A connection that survives HCI_Reset is disconnected when its peer sends something")
  func survivesReset() throws {
    var bench = Bench.ready()
    try bench.connect(as: .peripheral, handle: "0700")
    bench.arrive("04100101")
    _ = bench.answerAll()
    #expect(bench.radio.state == .ready)
    _ = bench.events()
    bench.arrive(request)
    #expect(bench.events() == [])
    #expect(bench.sent() == [])
    #expect(bench.deadline == bench.now + .milliseconds(100))
    bench.wait(100)
    #expect(bench.sent() == [disconnect])
    bench.arrive("040f0400010604" + "04050400070016")
    #expect(bench.events() == [] && bench.sent() == [])
    #expect(bench.radio.state == .ready)
    // Another one is disconnected, too.
    bench.arrive("0208200700030004000a0300")
    bench.wait(100)
    #expect(bench.sent() == ["01060403080014"])
  }

  @Test("A connection that is opened while the controller is being reset is disconnected when it is up")
  func openedMeanwhile() {
    var bench = Bench.ready()
    bench.arrive("04100101")
    #expect(bench.sent() == ["01030c00"])
    bench.arrive("040e0401030c00" + "043e1301 00 0700 01 01 0605040302c1 1800 0000 9001 00")
    #expect(bench.events() == [.changed(.failed), .changed(.starting)])
    let commands = bench.answerAll()
    #expect(commands.last == disconnect)
    #expect(bench.events() == [.changed(.ready)])
    #expect(bench.radio.counters[.connectionsOpened] == 0)
  }

  @Test("Data may come before the report of their connection, as over USB: that connection stays")
  func dataFirst() {
    var bench = Bench.ready()
    bench.arrive(request)
    bench.wait(99)
    bench.arrive("043e1301 00 0700 01 01 0605040302c1 1800 0000 9001 00")
    #expect(bench.events() == [.opened(0, .peripheral, "c1:02:03:04:05:06")])
    _ = bench.answerAll()
    bench.wait(1_000)
    #expect(bench.sent() == [])
    bench.arrive(request)
    #expect(bench.events() == [.pdu(0, [0x0A, 3, 0])])
  }

  @Test(
    "Data of an unknown connection are no reason to reset the controller when one more connection is to be turned away"
  )
  func strayAndSurplus() throws {
    var bench = Bench.ready()
    for place in 1...3 { try bench.connect(as: .peripheral, handle: "0\(place)00") }
    bench.arrive(request)
    bench.arrive("043e1301 00 0900 01 00 060504030209 1800 0000 9001 00")
    #expect(bench.events() == [])
    #expect(bench.sent() == ["01060403090014"])
    #expect(bench.radio.state == .ready)
  }

  @Test("A controller that does not know the connection either refuses, and nothing comes of it")
  func unknownToBoth() {
    var bench = Bench.ready()
    bench.arrive(request)
    bench.wait(100)
    #expect(bench.sent() == [disconnect])
    bench.arrive("040f0402010604")
    #expect(bench.events() == [] && bench.radio.state == .ready)
    #expect(bench.deadline == .never)
  }

  @Test("Of many such connections one after the other is disconnected, and ours is served meanwhile")
  func many() throws {
    var bench = try Bench.connected()
    bench.recorder.answer = { _ in [0x0B, 0x41] }
    var strays = Set(2..<10)
    for round in 0..<8 {
      for handle in strays { bench.radio.transport.incoming += bytes("020\(handle)200700030004000a0300") }
      bench.arrive("0201200700030004000a0300" + "0413050101000100")
      #expect(bench.events() == [.pdu(0, [0x0A, 3, 0])], "round \(round)")
      _ = bench.sent()
      bench.wait(100)
      for packet in bench.sent() where packet.hasPrefix("010604030") && packet.hasSuffix("0014") {
        if let handle = packet.dropFirst(9).first?.wholeNumberValue { strays.remove(handle) }
        bench.arrive("040f0400010604")
      }
    }
    #expect(strays.isEmpty)
    #expect(bench.radio.state == .ready)
  }
}
