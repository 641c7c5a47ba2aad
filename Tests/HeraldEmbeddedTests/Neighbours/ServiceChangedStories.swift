import HeraldBluetooth
import HeraldSimulation
import Testing

@Suite("Service Changed (Core Specification, Vol 3, Part G, 7.1)")
struct ServiceChangedStories {
  /// Shows numbers of CovidWatch's.
  private func showing() -> NeighbourStory {
    NeighbourStory.withNeighbours { $0.covidWatch.isPeripheral = true }
  }

  private func sent(_ story: NeighbourStory) -> [String] { story.requests().map(text) }

  /// A peer connects and subscribes.
  private func subscribe(_ story: NeighbourStory, on index: Int = 0) {
    story.peerConnects(on: index)
    #expect(story.ask("12 09 00 02 00", on: index) == "13")
  }

  @Test("It is in the GATT service, indicated and neither read nor written; handles behind it are three more")
  func table() {
    let story = showing()
    story.peerConnects()
    #expect(story.ask("06 01 00 FF FF 00 28 01 18") == "07 06 00 09 00")
    #expect(story.ask("08 06 00 09 00 03 28") == "09 07 07 00 20 08 00 05 2A")
    #expect(story.ask("04 08 00 09 00") == "05 01 08 00 05 2A 09 00 02 29")
    #expect(story.ask("0A 08 00") == "01 0A 08 00 02")
    #expect(story.ask("12 08 00 01 00 FF FF") == "01 12 08 00 03")
    #expect(story.ask("0A 09 00") == "0B 00 00")
    #expect(story.ask("12 09 00 01 00") == "01 12 09 00 FD")
    #expect(story.ask("12 09 00 02 00") == "13")
    #expect(story.ask("0A 09 00") == "0B 02 00")
    // Device Information, and both services of Herald's, with their characteristics.
    #expect(story.ask("06 01 00 FF FF 00 28 0A 18") == "07 0A 00 0E 00")
    #expect(story.ask("08 0A 00 0E 00 03 28") == "09 07 0B 00 02 0C 00 29 2A 0D 00 02 0E 00 24 2A")
    #expect(story.ask("06 01 00 FF FF 00 28 \(Peer.longService)") == "07 0F 00 13 00")
    #expect(story.ask("08 0F 00 13 00 03 28") == "09 15 10 00 08 11 00 \(Peer.signalUUID)")
    #expect(story.ask("08 12 00 13 00 03 28") == "09 15 12 00 02 13 00 \(Peer.payloadUUID)")
    #expect(story.ask("06 01 00 FF FF 00 28 F6 FC") == "07 14 00 18 00")
    #expect(story.ask("08 14 00 18 00 03 28") == "09 15 15 00 08 16 00 \(Peer.signalUUID)")
    #expect(story.ask("08 17 00 18 00 03 28") == "09 15 17 00 02 18 00 \(Peer.payloadUUID)")
    #expect(story.ask("06 01 00 FF FF 00 28 19 C0") == "07 19 00 1B 00")
    // The client configuration of another connection is another.
    story.peerConnects(Peer.android, on: 1)
    #expect(story.ask("0A 09 00", on: 1) == "0B 00 00")
  }

  @Test("A table that does not change has none")
  func constant() {
    let story = Story()
    story.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    story.happen(.pdu(hex("06 01 00 FF FF 00 28 01 18"), on: ConnectionID(index: 0)))
    #expect(story.answers() == [hex("07 06 00 06 00")])
  }

  @Test("A peer that subscribed is told when a system is switched on or off; others are not")
  func switched() {
    let story = NeighbourStory()
    subscribe(story, on: 0)
    story.peerConnects(Peer.android, on: 1)
    story.node.core.neighbours.covidWatch.isPeripheral = true
    _ = sent(story)
    story.poll()
    let indications = story.node.radio.takeCommands().compactMap {
      if case .send(let bytes, let connection) = $0 { "\(connection.index): \(text(bytes))" } else { nil }
    }
    #expect(indications == ["0: 1D 08 00 19 00 FF FF"])
    #expect(story.ask("1E") == "")
    #expect(story.ask("06 01 00 FF FF 00 28 19 C0") == "07 19 00 1B 00")
    // Nothing changes, nothing is indicated.
    story.run(seconds: 5)
    #expect(sent(story) == [])
    story.node.core.neighbours.covidWatch.isPeripheral = false
    story.poll()
    #expect(sent(story) == ["1D 08 00 19 00 FF FF"])
    #expect(story.ask("06 01 00 FF FF 00 28 19 C0") == "01 06 01 00 0A")
    #expect(story.violations.isEmpty)
  }

  @Test("A peer that subscribed is told when a new address takes the codes off its connection, and only then")
  func rotated() {
    let story = showing()
    story.run(seconds: 890)
    subscribe(story)
    story.run(seconds: 10)
    #expect(sent(story) == ["1D 08 00 19 00 FF FF"])
    #expect(story.ask("1E") == "")
    #expect(story.ask("06 01 00 FF FF 00 28 19 C0") == "01 06 01 00 0A")
    // Other changes do not concern this connection any more.
    story.node.core.neighbours.covidWatch.isPeripheral = false
    story.poll()
    story.node.core.neighbours.covidWatch.isPeripheral = true
    story.poll()
    #expect(sent(story) == [])
    // Without codes a new address changes nothing of the table.
    let other = NeighbourStory()
    other.run(seconds: 890)
    subscribe(other)
    other.run(seconds: 10)
    #expect(sent(other) == [])
  }

  @Test("The next change is indicated when the one before is confirmed")
  func onePending() {
    let story = showing()
    subscribe(story)
    _ = sent(story)
    story.node.core.neighbours.covidWatch.isPeripheral = false
    story.poll()
    story.node.core.neighbours.covidWatch.isPeripheral = true
    story.poll()
    #expect(sent(story) == ["1D 08 00 19 00 FF FF"])
    // A confirmation has one byte.
    story.happen(.pdu(hex("1E 00"), on: ConnectionID(index: 0)))
    #expect(sent(story) == [])
    story.happen(.pdu(hex("1E"), on: ConnectionID(index: 0)))
    #expect(sent(story) == ["1D 08 00 19 00 FF FF"])
    story.happen(.pdu(hex("1E"), on: ConnectionID(index: 0)))
    #expect(sent(story) == [])
    // One that nobody waits for is ignored.
    story.happen(.pdu(hex("1E"), on: ConnectionID(index: 0)))
    #expect(sent(story) == [])
  }

  @Test("A connection that takes no PDU is told when it does; one whose peer no longer wants it is not")
  func clogged() {
    let story = showing()
    subscribe(story, on: 0)
    subscribe(story, on: 1)
    story.node.radio.isClogged = true
    story.node.core.neighbours.covidWatch.isPeripheral = false
    story.poll()
    #expect(sent(story) == [])
    story.happen(.pdu(hex("12 09 00 00 00"), on: ConnectionID(index: 1)))
    story.node.radio.isClogged = false
    _ = story.answers()
    story.happen(.readyToSend(ConnectionID(index: 0)))
    #expect(sent(story) == ["1D 08 00 19 00 FF FF"])
    story.happen(.readyToSend(ConnectionID(index: 1)))
    #expect(sent(story) == [])
  }

  @Test(
    "A connection on which 30 s pass without the confirmation is closed (Vol 3, Part F, 3.3.3); a confirmed one lives on"
  )
  func unconfirmed() {
    for isConfirmed in [false, true] {
      let story = showing()
      subscribe(story)
      story.run(seconds: 5)
      story.node.core.neighbours.covidWatch.isPeripheral = false
      story.poll()
      #expect(sent(story) == ["1D 08 00 19 00 FF FF"])
      if isConfirmed { story.happen(.pdu(hex("1E"), on: ConnectionID(index: 0))) }
      // The peer goes on asking meanwhile.
      for _ in 0..<29 {
        story.run(seconds: 1)
        #expect(story.ask("0A 05 00") == "0B 00 00")
      }
      story.run(milliseconds: 999)
      #expect(story.commands().isEmpty)
      story.run(milliseconds: 1)
      #expect(story.commands() == (isConfirmed ? [] : [.disconnect(ConnectionID(index: 0))]))
      guard isConfirmed else { continue }
      // It asked last at 34 s.
      story.run(milliseconds: 13_999)
      #expect(story.commands().isEmpty)
      story.run(milliseconds: 1)
      #expect(story.commands() == [.disconnect(ConnectionID(index: 0))], "idle for 15 s, as any other")
    }
  }

  @Test("A new connection in the place of one that did not confirm is told of changes again")
  func reopened() {
    let story = showing()
    subscribe(story)
    story.node.core.neighbours.covidWatch.isPeripheral = false
    story.poll()
    story.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    subscribe(story)
    _ = sent(story)
    story.node.core.neighbours.covidWatch.isPeripheral = true
    story.poll()
    #expect(sent(story) == ["1D 08 00 19 00 FF FF"])
  }
}
