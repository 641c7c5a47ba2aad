import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

/// Peers that take more than is theirs: connections, buffers, time.
@Suite("Coordinator: peers that take what they can")
struct HostilePeerStories {
  private func stranger(_ number: Int) -> DeviceAddress {
    DeviceAddress(high: 0x4500, low: UInt32(number), kind: .random)
  }

  @Test("HP-24 Peers that begin to read and to write and never end leave a buffer for our own work")
  func buffersForUs() {
    let story = Story(payload: [UInt8](repeating: 7, count: 100))
    for connection in 0..<3 {
      story.happen(.opened(ConnectionID(index: connection), .peripheral, peer: stranger(connection)))
      story.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: connection)))
      story.happen(.pdu(hex("12 0E 00 01 40"), on: ConnectionID(index: connection)))
    }
    story.hear(Peer.android, Peer.androidAdvert)
    // A connection of theirs has to go for ours, after five seconds.
    story.run(seconds: 6)
    story.hear(Peer.android, Peer.androidAdvert)
    story.run(milliseconds: 10)
    let place = story.node.radio.open.contains(ConnectionID(index: 0)) ? 3 : 0
    story.readAndroid(on: place)
    #expect(story.count(.reads) == 1)
    #expect(story.count(.exchangesWithoutBuffer) == 0)
  }

  @Test("HP-25 A peer that answers slowly on its own connection keeps it no longer for that")
  func slowCaller() {
    let story = Story()
    for connection in 0..<3 {
      let address = stranger(connection)
      story.hear(address, "02 01 06 03 03 F6 FC", kind: .connectable.union(.legacy))
      story.happen(.opened(ConnectionID(index: connection), .peripheral, peer: address))
    }
    story.run(seconds: 6)
    story.hear(Peer.android, Peer.androidAdvert)
    story.run(milliseconds: 10)
    #expect(story.count(.connectionsGivenUp) >= 1)
    #expect(story.node.radio.connecting == Peer.android)
  }

  @Test("HP-25 A peer that asks again and again on its own connection keeps it no longer for that")
  func talkativeCaller() {
    let story = Story(payload: [1, 2, 3])
    for connection in 0..<3 {
      story.happen(.opened(ConnectionID(index: connection), .peripheral, peer: stranger(connection)))
    }
    for _ in 0..<11 {
      story.run(milliseconds: 500)
      for connection in 0..<3 { story.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: connection))) }
    }
    #expect(story.count(.connectionsGivenUp) == 0)
    story.hear(Peer.android, Peer.androidAdvert)
    story.run(milliseconds: 10)
    #expect(story.count(.connectionsGivenUp) == 1)
    #expect(story.node.radio.connecting == Peer.android)
  }

  @Test("HP-30 A message that waits for one peer does not end exchanges with others for the sake of a third")
  func messageAndOthers() {
    let one = RadioCapabilities(
      canAdvertise: true, canAdvertiseWhileConnected: true, canScanWhileConnecting: true, canConnect: true,
      connections: 1, maximumPDU: 247, publicAddress: .zero)
    let story = Story(capabilities: one)
    story.hear(Peer.android, Peer.androidAdvert)
    story.readAndroid()
    story.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    #expect(story.send([1], to: Peer.androidIdentity) == nil)
    story.run(milliseconds: 10)
    // It does not answer, and is put off.
    story.run(seconds: 9)
    story.hear(stranger(1), "02 01 06 03 03 F6 FC")
    story.hear(stranger(2), "02 01 06 03 03 F6 FC")
    let first = story.node.radio.connecting
    #expect(first != nil && first != Peer.android)
    story.happen(.opened(ConnectionID(index: 0), .central, peer: first ?? .zero))
    story.run(milliseconds: 100)
    #expect(story.count(.connectionsGivenUp) == 0)
    #expect(story.node.radio.open.count == 1)
  }

  @Test("HP-30 A message to a peer that turns out to have no service, or that refuses it, is counted as lost")
  func lostMessages() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert)
    #expect(story.send([1], to: Peer.androidIdentity) == nil)
    _ = story.commands()
    story.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    story.exchange("02 F7 00", "03 00 02")
    story.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A")
    story.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
    #expect(story.count(.messagesLost) == 1)
    story.run(milliseconds: 10)

    story.hear(Peer.iPhone, Peer.iPhoneAdvert)
    story.readIPhone(on: 1)
    story.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13", on: 1)
    story.happen(.closed(ConnectionID(index: 1), .localHostTerminated))
    #expect(story.send([2], to: TargetIdentity(Peer.iPhone)) == nil)
    story.run(milliseconds: 10)
    story.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
    story.remeetIPhone()
    #expect(story.requests().last == hex("12 12 00 04 01 00 02"))
    story.happen(.pdu(hex("01 12 12 00 0D"), on: ConnectionID(index: 0)))
    #expect(story.count(.messagesLost) == 2)
    #expect(story.count(.messagesSent) == 0)
  }

  @Test(
    "HP-30 A message whose writing failed on the peer's own connection keeps its buffer, and is written whole later"
  )
  func messageKeepsItsBuffer() {
    let story = Story()
    let peer = stranger(1)
    let message = hex("12 2A 00 04 02 00 AB CD")
    story.hear(peer, "02 01 06 03 03 F6 FC")
    _ = story.commands()
    story.happen(.opened(ConnectionID(index: 0), .peripheral, peer: peer))
    #expect(story.send([0xAB, 0xCD], to: TargetIdentity(peer)) == nil)
    story.exchange("02 F7 00", "03 00 02")
    story.exchange("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00")
    story.exchange(
      "08 28 00 2C 00 03 28", "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
    #expect(story.requests() == [message])
    story.run(seconds: 7)
    #expect(story.count(.exchangesTimedOut) == 1)
    // Somebody reads our payload: it must not get into the buffer of the message.
    story.happen(.opened(ConnectionID(index: 1), .peripheral, peer: Peer.iPhone))
    story.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: 1)))
    #expect(story.answers().last?.first == 0x0B)
    story.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    story.run(seconds: 9)
    story.hear(peer, "02 01 06 03 03 F6 FC")
    story.meetAndroid(on: 0, address: peer)
    #expect(story.requests() == [message])
    story.happen(.pdu(hex("13"), on: ConnectionID(index: 0)))
    #expect(story.count(.messagesSent) == 1 && story.count(.messagesLost) == 0)
  }

  @Test("HP-30 A peer that a message waits for is not evicted by a flood of addresses")
  func messageSurvivesFlood() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert)
    story.readAndroid()
    story.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    #expect(story.send([1], to: Peer.androidIdentity) == nil)
    // It takes no connection, and is put off: no attempt holds its place.
    story.run(seconds: 9)
    #expect(story.count(.attemptTimeouts) == 1)
    for number in 0..<40 {
      story.hear(stranger(number), "02 01 06 03 03 F6 FC")
      story.run(milliseconds: 50)
    }
    #expect(story.node.core.table.find(Peer.androidIdentity) != nil)
    #expect(story.count(.messagesLost) == 0)
  }

  @Test("HP-14 On a connection opened under the former address the new payload is not to be had")
  func formerConnection() {
    let story = Story()
    story.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    story.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: 0)))
    #expect(story.answers().last?.first == 0x0B)
    story.node.core.values.supplier.bytes = [0x09, 0x01]
    let isSet = story.node.core.setClock(unixMilliseconds: 1_800_000_000_000, at: story.now, source: .host)
    #expect(isSet)
    story.run(milliseconds: 10)
    #expect(story.count(.rotations) == 2)
    story.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: 0)))
    #expect(story.answers().last == hex("01 0A 10 00 11"))
    story.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    story.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    story.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: 0)))
    #expect(story.answers().last == hex("0B 09 01"))
  }
}
