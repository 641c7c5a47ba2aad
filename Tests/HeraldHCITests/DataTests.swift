import HeraldBluetooth
import HeraldHAL
import Testing

@testable import HeraldHCI

/// ACL data and L2CAP, on one connection with handle 1 unless said otherwise.
@Suite("ACL data and L2CAP")
struct DataTests {
  static let completed = "04130501 0100 "

  @Test("A request is answered in the buffer it came in")
  func answer() throws {
    var bench = try Bench.connected()
    bench.recorder.answer = { request in [UInt8](repeating: request[0] + 1, count: 3) }
    bench.arrive("02 0120 0700 0300 0400 0a0300")
    #expect(bench.events() == [.pdu(0, [0x0A, 3, 0])])
    #expect(bench.sent() == ["02010007000300" + "04000b0b0b"])
  }

  @Test("Requests that arrive together are answered one by one")
  func burst() throws {
    var bench = try Bench.connected()
    bench.recorder.answer = { [$0[0] + 1, $0[1]] }
    bench.arrive((0..<8).map { "020120070003000400" + "0a0\($0)00" }.joined())
    #expect(bench.sent() == (0..<8).map { "0201000600020004000b0\($0)" })
    #expect(bench.radio.transfers[.pdusDropped] == 0)
  }

  @Test("A long answer leaves in fragments of 27 bytes")
  func fragments() throws {
    var bench = try Bench.connected()
    bench.recorder.answer = { _ in (0..<60).map { UInt8($0) } }
    bench.arrive("0201200700030004000a0300")
    let sent = bench.sent()
    #expect(
      sent == [
        "0201001b003c000400" + hex((0..<23).map { UInt8($0) }),
        "0201101b00" + hex((23..<50).map { UInt8($0) }),
        "0201100a00" + hex((50..<60).map { UInt8($0) }),
      ])
    // The headers were written over the PDU's own bytes, those that had left.
    #expect(bench.radio.transfers[.pdusSent] == 1)
  }

  @Test("A transport that takes short packets gets the longest PDU in several")
  func shortPackets() throws {
    var bench = try Bench.connected(buffers: "040e0701022000fb00ff")
    bench.radio.transport.longestPacket = 140
    let pdu = (0..<247).map { UInt8($0) }
    bench.recorder.answer = { _ in pdu }
    bench.arrive("0201200700030004000a0300")
    #expect(
      bench.sent() == [
        "020100" + "8700" + "f7000400" + hex(Array(pdu[..<131])),
        "020110" + "7400" + hex(Array(pdu[131...])),
      ])
  }

  @Test("The longest PDU goes both ways, whatever the fragments")
  func longest() throws {
    let pdu = (0..<247).map { UInt8($0) }
    let whole = "f7000400" + hex(pdu)
    for size in [1, 3, 4, 27, 100, 251] {
      var bench = try Bench.connected(buffers: "040e07010220001b00ff")
      bench.recorder.answer = { Array($0.reversed()) }
      var rest = bytes(whole)[...]
      var isFirst = true
      while !rest.isEmpty {
        let piece = Array(rest.prefix(size))
        rest = rest.dropFirst(size)
        bench.arrive("0201\(isFirst ? "20" : "10")" + hex([UInt8(piece.count), 0] + piece))
        isFirst = false
      }
      #expect(bench.events() == [.pdu(0, pdu)])
      let sent = bench.sent().map { Array(bytes($0).dropFirst(5)) }.reduce([], +)
      #expect(sent == [0xF7, 0, 4, 0] + pdu.reversed())
    }
  }

  @Test("Data wait for the controller's buffers and go on when it has some again")
  func credits() throws {
    var bench = try Bench.connected(buffers: "040e07010220001b0002")
    bench.recorder.answer = { _ in [UInt8](repeating: 7, count: 100) }
    bench.arrive("0201200700030004000a0300")
    #expect(bench.sent().count == 2)
    bench.poll()
    #expect(bench.sent() == [])
    bench.arrive(Self.completed + "0100")
    #expect(bench.sent().count == 1)
    bench.arrive(Self.completed + "0200")
    #expect(bench.sent().count == 1)  // 104 bytes are four fragments
    #expect(bench.radio.transfers[.pdusSent] == 1)
    // More than was under way cannot come back.
    bench.arrive(Self.completed + "ffff")
    #expect(bench.radio.credits == 2)
  }

  @Test("Buffers that a connection held are free when it is gone, in the middle of a PDU")
  func creditsReturn() throws {
    var bench = try Bench.connected(buffers: "040e07010220001b0002")
    try bench.connect(as: .peripheral, handle: "0200")
    bench.recorder.answer = { _ in [UInt8](repeating: 7, count: 100) }
    bench.arrive("0201200700030004000a0300")
    #expect(bench.sent().count == 1)  // an even share of two
    bench.arrive("0202200700030004000a0300")
    #expect(bench.sent().count == 1)
    #expect(bench.radio.credits == 0)
    bench.arrive("04050400010008")
    #expect(bench.sent() == ["0202101b00" + String(repeating: "07", count: 27)])
    bench.arrive("0413090201000100" + "02000200")
    #expect(bench.sent().count == 2)
    bench.arrive("041305010200" + "0200")
    #expect(bench.radio.credits == 2)
    // The next connection in that place begins afresh.
    try bench.connect(as: .peripheral, handle: "0300")
    bench.arrive("02031003000102 03 0203200700030004000a0300")
    #expect(bench.events().contains(.pdu(0, [0x0A, 3, 0])))
  }

  @Test("One connection without credit does not hold up the others")
  func fairness() throws {
    var bench = try Bench.connected(buffers: "040e07010220001b0004")
    try bench.connect(as: .peripheral, handle: "0200")
    bench.recorder.answer = { _ in [UInt8](repeating: 7, count: 200) }
    bench.arrive("0201200700030004000a0300")
    #expect(bench.sent().count == 2)
    bench.recorder.answer = { _ in [9] }
    for _ in 0..<5 {
      bench.arrive("0202200700030004000a0300")
      #expect(bench.sent() == ["0202000500" + "0100040009"])
      bench.arrive("041305010200" + "0100")
    }
  }

  @Test("A PDU of our own is taken, the next one refused until the first has left, then invited")
  func send() throws {
    var bench = try Bench.connected(buffers: "040e07010220001b0001")
    try bench.send([0x02, 0xF7, 0x00])
    #expect(bench.sent() == ["0201000700" + "03000400" + "02f700"])
    try bench.send([0x0A, 1, 0])
    #expect(bench.sent() == [])
    #expect(bench.sendRefusal([1], on: 0) == .busy)
    bench.arrive(Self.completed + "0100")
    #expect(bench.sent() == ["0201000700" + "03000400" + "0a0100"])
    #expect(bench.events() == [.ready(0)])
    let long = [UInt8](repeating: 0, count: 248)
    #expect(bench.sendRefusal(long, on: 0) == .tooLong)
    #expect(bench.sendRefusal([], on: 0) == .invalidParameter)
    #expect(bench.sendRefusal([1], on: 1) == .notConnected)
    #expect(bench.sendRefusal([1], on: -1) == .notConnected)
  }

  @Test("Answer and request leave one after the other, never mixed")
  func order() throws {
    var bench = try Bench.connected(buffers: "040e07010220001b0001")
    bench.recorder.answer = { _ in [UInt8](repeating: 7, count: 40) }
    bench.arrive("0201200700030004000a0300")
    try bench.send([UInt8](repeating: 8, count: 40))
    bench.arrive("0201200c00080005000109040003000000")  // an answer on the signalling channel: nothing to say
    bench.arrive("02012006000200050012 01")  // too short a command: nothing to say
    bench.arrive("0201200a000600050008 07 0200 aaaa")  // Echo Request of BR/EDR: rejected
    var sent = bench.sent()
    for _ in 0..<4 {
      bench.arrive(Self.completed + "0100")
      sent += bench.sent()
    }
    #expect(
      sent == [
        "0201001b0028000400" + String(repeating: "07", count: 23),
        "0201101100" + String(repeating: "07", count: 17),
        "0201000a0006000500" + "010702000000", "0201001b0028000400" + String(repeating: "08", count: 23),
        "0201101100" + String(repeating: "08", count: 17),
      ])
  }

  @Test("A peer that pipelines is answered as far as there is room, and the rest is counted")
  func flood() throws {
    var bench = try Bench.connected(buffers: "040e07010220001b0001")
    bench.recorder.answer = { [$0[0] + 1, $0[1]] }
    for index in 0..<10 { bench.arrive("020120070003000400" + "0a0\(index)00") }
    #expect(bench.events() == [.pdu(0, [0x0A, 0, 0]), .pdu(0, [0x0A, 1, 0]), .pdu(0, [0x0A, 2, 0])])
    #expect(bench.radio.transfers[.pdusDropped] == 7)
    var sent = bench.sent()
    for _ in 0..<2 {
      bench.arrive(Self.completed + "0100")
      sent += bench.sent()
    }
    #expect(sent == (0..<3).map { "0201000600020004000b0\($0)" })
    bench.arrive(Self.completed + "0100")
    bench.arrive("020120070003000400" + "0a0900")
    #expect(bench.sent() == ["0201000600020004000b09"])
  }

  @Test(
    "Lengths that lie are survived",
    arguments: [
      "0201200700 0200 0400 0a0300",  // more than the PDU says
      "0201200700 ffff 0400 0a0300", "0201100300 0a0300",  // longer than any buffer
      "0201200400 0000 0400",  // empty
      "0201200000", "0201100000",  // fragments without anything
      "0201100700 0300 0400 0a0300",  // a continuation of nothing
      "0201200700 0500 0400 0a0300 0201100400 01020304",  // one byte too many in the second fragment
      "0201200700 0500 0400 0a0300",  // cut short by what follows
      "0201200700 0300 4000 0a0300",  // a channel there is not
      "0209200700 0300 0400 0a0300",  // a connection there is not
    ])
  func lies(_ lie: String) throws {
    var bench = try Bench.connected()
    bench.arrive(lie)
    #expect(bench.events() == [])
    bench.arrive("0201200700 0300 0400 0a0300")
    #expect(bench.events() == [.pdu(0, [0x0A, 3, 0])])
    #expect(bench.sent() == [])
    #expect(bench.radio.state == .ready)
  }

  @Test("As central a valid parameter update is accepted and carried out")
  func update() throws {
    var bench = try Bench.connected(as: .central)
    bench.arrive("0201201000 0c00 0500 12 05 0800 1800 2800 0000 9001")
    #expect(
      bench.sent() == [
        "0201000a00" + "06000500" + "13050200" + "0000", "0113200e0100180028000000900100000000",
      ])
  }

  @Test("As central an invalid parameter update is rejected")
  func invalidUpdate() throws {
    var bench = try Bench.connected(as: .central)
    bench.arrive("0201201000 0c00 0500 12 05 0800 1800 0500 0000 9001")
    #expect(bench.sent() == ["0201000a00" + "06000500" + "13050200" + "0100"])
    bench.poll()
    #expect(bench.sent() == [])
  }

  @Test("As peripheral a parameter update request is not understood")
  func updateAsPeripheral() throws {
    var bench = try Bench.connected(as: .peripheral)
    bench.arrive("0201201000 0c00 0500 12 05 0800 1800 2800 0000 9001")
    #expect(bench.sent() == ["0201000a00" + "06000500" + "01050200" + "0000"])
    #expect(bench.radio.transfers[.signalsRejected] == 1)
  }

  @Test("A signal longer than 23 bytes is too long; one in fragments is put together")
  func longSignal() throws {
    var bench = try Bench.connected(as: .central)
    bench.arrive("0201201c00 1800 0500 14 09 1400 " + String(repeating: "00", count: 20))
    #expect(bench.sent() == ["0201000c00" + "08000500" + "01090400" + "01001700"])
    bench.arrive(Self.completed + "0100")
    bench.arrive("0201200300 0c0005 0201100d00 00 12 05 0800 1800 2800 0000 9001")
    #expect(
      bench.sent() == [
        "0201000a00" + "06000500" + "13050200" + "0000", "0113200e0100180028000000900100000000",
      ])
  }

  @Test("A peer that requests pairing is told that pairing is not supported")
  func pairing() throws {
    var bench = try Bench.connected()
    bench.arrive("0201200b00 0700 0600 01 03 00 01 10 00 01")
    #expect(bench.sent() == ["0201000600" + "02000600" + "0505"])
    bench.arrive("0201200600 0200 0600 0505")  // Pairing Failed from the peer needs no answer
    #expect(bench.sent() == [])
    bench.arrive("0201200600 0200 0600 0b01")  // Security Request
    #expect(bench.sent() == ["0201000600" + "02000600" + "0505"])
  }

  @Test("A transport without room is offered the same packet again")
  func backpressure() throws {
    var bench = try Bench.connected()
    bench.radio.transport.room = 1
    bench.recorder.answer = { _ in (0..<60).map { UInt8($0) } }
    bench.arrive("0201200700030004000a0300")
    #expect(bench.sent().count == 1)
    #expect(bench.deadline == bench.now + .milliseconds(2))
    bench.radio.transport.room = .max
    bench.poll()
    #expect(
      bench.sent() == [
        "0201101b00" + hex((23..<50).map { UInt8($0) }), "0201100a00" + hex((50..<60).map { UInt8($0) }),
      ])
    bench.radio.transport.room = 0
    bench.radio.readRSSI(ConnectionID(index: 0))
    bench.radio.transport.room = .max
    bench.poll()
    #expect(bench.sent() == ["010514020100"])
  }
}
