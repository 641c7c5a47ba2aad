import HeraldBluetooth
import HeraldSimulation
import Testing

@Suite("Coordinator: failures of peers")
struct PeerFailureTests {
  private func isConnect(_ command: MockRadio.Command) -> Bool {
    if case .connect = command { true } else { false }
  }

  @Test(
    "HP-10 A peer that never takes the connection is given up after 8 s, and tried again after growing, bounded waits"
  )
  func neverConnects() {
    let scenario = Scenario()
    var attempts: [UInt64] = []
    var cancels: [UInt64] = []
    for _ in 0..<3600 {
      scenario.hear(Peer.android, Peer.androidAdvert)
      scenario.run(seconds: 1)
    }
    for record in scenario.node.radio.commands {
      if isConnect(record.command) { attempts.append(record.time.milliseconds) }
      if record.command == .cancelConnect { cancels.append(record.time.milliseconds) }
    }
    #expect(zip(attempts, cancels).allSatisfy { $1 - $0 == 8000 })
    // Each wait is 4 s, doubled each time up to 5 min, and up to a second of chance.
    let waits = zip(cancels, attempts.dropFirst()).map { $1 - $0 }
    var expected: UInt64 = 4000
    for wait in waits {
      #expect(wait >= expected && wait <= expected + 1200)
      expected = min(expected * 2, 300_000)
    }
    #expect(attempts.count == 17)
    #expect(scenario.count(.attemptTimeouts) == 17)
    #expect(scenario.violations.isEmpty)
  }

  @Test("A radio that never confirms the cancellation is asked again, and scanning continues")
  func cancelUnconfirmed() {
    let scenario = Scenario()
    scenario.node.radio.confirmsCancel = false
    scenario.hear(Peer.android, Peer.androidAdvert)
    _ = scenario.commands()
    scenario.run(seconds: 20)
    #expect(
      scenario.commands() == [
        .cancelConnect, .cancelConnect, .cancelConnect, .cancelConnect, .cancelConnect, .cancelConnect,
        .cancelConnect,
      ])
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(scenario.count(.readings) == 2)
  }

  @Test("A connection that wins the race against its cancellation is used")
  func race() {
    let scenario = Scenario()
    scenario.node.radio.confirmsCancel = false
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.run(seconds: 8)
    #expect(scenario.commands().contains(.cancelConnect))
    scenario.readAndroid()
    #expect(scenario.count(.reads) == 1)
    #expect(scenario.count(.attemptTimeouts) == 0)
  }

  /// The requests of a reading, each with its response.
  private static let exchanges: [(String, String)] = [
    ("02 F7 00", "03 00 02"),
    ("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00"),
    (
      "08 28 00 2C 00 03 28", "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)"
    ),
    ("0A 2C 00", "0B \(Peer.payload)"),
  ]

  /// Opens the connection and goes through the first `count` exchanges.
  private func advance(_ scenario: Scenario, _ count: Int) {
    scenario.hear(Peer.android, Peer.androidAdvert)
    _ = scenario.commands()
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    for (request, answer) in Self.exchanges.prefix(count) { scenario.exchange(request, answer) }
  }

  @Test(
    "HP-02 A peer that falls silent at any step is let go after 6 s, tried later and then read",
    arguments: 0..<4)
  func silentAt(step: Int) {
    let scenario = Scenario()
    advance(scenario, step)
    _ = scenario.commands()
    scenario.run(milliseconds: 5999)
    #expect(scenario.commands().isEmpty)
    scenario.run(milliseconds: 1)
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
    #expect(scenario.count(.exchangesTimedOut) == 1)
    scenario.run(milliseconds: 5100)
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(scenario.commands().count == 1)
    scenario.readAndroid()
    #expect(scenario.count(.reads) == 1)
  }

  @Test("A peer that disconnects at any step is tried later and then read", arguments: 0..<4)
  func goneAt(step: Int) {
    let scenario = Scenario()
    advance(scenario, step)
    _ = scenario.commands()
    scenario.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    #expect(scenario.commands().isEmpty)
    #expect(scenario.count(.exchangesDropped) == 1)
    scenario.run(milliseconds: 5100)
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(scenario.commands().count == 1)
    scenario.readAndroid()
    #expect(scenario.count(.reads) == 1)
  }

  @Test("A peer that answers every step with an error is let go", arguments: 1..<4)
  func errorAt(step: Int) {
    let scenario = Scenario()
    advance(scenario, step)
    let request = hex(Self.exchanges[step].0)
    scenario.exchange(
      Self.exchanges[step].0, "01 0\(String(request[0], radix: 16)) 2C 00 0E")
    if step > 1 { noOtherService(scenario) }
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
    #expect(scenario.count(.exchangesRefused) == 1)
    #expect(scenario.count(.reads) == 0)
  }

  @Test(
    "A peer that lies is let go and tried later",
    arguments: [
      (1, "07"), (1, "07 28 00"), (1, "07 2C 00 28 00"), (1, "07 00 00 05 00"), (1, "0B 00"),
      (2, "09 00"), (2, "09 15 29 00"), (2, "09 15 29 00 08 FF FF \(Peer.payloadUUID)"),
      (2, "09 07 10 00 02 11 00 00 2A"), (3, "0D 00"), (3, "09 00"),
    ])
  func lies(step: Int, answer: String) {
    let scenario = Scenario()
    advance(scenario, step)
    scenario.exchange(Self.exchanges[step].0, answer)
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
    #expect(scenario.count(.exchangesMalformed) == 1)
    #expect(scenario.count(.reads) == 0)
    scenario.run(milliseconds: 5100)
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(scenario.commands().count == 1)
  }

  @Test(
    "HP-01 A peer that refuses a longer ATT_MTU is still read, for any error code",
    arguments: ["06", "0E", "80"])
  func refusesMTU(code: String) {
    let scenario = Scenario()
    advance(scenario, 0)
    scenario.exchange("02 F7 00", "01 02 00 00 \(code)")
    #expect(scenario.requests() == [hex("06 01 00 FF FF 00 28 F6 FC")])
  }

  /// Behind the service at 0x28…0x2C, which does not give its payload, the peer has no other of Herald's.
  private func noOtherService(_ scenario: Scenario) {
    scenario.exchange("06 2D 00 FF FF 00 28 F6 FC", "01 06 2D 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
  }

  @Test("A payload without a byte is no payload")
  func emptyPayload() {
    let scenario = Scenario()
    advance(scenario, 3)
    scenario.exchange("0A 2C 00", "0B")
    noOtherService(scenario)
    #expect(scenario.count(.reads) == 0)
    #expect(scenario.count(.exchangesMalformed) == 1)
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
  }

  @Test(
    "A payload of 510 bytes is read whole; a longer one is refused",
    arguments: [510, 511, 512, 2000])
  func longPayload(length: Int) {
    let scenario = Scenario()
    advance(scenario, 3)
    #expect(scenario.requests() == [hex("0A 2C 00")])
    var sent = 0
    var requests = 0
    while requests < 20 {
      let count = min(246, length - sent)
      let bytes = (sent..<(sent + count)).map { UInt8(truncatingIfNeeded: $0) }
      scenario.happen(.pdu([requests == 0 ? 0x0B : 0x0D] + bytes, on: ConnectionID(index: 0)))
      sent += count
      requests += 1
      guard case .send(let request, _)? = scenario.commands().first, request[0] != 0x06 else { break }
      #expect(request == [0x0C, 0x2C, 0x00, UInt8(sent & 255), UInt8(sent >> 8)])
    }
    #expect(requests == 3)
    #expect(scenario.count(.reads) == (length == 510 ? 1 : 0))
    // A service whose payload is too long may be a stale one: others are looked for, and there are none.
    for _ in 0..<2 where length > 510 && scenario.count(.exchangesMalformed) == 0 {
      scenario.happen(.pdu(hex("01 06 2D 00 0A"), on: ConnectionID(index: 0)))
    }
    #expect(scenario.count(.exchangesMalformed) == (length == 510 ? 0 : 1))
  }

  @Test("HP-02 An exchange that the peer keeps alive drop by drop ends after 20 s")
  func dripping() {
    let scenario = Scenario()
    advance(scenario, 1)
    var answered = 0
    while scenario.count(.exchangesTimedOut) == 0, answered < 100 {
      guard case .send(let request, _)? = scenario.commands().first else { break }
      #expect(request[0] == 0x06 || request[0] == 0x08)
      scenario.run(seconds: 5)
      // One characteristic at a time, none of them ours, as long as it likes.
      let handle = UInt8(2 * answered + 1)
      let answer =
        request[0] == 0x06
        ? hex("07 01 00 FF FF") : [0x09, 0x07, handle, 0x00, 0x02, handle + 1, 0x00, 0x00, 0x2A]
      scenario.happen(.pdu(answer, on: ConnectionID(index: 0)))
      answered += 1
    }
    #expect(scenario.now.milliseconds <= 20_000)
    #expect(scenario.commands().contains(.disconnect(ConnectionID(index: 0))))
  }

  @Test(
    "HP-02 A radio that never reports the disconnection is asked again; the peer's state does not depend on it"
  )
  func neverClosed() {
    let scenario = Scenario()
    scenario.node.radio.confirmsDisconnect = false
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
    let place = scenario.node.core.table.find(Peer.androidIdentity) ?? -1
    #expect(scenario.node.core.table[place].state == .read)
    #expect(!scenario.node.core.table[place].isHeld)
    scenario.run(seconds: 5)
    #expect(
      scenario.commands() == [.disconnect(ConnectionID(index: 0)), .disconnect(ConnectionID(index: 0))])
  }

  @Test("Two connections: the one that stalls does not hold the other up")
  func stall() {
    let scenario = Scenario()
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
    scenario.hear(Peer.android, Peer.androidAdvert)
    _ = scenario.commands()
    scenario.readAndroid(on: 1)
    #expect(scenario.count(.reads) == 1)
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 1))])
    scenario.run(seconds: 6)
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
    #expect(scenario.count(.exchangesTimedOut) == 1)
  }

  @Test("A connection that takes no PDU for a while gets the request later")
  func backpressure() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.node.radio.hasBackpressure = true
    _ = scenario.commands()
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    #expect(scenario.commands().isEmpty)
    scenario.node.radio.hasBackpressure = false
    scenario.happen(.readyToSend(ConnectionID(index: 0)))
    #expect(scenario.requests() == [hex("02 F7 00")])
  }

  @Test("A radio that fails loses every connection; when it is back all is stated again")
  func radioFails() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    scenario.happen(.state(.failed))
    #expect(scenario.node.core.table[0].isHeld == false)
    _ = scenario.node.radio.takeCommands()
    scenario.run(seconds: 60)
    #expect(scenario.node.radio.takeCommands().isEmpty)
    scenario.happen(.state(.ready))
    #expect(scenario.node.radio.scanning != nil)
    #expect(scenario.node.radio.advertising != nil)
    #expect(
      scenario.heard().filter { if case .state = $0 { true } else { false } } == [
        .state(.on), .state(.off), .state(.on),
      ])
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    #expect(scenario.count(.reads) == 1)
    #expect(scenario.violations.isEmpty)
  }

  @Test(
    "Two devices that call each other at the same moment end up with one connection, and the other is tried again"
  )
  func crossing() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    _ = scenario.commands()
    scenario.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.android))
    #expect(scenario.commands() == [.cancelConnect])
    #expect(scenario.count(.attemptsCut) == 1)
    scenario.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    scenario.run(seconds: 4)
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(scenario.commands().count == 1)
    scenario.readAndroid()
    #expect(scenario.count(.reads) == 1)
  }

  @Test("HP-15 An attempt ends when the peer shows itself under another address, and is made there")
  func movingPeer() {
    let scenario = Scenario()
    let elsewhere = DeviceAddress(high: 0x7000, low: 1, kind: .random)
    scenario.hear(Peer.android, Peer.androidAdvert)
    _ = scenario.commands()
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(scenario.commands().isEmpty)
    scenario.hear(elsewhere, Peer.androidAdvert)
    #expect(scenario.commands() == [.cancelConnect])
    #expect(scenario.count(.attemptsCut) == 1)
    scenario.run(seconds: 4)
    scenario.hear(elsewhere, Peer.androidAdvert)
    #expect(scenario.node.radio.connecting == elsewhere)
    #expect(scenario.count(.attemptTimeouts) == 0)
  }

  @Test("A connection nobody asked for, and one with a number beyond our places, are closed")
  func unasked() {
    let scenario = Scenario()
    _ = scenario.commands()
    scenario.happen(.opened(ConnectionID(index: 2), .central, peer: Peer.iPhone))
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 2))])
    scenario.happen(.opened(ConnectionID(index: 9), .peripheral, peer: Peer.iPhone))
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 9))])
    #expect(scenario.count(.connectionsRefused) == 2)
    // What is closed is not closed again.
    scenario.run(seconds: 5)
    #expect(scenario.commands().isEmpty)
    scenario.node.radio.confirmsDisconnect = false
    scenario.happen(.opened(ConnectionID(index: 9), .peripheral, peer: Peer.iPhone))
    scenario.run(seconds: 5)
    #expect(scenario.commands() == Array(repeating: .disconnect(ConnectionID(index: 9)), count: 3))
  }
}
