import HeraldBluetooth
import HeraldSimulation
import Testing

/// A payload of `count` bytes, 0x80, 0x81 and so on.
private func numbered(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: 0x80 + $0) } }

@Suite("Coordinator: being read")
struct ServingStories {
  private let peer = Peer.iPhone

  private func open(_ story: Story, _ index: Int = 0) {
    story.happen(.opened(ConnectionID(index: index), .peripheral, peer: peer))
    _ = story.answers()
  }

  private func ask(_ story: Story, _ request: String, on index: Int = 0) -> [UInt8] {
    story.happen(.pdu(hex(request), on: ConnectionID(index: index)))
    let answers = story.answers()
    #expect(answers.count == 1)
    return answers.first ?? []
  }

  @Test("HP-07 HP-34 Our payload is read with an ATT_MTU of 23 in blobs; empty at its end, an error beyond")
  func blobs() {
    let story = Story(payload: numbered(50))
    open(story)
    #expect(ask(story, "0A 10 00") == [0x0B] + numbered(50)[0..<22])
    #expect(ask(story, "0C 10 00 16 00") == [0x0D] + numbered(50)[22..<44])
    #expect(ask(story, "0C 10 00 2C 00") == [0x0D] + numbered(50)[44..<50])
    #expect(ask(story, "0C 10 00 32 00") == [0x0D])
    #expect(ask(story, "0C 10 00 33 00") == hex("01 0C 10 00 07"))
    #expect(story.count(.payloadsServed) == 1)
  }

  @Test("The payload is the same in both services, and 244 bytes of it fit an ATT_MTU of 247")
  func bothServices() {
    let story = Story(payload: numbered(246))
    open(story)
    #expect(ask(story, "02 F7 00") == hex("03 F7 00"))
    #expect(ask(story, "0A 10 00") == [0x0B] + numbered(246))
    #expect(ask(story, "0A 15 00") == [0x0B] + numbered(246))
  }

  @Test(
    "HP-41 A payload that changes between two pieces is still read as one; the next exchange gets the new one"
  )
  func consistency() {
    let story = Story(payload: numbered(30))
    open(story)
    #expect(ask(story, "0A 10 00") == [0x0B] + numbered(30)[0..<22])
    story.node.core.values.supplier.bytes = [UInt8](repeating: 7, count: 40)
    #expect(ask(story, "0C 10 00 16 00") == [0x0D] + numbered(30)[22..<30])
    #expect(ask(story, "0A 10 00") == [0x0B] + [UInt8](repeating: 7, count: 22))
    open(story, 1)
    #expect(ask(story, "0A 10 00", on: 1) == [0x0B] + [UInt8](repeating: 7, count: 22))
  }

  @Test("While every buffer is in use a further reader is told so, and served when one is free")
  func noBuffer() {
    let story = Story(payload: numbered(30))
    for index in 0..<4 {
      open(story, index)
      #expect(ask(story, "0A 10 00", on: index).first == 0x0B)
    }
    story.hear(Peer.android, Peer.androidAdvert)
    #expect(story.count(.attempts) == 0)  // no connection is left for us either
    story.happen(.closed(ConnectionID(index: 3), .remoteUserTerminated))
    open(story, 3)
    #expect(ask(story, "0A 10 00", on: 3).first == 0x0B)
  }

  @Test("A device without a payload advertises nothing, and offers it as soon as there is one")
  func withoutPayload() {
    let story = Story(payload: [])
    #expect(story.node.radio.advertising == nil)
    story.node.core.values.supplier.bytes = numbered(13)
    story.run(seconds: 10)
    #expect(story.node.radio.advertising != nil)
  }

  @Test("HP-35 Signals are taken with response")
  func signal() {
    let story = Story()
    open(story)
    #expect(ask(story, "12 0E 00 03 02 00 C8 FF") == hex("13"))
    #expect(story.count(.signals) == 1)
    story.happen(.pdu(hex("52 0E 00 03 02 00 C8 FF"), on: ConnectionID(index: 0)))
    #expect(story.answers().isEmpty)
    #expect(story.count(.signals) == 1)
  }

  @Test("A peer is served while another is being read, on connections of their own")
  func both() {
    let story = Story(payload: numbered(13))
    story.hear(Peer.android, Peer.androidAdvert)
    _ = story.commands()
    story.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    story.exchange("02 F7 00", "03 F7 00")
    open(story, 1)
    #expect(ask(story, "0A 10 00", on: 1) == [0x0B] + numbered(13))
    story.happen(.pdu(hex("07 28 00 2C 00"), on: ConnectionID(index: 0)))
    story.exchange(
      "08 28 00 2C 00 03 28", "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
    #expect(ask(story, "0C 10 00 0D 00", on: 1) == [0x0D])
    story.happen(.pdu(hex("0B \(Peer.payload)"), on: ConnectionID(index: 0)))
    #expect(story.count(.reads) == 1)
  }

  @Test(
    "HP-02 A peer that connects and asks nothing is let go after 15 s, one that keeps asking after a minute")
  func idle() {
    let story = Story()
    open(story)
    story.run(milliseconds: 14_999)
    #expect(story.commands().isEmpty)
    story.run(milliseconds: 1)
    #expect(story.commands() == [.disconnect(ConnectionID(index: 0))])
    open(story, 1)
    for _ in 0..<59 {
      _ = ask(story, "0A 10 00", on: 1)
      story.run(seconds: 1)
    }
    #expect(story.commands().isEmpty)
    story.run(seconds: 1)
    #expect(story.commands() == [.disconnect(ConnectionID(index: 1))])
  }

  @Test("With every connection taken it goes on advertising, not connectably")
  func full() {
    let story = Story()
    for index in 0..<4 { open(story, index) }
    #expect(story.node.radio.advertising?.connectable == false)
    story.happen(.closed(ConnectionID(index: 2), .connectionTimeout))
    #expect(story.node.radio.advertising?.connectable == true)
  }

  @Test("A radio that cannot advertise connectably while connected advertises not connectably then")
  func limitedRadio() {
    var capabilities = MockRadio.usualCapabilities
    capabilities.canAdvertiseWhileConnected = false
    let story = Story(capabilities: capabilities)
    #expect(story.node.radio.advertising?.connectable == true)
    open(story)
    #expect(story.node.radio.advertising?.connectable == false)
  }
}
