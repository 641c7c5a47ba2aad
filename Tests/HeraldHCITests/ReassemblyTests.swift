import HeraldBluetooth
import HeraldHAL
import Testing

@testable import HeraldHCI

@Suite("Reassembly of L2CAP PDUs")
struct ReassemblyTests {
  @Test(
    "A PDU that another one cuts short gives its buffer up, and the other one's fragments are put together")
  func cutShort() throws {
    var bench = try Bench.connected()
    // Three bytes of five, and then three in two fragments.
    bench.arrive("0201200700 0500 0400 0a0300")
    bench.arrive("0201200500 0300 0400 0a 0201100200 0300")
    #expect(bench.events() == [.pdu(0, [0x0A, 3, 0])])
    #expect(bench.radio.transfers[.fragmentsMalformed] == 1)
  }

  @Test("PDUs that are never finished take no buffer from those that come after them")
  func neverFinished() throws {
    var bench = try Bench.connected()
    for _ in 0..<5 { bench.arrive("0201200700 0500 0400 0a0300") }
    bench.arrive("0201200700 0300 0400 0a0300")
    #expect(bench.events() == [.pdu(0, [0x0A, 3, 0])])
    #expect(bench.radio.transfers[.fragmentsMalformed] == 5 && bench.radio.transfers[.pdusDropped] == 0)
  }
}
