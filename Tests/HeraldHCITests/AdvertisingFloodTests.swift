import HeraldBluetooth
import HeraldHAL
import Testing

@testable import HeraldHCI

@Suite("A thousand advertisements a second")
struct AdvertisingFloodTests {
  @Test("Every advertisement is handed on, and neither commands nor requests nor connections wait")
  func flood() throws {
    var bench = Bench.ready()
    bench.recorder.answer = { [0x0B, $0[1]] }
    let scan = ScanParameters(
      ownAddress: .zero, interval: .milliseconds(100), window: .milliseconds(100), active: false)
    try bench.radio.startScanning(scan)
    _ = bench.answerAll()
    _ = bench.events()
    _ = bench.sent()
    var heard = 0
    var address = 0
    for tenth in 0..<100 {
      // A hundred of them, of ever new addresses, in one burst; what matters lies in their midst.
      for place in 0..<100 {
        address += 1
        let name = hex([
          UInt8(address & 255), UInt8(address >> 8 & 255), UInt8(address >> 16), 0x33, 0x22, 0x51,
        ])
        bench.radio.transport.incoming += bytes(
          "043e1f 02 01 00 01 \(name) 13 02011a 0303f6fc 0bff4c001006071ea3dd89e0 c4")
        guard place == 50 else { continue }
        switch tenth % 4 {
        case 0:
          bench.radio.transport.incoming += bytes("043e1301 00 0100 01 01 0605040302c1 1800 0000 9001 00")
        case 1: bench.radio.transport.incoming += bytes("0201200700030004000a0300")
        case 2: bench.radio.transport.incoming += bytes("0413050101000100" + "0201200700030004000a0500")
        default: bench.radio.transport.incoming += bytes("0413050101000100" + "04050400010013")
        }
      }
      // An advertisement is 34 bytes long, and a poll takes 2,080 bytes: two polls, the first of which asks
      // for the second at once.
      bench.poll()
      #expect(bench.deadline == bench.now)
      bench.poll()
      #expect(bench.radio.transport.incoming.isEmpty)
      var others: [Recorder.Event] = []
      for event in bench.events() {
        if case .report = event { heard += 1 } else { others.append(event) }
      }
      let sent = bench.sent()
      switch tenth % 4 {
      case 0:
        #expect(others == [.opened(0, .peripheral, "c1:02:03:04:05:06")])
        // The lengths of its packets are asked for at once.
        #expect(sent == ["012220060100fb004808"])
        bench.arrive("040e0601222000 0100")
      case 1:
        #expect(others == [.pdu(0, [0x0A, 3, 0])])
        #expect(sent == ["0201000600020004000b03"])
      case 2:
        #expect(others == [.pdu(0, [0x0A, 5, 0])])
        #expect(sent == ["0201000600020004000b05"])
        // A command of the caller's leaves in the call.
        bench.radio.readRSSI(ConnectionID(index: 0))
        #expect(bench.sent() == ["010514020100"])
        bench.arrive("040e0701051400 0100 d8")
        #expect(bench.events() == [.measured(0, -40)])
      default:
        #expect(others == [.closed(0, 0x13)])
        #expect(sent == [])
      }
      bench.now = bench.now + .milliseconds(100)
    }
    #expect(heard == 10_000)
    #expect(bench.radio.state == .ready)
    #expect(bench.radio.counters[.advertisingReports] == 10_000)
    #expect(bench.radio.counters[.malformedEvents] == 0 && bench.radio.counters[.syncLost] == 0)
    #expect(bench.radio.counters[.failures] == 0)
  }
}
