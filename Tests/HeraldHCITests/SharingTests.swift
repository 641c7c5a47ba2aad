import HeraldBluetooth
import Testing

@testable import HeraldHCI

/// What connections share with one another and the two directions of one share: buffers, places, and the
/// order of answers.
@Suite("Sharing")
struct SharingTests {
  /// LE Connection Complete of a peer that connected to us.
  static func opened(_ handle: String) -> String {
    "043e1301 00 \(handle) 01 01 0605040302c2 1800 0000 9001 00"
  }

  @Test("Requests on both control channels in one read are both answered")
  func controlRequests() throws {
    var bench = try Bench.connected(as: .central)
    // Security Request, then Connection Parameter Update Request.
    bench.arrive("0201200600 0200 0600 0b01" + "0201201000 0c00 0500 12 01 0800 0600 0c00 0000 c800")
    #expect(
      bench.sent() == [
        "0201000600" + "02000600" + "0505",
        "0201000a00" + "06000500" + "13010200" + "0000",
        "0113200e010006000c000000c80000000000",
      ])
    #expect(bench.radio.transfers[.pdusDropped] == 0)
  }

  @Test(
    "A control request is answered once the controller has room; one more meanwhile is dropped and counted")
  func controlWithoutRoom() throws {
    var bench = try Bench.connected(buffers: "040e07010220001b0001")
    for _ in 0..<3 { bench.arrive("0201200600 0200 0600 0b01") }
    #expect(bench.sent() == ["0201000600" + "02000600" + "0505"])
    #expect(bench.radio.transfers[.pdusDropped] == 1)
    bench.arrive("04130501 0100 0100")
    #expect(bench.sent() == ["0201000600" + "02000600" + "0505"])
  }

  @Test("A refusal that comes after its connection's end does not touch the next connection in that place")
  func lateRefusal() throws {
    var bench = try Bench.connected()
    bench.radio.readRSSI(ConnectionID(index: 0))
    #expect(bench.sent() == ["010514020100"])
    bench.arrive("04050400 0100 13" + Self.opened("0200") + "040e07010514 02 0100 00")
    #expect(bench.events() == [.closed(0, 0x13), .opened(0, .peripheral, "c2:02:03:04:05:06")])
    #expect(bench.radio.acl[0].life == .open)
  }

  @Test("A peer that stalls leaves the last of three or more buffers to the connection that opens after it")
  func stalledPeer() throws {
    var bench = try Bench.connected(buffers: "040e07010220001b0004")
    bench.recorder.answer = { _ in [UInt8](repeating: 7, count: 200) }
    bench.arrive("0201200700 0300 0400 0a0300")
    #expect(bench.sent().count == 3)
    bench.arrive(Self.opened("0200"))
    _ = bench.answerAll()
    bench.recorder.answer = { _ in [0x0B, 7] }
    bench.arrive("0202200700 0300 0400 0a0300")
    #expect(bench.sent() == ["0202000600" + "02000400" + "0b07"])
    // When the last place is taken nobody can come any more: none is kept.
    bench.arrive(Self.opened("0300"))
    _ = bench.answerAll()
    bench.arrive("04130501 0200 0100")
    bench.arrive("0203200700 0300 0400 0a0300")
    #expect(bench.sent() == ["0203000600" + "02000400" + "0b07"])
  }

  @Test("With two buffers both are used at once, by whoever needs them")
  func twoBuffers() throws {
    var bench = try Bench.connected(buffers: "040e07010220001b0002")
    bench.recorder.answer = { _ in [UInt8](repeating: 7, count: 200) }
    bench.arrive("0201200700 0300 0400 0a0300")
    #expect(bench.sent().count == 2)
  }

  @Test("Two connections at once that cannot be kept: the controller is reset, which ends both")
  func twoUnwanted() throws {
    var bench = try Bench.connected()
    for handle in ["0200", "0300"] { try bench.connect(as: .peripheral, handle: handle) }
    bench.radio.readRSSI(ConnectionID(index: 0))  // under way, so that neither can be disconnected at once
    _ = bench.sent()
    bench.arrive(Self.opened("0400") + Self.opened("0500"))
    #expect(bench.events() == [.changed(.failed), .changed(.starting)])
    #expect(bench.radio.counters[.connectionsRefused] == 2)
    #expect(bench.answerAll().first == "01030c00")
    #expect(bench.events() == [.changed(.ready)])
  }

  @Test("The answer to our own request finds a buffer however the peer pipelines")
  func ownAnswer() throws {
    var bench = try Bench.connected(buffers: "040e07010220001b0001")
    try bench.send([0x0A, 3, 0])
    #expect(bench.sent() == ["0201000700" + "03000400" + "0a0300"])
    bench.recorder.answer = { $0[0] == 0x0A ? [0x0B, 1] : [] }
    // Two requests while nothing can leave, then a command, a notification and the answer.
    bench.arrive(
      "0201200700 0300 0400 0a0300" + "0201200700 0300 0400 0a0400" + "0201200800 0400 0400 52030009"
        + "0201200800 0400 0400 1b030009" + "0201200600 0200 0400 0b55")
    #expect(
      bench.events() == [
        .pdu(0, [0x0A, 3, 0]), .pdu(0, [0x52, 3, 0, 9]), .pdu(0, [0x1B, 3, 0, 9]), .pdu(0, [0x0B, 0x55]),
      ])
    #expect(bench.radio.transfers[.pdusDropped] == 1)
    // Now that nothing is waited for, both buffers may hold answers.
    bench.arrive("0201200700 0300 0400 0a0500" + "0201200700 0300 0400 0a0600")
    #expect(bench.events() == [.pdu(0, [0x0A, 5, 0])])
    #expect(bench.radio.transfers[.pdusDropped] == 2)
  }

  @Test(
    "The second buffer is one connection's at a time; another is told to wait, and that it may send when it can"
  )
  func spareBuffer() throws {
    var bench = try Bench.connected(buffers: "040e07010220001b0002")
    try bench.connect(as: .peripheral, handle: "0200")
    bench.recorder.answer = { [0x0B, $0[1]] }
    // Both connections fill the controller, which gives nothing back.
    for handle in ["01", "02"] { bench.arrive("02\(handle)200700 0300 0400 0a0300") }
    #expect(bench.sent() == ["0201000600" + "02000400" + "0b03", "0202000600" + "02000400" + "0b03"])
    // The first connection's next two answers wait in its own buffer and in the one for all.
    bench.arrive("0201200700 0300 0400 0a0400" + "0201200700 0300 0400 0a0500")
    // The second one's own buffer takes its answer; there is none for what we want to say, nor for one more
    // request.
    bench.arrive("0202200700 0300 0400 0a0600" + "0202200700 0300 0400 0a0700")
    #expect(bench.sendRefusal([0x52, 3, 0, 1], on: 1) == .busy)
    #expect(bench.radio.transfers[.pdusDropped] == 1)
    #expect(bench.sent() == [])
    _ = bench.events()
    bench.arrive("04130501 0200 0100")
    #expect(bench.sent() == ["0202000600" + "02000400" + "0b06"])
    #expect(bench.events() == [.ready(1)])
    // Its own buffer does for it while the first connection has the other.
    try bench.send([0x52, 3, 0, 1], on: 1)
    bench.arrive("04130501 0100 0100")
    #expect(bench.sent() == ["0201000600" + "02000400" + "0b04"])
    bench.arrive("04130501 0200 0100" + "04130501 0100 0100")
    #expect(bench.sent() == ["0202000800" + "04000400" + "52030001", "0201000600" + "02000400" + "0b05"])
  }

  @Test("A fragment whose boundary flag is none continues nothing and starts nothing")
  func boundaryFlag() throws {
    var bench = try Bench.connected()
    bench.arrive("0201200500 0300 0400 0a" + "0201300200 0300")
    #expect(bench.events() == [])
    #expect(bench.radio.transfers[.fragmentsMalformed] == 1)
    bench.arrive("0201100200 0300")
    #expect(bench.events() == [.pdu(0, [0x0A, 3, 0])])
    bench.arrive("0201300700 0300 0400 0a0300")
    #expect(bench.events() == [])
    #expect(bench.radio.transfers[.fragmentsMalformed] == 2)
  }

  @Test("A PDU that is longer than told, or than there is room for, ends with its first fragment")
  func wrongLength() throws {
    var bench = try Bench.connected()
    // Two bytes told, three there.
    bench.arrive("0201200700 0200 0400 0a0300")
    #expect(bench.radio.transfers[.fragmentsMalformed] == 1)
    // 248 bytes told, where 247 fit.
    bench.arrive("0201200500 f800 0400 0a")
    #expect(bench.radio.transfers[.pdusDropped] == 1)
    bench.arrive("0201200700 0300 0400 0a0300")
    #expect(bench.events() == [.pdu(0, [0x0A, 3, 0])])
  }

  @Test("A PDU that was never finished leaves its buffer to the next one, in fragments as well")
  func unfinished() throws {
    var bench = try Bench.connected()
    bench.arrive("0201200500 0300 0400 0a" + "0201200500 0300 0400 0a" + "0201100200 0400")
    #expect(bench.events() == [.pdu(0, [0x0A, 4, 0])])
    #expect(bench.radio.transfers[.fragmentsMalformed] == 1)
    // Another in the spare buffer, while one that was begun holds the first.
    bench.arrive("0201200500 0300 0400 0a" + "0201200500 0300 0400 0a" + "0201200500 0300 0400 0a")
    bench.arrive("0201100200 0500")
    #expect(bench.events() == [.pdu(0, [0x0A, 5, 0])])
  }

  @Test("Requests are those of ATT that are answered: no command, no response, no confirmation")
  func requests() {
    for opcode: UInt8 in [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x10, 0x12, 0x16, 0x18, 0x20] {
      #expect(L2CAPConnection.isRequest(opcode))
    }
    for opcode: UInt8 in [0x01, 0x03, 0x13, 0x1B, 0x1D, 0x1E, 0x23, 0x52, 0xD2] {
      #expect(!L2CAPConnection.isRequest(opcode))
    }
  }

  @Test("A Command Status has four bytes, a Command Complete three or more")
  func statusLength() {
    let bytes: [UInt8] = [0, 1, 3, 0x0C]
    #expect(CommandStatus(bytes.span, isComplete: false)?.opcode == .reset)
    #expect(CommandStatus(bytes.span.extracting(0..<3), isComplete: false) == nil)
    #expect(CommandStatus(bytes.span.extracting(0..<3), isComplete: true) != nil)
    #expect(CommandStatus(bytes.span.extracting(0..<2), isComplete: true) == nil)
  }

  @Test("Disconnection Complete with a failure means that the connection goes on")
  func failedDisconnection() throws {
    var bench = try Bench.connected()
    bench.arrive("04050412010013")
    #expect(bench.events() == [])
    #expect(bench.radio.acl[0].life == .open)
    bench.recorder.answer = { _ in [0x0B, 7] }
    bench.arrive("0201200700 0300 0400 0a0300")
    #expect(bench.sent() == ["0201000600" + "02000400" + "0b07"])
  }
}
