import HeraldBluetooth
import HeraldSimulation
import Testing

@Suite("Coordinator: peers that fail")
struct FailureStories {
  private func isConnect(_ command: MockRadio.Command) -> Bool {
    if case .connect = command { true } else { false }
  }

  @Test(
    "HP-10 A peer that never takes the connection is given up after 8 s, and tried again after growing, bounded waits"
  )
  func neverConnects() {
    let story = Story()
    var attempts: [UInt64] = []
    var cancels: [UInt64] = []
    for _ in 0..<3600 {
      story.hear(Peer.android, Peer.androidAdvert)
      story.run(seconds: 1)
    }
    for record in story.node.radio.commands {
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
    #expect(story.count(.attemptTimeouts) == 17)
    #expect(story.violations.isEmpty)
  }

  @Test("A radio that never confirms the cancellation is asked again, and scanning goes on")
  func cancelUnconfirmed() {
    let story = Story()
    story.node.radio.confirmsCancel = false
    story.hear(Peer.android, Peer.androidAdvert)
    _ = story.commands()
    story.run(seconds: 20)
    #expect(
      story.commands() == [
        .cancelConnect, .cancelConnect, .cancelConnect, .cancelConnect, .cancelConnect, .cancelConnect,
        .cancelConnect,
      ])
    story.hear(Peer.android, Peer.androidAdvert)
    #expect(story.count(.readings) == 2)
  }

  @Test("A connection that wins the race against its cancellation is used")
  func race() {
    let story = Story()
    story.node.radio.confirmsCancel = false
    story.hear(Peer.android, Peer.androidAdvert)
    story.run(seconds: 8)
    #expect(story.commands().contains(.cancelConnect))
    story.readAndroid()
    #expect(story.count(.reads) == 1)
    #expect(story.count(.attemptTimeouts) == 0)
  }

  /// The requests of a reading, each with its answer.
  private static let exchanges: [(String, String)] = [
    ("02 F7 00", "03 00 02"),
    ("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00"),
    (
      "08 28 00 2C 00 03 28", "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)"
    ),
    ("0A 2C 00", "0B \(Peer.payload)"),
  ]

  /// Opens the connection and goes through the first `count` exchanges.
  private func advance(_ story: Story, _ count: Int) {
    story.hear(Peer.android, Peer.androidAdvert)
    _ = story.commands()
    story.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    for (request, answer) in Self.exchanges.prefix(count) { story.exchange(request, answer) }
  }

  @Test(
    "HP-02 A peer that falls silent at any step is let go after 6 s, tried later and then read",
    arguments: 0..<4)
  func silentAt(step: Int) {
    let story = Story()
    advance(story, step)
    _ = story.commands()
    story.run(milliseconds: 5999)
    #expect(story.commands().isEmpty)
    story.run(milliseconds: 1)
    #expect(story.commands() == [.disconnect(ConnectionID(index: 0))])
    #expect(story.count(.exchangesTimedOut) == 1)
    story.run(milliseconds: 5100)
    story.hear(Peer.android, Peer.androidAdvert)
    #expect(story.commands().count == 1)
    story.readAndroid()
    #expect(story.count(.reads) == 1)
  }

  @Test("A peer that disconnects at any step is tried later and then read", arguments: 0..<4)
  func goneAt(step: Int) {
    let story = Story()
    advance(story, step)
    _ = story.commands()
    story.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    #expect(story.commands().isEmpty)
    #expect(story.count(.exchangesDropped) == 1)
    story.run(milliseconds: 5100)
    story.hear(Peer.android, Peer.androidAdvert)
    #expect(story.commands().count == 1)
    story.readAndroid()
    #expect(story.count(.reads) == 1)
  }

  @Test("A peer that answers every step with an error is let go", arguments: 1..<4)
  func errorAt(step: Int) {
    let story = Story()
    advance(story, step)
    let request = hex(Self.exchanges[step].0)
    story.exchange(
      Self.exchanges[step].0, "01 0\(String(request[0], radix: 16)) 2C 00 0E")
    if step > 1 { noOtherService(story) }
    #expect(story.commands() == [.disconnect(ConnectionID(index: 0))])
    #expect(story.count(.exchangesRefused) == 1)
    #expect(story.count(.reads) == 0)
  }

  @Test(
    "A peer that lies is let go and tried later",
    arguments: [
      (1, "07"), (1, "07 28 00"), (1, "07 2C 00 28 00"), (1, "07 00 00 05 00"), (1, "0B 00"),
      (2, "09 00"), (2, "09 15 29 00"), (2, "09 15 29 00 08 FF FF \(Peer.payloadUUID)"),
      (2, "09 07 10 00 02 11 00 00 2A"), (3, "0D 00"), (3, "09 00"),
    ])
  func lies(step: Int, answer: String) {
    let story = Story()
    advance(story, step)
    story.exchange(Self.exchanges[step].0, answer)
    #expect(story.commands() == [.disconnect(ConnectionID(index: 0))])
    #expect(story.count(.exchangesMalformed) == 1)
    #expect(story.count(.reads) == 0)
    story.run(milliseconds: 5100)
    story.hear(Peer.android, Peer.androidAdvert)
    #expect(story.commands().count == 1)
  }

  @Test(
    "HP-01 A peer that refuses a longer ATT_MTU is read all the same, whatever it gives as the reason",
    arguments: ["06", "0E", "80"])
  func refusesMTU(code: String) {
    let story = Story()
    advance(story, 0)
    story.exchange("02 F7 00", "01 02 00 00 \(code)")
    #expect(story.requests() == [hex("06 01 00 FF FF 00 28 F6 FC")])
  }

  /// Behind the service at 0x28…0x2C, which does not give its payload, the peer has no other of Herald's.
  private func noOtherService(_ story: Story) {
    story.exchange("06 2D 00 FF FF 00 28 F6 FC", "01 06 2D 00 0A")
    story.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
  }

  @Test("A payload without a byte is no payload")
  func emptyPayload() {
    let story = Story()
    advance(story, 3)
    story.exchange("0A 2C 00", "0B")
    noOtherService(story)
    #expect(story.count(.reads) == 0)
    #expect(story.count(.exchangesMalformed) == 1)
    #expect(story.commands() == [.disconnect(ConnectionID(index: 0))])
  }

  @Test(
    "A payload of 510 bytes is read whole; one that goes on and on is refused",
    arguments: [510, 511, 512, 2000])
  func longPayload(length: Int) {
    let story = Story()
    advance(story, 3)
    #expect(story.requests() == [hex("0A 2C 00")])
    var sent = 0
    var requests = 0
    while requests < 20 {
      let count = min(246, length - sent)
      let bytes = (sent..<(sent + count)).map { UInt8(truncatingIfNeeded: $0) }
      story.happen(.pdu([requests == 0 ? 0x0B : 0x0D] + bytes, on: ConnectionID(index: 0)))
      sent += count
      requests += 1
      guard case .send(let request, _)? = story.commands().first, request[0] != 0x06 else { break }
      #expect(request == [0x0C, 0x2C, 0x00, UInt8(sent & 255), UInt8(sent >> 8)])
    }
    #expect(requests == 3)
    #expect(story.count(.reads) == (length == 510 ? 1 : 0))
    // A service whose payload is too long may be a stale one: others are looked for, and there are none.
    for _ in 0..<2 where length > 510 && story.count(.exchangesMalformed) == 0 {
      story.happen(.pdu(hex("01 06 2D 00 0A"), on: ConnectionID(index: 0)))
    }
    #expect(story.count(.exchangesMalformed) == (length == 510 ? 0 : 1))
  }

  @Test("HP-02 An exchange that the peer keeps alive drop by drop ends after 20 s")
  func dripping() {
    let story = Story()
    advance(story, 1)
    var answered = 0
    while story.count(.exchangesTimedOut) == 0, answered < 100 {
      guard case .send(let request, _)? = story.commands().first else { break }
      #expect(request[0] == 0x06 || request[0] == 0x08)
      story.run(seconds: 5)
      // One characteristic at a time, none of them ours, as long as it likes.
      let handle = UInt8(2 * answered + 1)
      let answer =
        request[0] == 0x06
        ? hex("07 01 00 FF FF") : [0x09, 0x07, handle, 0x00, 0x02, handle + 1, 0x00, 0x00, 0x2A]
      story.happen(.pdu(answer, on: ConnectionID(index: 0)))
      answered += 1
    }
    #expect(story.now.milliseconds <= 20_000)
    #expect(story.commands().contains(.disconnect(ConnectionID(index: 0))))
  }

  @Test(
    "HP-02 A radio that never reports the disconnection is asked again; the peer's state does not depend on it"
  )
  func neverClosed() {
    let story = Story()
    story.node.radio.confirmsDisconnect = false
    story.hear(Peer.android, Peer.androidAdvert)
    story.readAndroid()
    #expect(story.commands() == [.disconnect(ConnectionID(index: 0))])
    let place = story.node.core.table.find(Peer.androidIdentity) ?? -1
    #expect(story.node.core.table[place].state == .read)
    #expect(!story.node.core.table[place].isHeld)
    story.run(seconds: 5)
    #expect(story.commands() == [.disconnect(ConnectionID(index: 0)), .disconnect(ConnectionID(index: 0))])
  }

  @Test("Two connections: the one that stalls does not hold the other up")
  func stall() {
    let story = Story()
    story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    story.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
    story.hear(Peer.android, Peer.androidAdvert)
    _ = story.commands()
    story.readAndroid(on: 1)
    #expect(story.count(.reads) == 1)
    #expect(story.commands() == [.disconnect(ConnectionID(index: 1))])
    story.run(seconds: 6)
    #expect(story.commands() == [.disconnect(ConnectionID(index: 0))])
    #expect(story.count(.exchangesTimedOut) == 1)
  }

  @Test("A connection that takes no PDU for a while gets the request later")
  func clogged() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert)
    story.node.radio.isClogged = true
    _ = story.commands()
    story.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    #expect(story.commands().isEmpty)
    story.node.radio.isClogged = false
    story.happen(.readyToSend(ConnectionID(index: 0)))
    #expect(story.requests() == [hex("02 F7 00")])
  }

  @Test("A radio that fails loses every connection; when it is back all is stated again")
  func radioFails() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert)
    story.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    story.happen(.state(.failed))
    #expect(story.node.core.table[0].isHeld == false)
    _ = story.node.radio.takeCommands()
    story.run(seconds: 60)
    #expect(story.node.radio.takeCommands().isEmpty)
    story.happen(.state(.ready))
    #expect(story.node.radio.scanning != nil)
    #expect(story.node.radio.advertising != nil)
    #expect(
      story.heard().filter { if case .state = $0 { true } else { false } } == [
        .state(.on), .state(.off), .state(.on),
      ])
    story.hear(Peer.android, Peer.androidAdvert)
    story.readAndroid()
    #expect(story.count(.reads) == 1)
    #expect(story.violations.isEmpty)
  }

  @Test(
    "Two devices that call each other at the same moment end up with one connection, and the other is tried again"
  )
  func crossing() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert)
    _ = story.commands()
    story.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.android))
    #expect(story.commands() == [.cancelConnect])
    #expect(story.count(.attemptsCut) == 1)
    story.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    story.run(seconds: 4)
    story.hear(Peer.android, Peer.androidAdvert)
    #expect(story.commands().count == 1)
    story.readAndroid()
    #expect(story.count(.reads) == 1)
  }

  @Test("HP-15 An attempt ends when the peer shows itself under another address, and is made there")
  func movingPeer() {
    let story = Story()
    let elsewhere = DeviceAddress(high: 0x7000, low: 1, kind: .random)
    story.hear(Peer.android, Peer.androidAdvert)
    _ = story.commands()
    story.hear(Peer.android, Peer.androidAdvert)
    #expect(story.commands().isEmpty)
    story.hear(elsewhere, Peer.androidAdvert)
    #expect(story.commands() == [.cancelConnect])
    #expect(story.count(.attemptsCut) == 1)
    story.run(seconds: 4)
    story.hear(elsewhere, Peer.androidAdvert)
    #expect(story.node.radio.connecting == elsewhere)
    #expect(story.count(.attemptTimeouts) == 0)
  }

  @Test("A connection nobody asked for, and one with a number beyond our places, are closed")
  func unasked() {
    let story = Story()
    _ = story.commands()
    story.happen(.opened(ConnectionID(index: 2), .central, peer: Peer.iPhone))
    #expect(story.commands() == [.disconnect(ConnectionID(index: 2))])
    story.happen(.opened(ConnectionID(index: 9), .peripheral, peer: Peer.iPhone))
    #expect(story.commands() == [.disconnect(ConnectionID(index: 9))])
    #expect(story.count(.connectionsRefused) == 2)
    // What is closed is not closed again.
    story.run(seconds: 5)
    #expect(story.commands().isEmpty)
    story.node.radio.confirmsDisconnect = false
    story.happen(.opened(ConnectionID(index: 9), .peripheral, peer: Peer.iPhone))
    story.run(seconds: 5)
    #expect(story.commands() == Array(repeating: .disconnect(ConnectionID(index: 9)), count: 3))
  }
}
