import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

/// Peers that take more than is theirs: connections, buffers, time.
@Suite("Coordinator: hostile peers")
struct HostilePeerTests {
  private func stranger(_ number: Int) -> DeviceAddress {
    DeviceAddress(high: 0x4500, low: UInt32(number), kind: .random)
  }

  @Test("HP-24 Peers that begin to read and to write and never end leave a buffer for our own work")
  func buffersForUs() {
    let scenario = Scenario(payload: [UInt8](repeating: 7, count: 100))
    for connection in 0..<3 {
      scenario.happen(.opened(ConnectionID(index: connection), .peripheral, peer: stranger(connection)))
      scenario.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: connection)))
      scenario.happen(.pdu(hex("12 0E 00 01 40"), on: ConnectionID(index: connection)))
    }
    scenario.hear(Peer.android, Peer.androidAdvert)
    // A connection of theirs has to go for ours, after five seconds.
    scenario.run(seconds: 6)
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.run(milliseconds: 10)
    let place = scenario.node.radio.open.contains(ConnectionID(index: 0)) ? 3 : 0
    scenario.readAndroid(on: place)
    #expect(scenario.count(.reads) == 1)
    #expect(scenario.count(.exchangesWithoutBuffer) == 0)
  }

  @Test("HP-25 A peer that answers slowly on its own connection keeps it no longer for that")
  func slowCaller() {
    let scenario = Scenario()
    for connection in 0..<3 {
      let address = stranger(connection)
      scenario.hear(address, "02 01 06 03 03 F6 FC", kind: .connectable.union(.legacy))
      scenario.happen(.opened(ConnectionID(index: connection), .peripheral, peer: address))
    }
    scenario.run(seconds: 6)
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.run(milliseconds: 10)
    #expect(scenario.count(.connectionsGivenUp) >= 1)
    #expect(scenario.node.radio.connecting == Peer.android)
  }

  @Test("HP-25 A peer that asks again and again on its own connection keeps it no longer for that")
  func talkativeCaller() {
    let scenario = Scenario(payload: [1, 2, 3])
    for connection in 0..<3 {
      scenario.happen(.opened(ConnectionID(index: connection), .peripheral, peer: stranger(connection)))
    }
    for _ in 0..<11 {
      scenario.run(milliseconds: 500)
      for connection in 0..<3 { scenario.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: connection))) }
    }
    #expect(scenario.count(.connectionsGivenUp) == 0)
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.run(milliseconds: 10)
    #expect(scenario.count(.connectionsGivenUp) == 1)
    #expect(scenario.node.radio.connecting == Peer.android)
  }

  @Test("HP-30 A message that waits for one peer does not end exchanges with others for the sake of a third")
  func messageAndOthers() {
    let one = RadioCapabilities(
      canAdvertise: true, canAdvertiseWhileConnected: true, canScanWhileConnecting: true, canConnect: true,
      connections: 1, maximumPDU: 247, publicAddress: .zero)
    let scenario = Scenario(capabilities: one)
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    #expect(scenario.send([1], to: Peer.androidIdentity) == nil)
    scenario.run(milliseconds: 10)
    // It does not answer, and is put off.
    scenario.run(seconds: 9)
    scenario.hear(stranger(1), "02 01 06 03 03 F6 FC")
    scenario.hear(stranger(2), "02 01 06 03 03 F6 FC")
    let first = scenario.node.radio.connecting
    #expect(first != nil && first != Peer.android)
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: first ?? .zero))
    scenario.run(milliseconds: 100)
    #expect(scenario.count(.connectionsGivenUp) == 0)
    #expect(scenario.node.radio.open.count == 1)
  }

  @Test("HP-30 A message to a peer that turns out to have no service, or that refuses it, is counted as lost")
  func lostMessages() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(scenario.send([1], to: Peer.androidIdentity) == nil)
    _ = scenario.commands()
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    scenario.exchange("02 F7 00", "03 00 02")
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
    #expect(scenario.count(.messagesLost) == 1)
    scenario.run(milliseconds: 10)

    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    scenario.readIPhone(on: 1)
    scenario.exchange("12 12 00 01 0D 00 08 01 00 02 00 03 00 00 00 00 00 00 00", "13", on: 1)
    scenario.happen(.closed(ConnectionID(index: 1), .localHostTerminated))
    #expect(scenario.send([2], to: TargetIdentity(Peer.iPhone)) == nil)
    scenario.run(milliseconds: 10)
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
    scenario.remeetIPhone()
    #expect(scenario.requests().last == hex("12 12 00 04 01 00 02"))
    scenario.happen(.pdu(hex("01 12 12 00 0D"), on: ConnectionID(index: 0)))
    #expect(scenario.count(.messagesLost) == 2)
    #expect(scenario.count(.messagesSent) == 0)
  }

  @Test(
    "HP-30 A message whose writing failed on the peer's own connection keeps its buffer, and is written whole later"
  )
  func messageKeepsItsBuffer() {
    let scenario = Scenario()
    let peer = stranger(1)
    let message = hex("12 2A 00 04 02 00 AB CD")
    scenario.hear(peer, "02 01 06 03 03 F6 FC")
    _ = scenario.commands()
    scenario.happen(.opened(ConnectionID(index: 0), .peripheral, peer: peer))
    #expect(scenario.send([0xAB, 0xCD], to: TargetIdentity(peer)) == nil)
    scenario.exchange("02 F7 00", "03 00 02")
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00")
    scenario.exchange(
      "08 28 00 2C 00 03 28", "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
    #expect(scenario.requests() == [message])
    scenario.run(seconds: 7)
    #expect(scenario.count(.exchangesTimedOut) == 1)
    // Somebody reads our payload: it must not get into the buffer of the message.
    scenario.happen(.opened(ConnectionID(index: 1), .peripheral, peer: Peer.iPhone))
    scenario.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: 1)))
    #expect(scenario.answers().last?.first == 0x0B)
    scenario.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    scenario.run(seconds: 9)
    scenario.hear(peer, "02 01 06 03 03 F6 FC")
    scenario.meetAndroid(on: 0, address: peer)
    #expect(scenario.requests() == [message])
    scenario.happen(.pdu(hex("13"), on: ConnectionID(index: 0)))
    #expect(scenario.count(.messagesSent) == 1 && scenario.count(.messagesLost) == 0)
  }

  @Test("HP-30 A peer that a message waits for is not evicted by a flood of addresses")
  func messageSurvivesFlood() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid()
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    #expect(scenario.send([1], to: Peer.androidIdentity) == nil)
    // It takes no connection, and is put off: no attempt holds its place.
    scenario.run(seconds: 9)
    #expect(scenario.count(.attemptTimeouts) == 1)
    for number in 0..<40 {
      scenario.hear(stranger(number), "02 01 06 03 03 F6 FC")
      scenario.run(milliseconds: 50)
    }
    #expect(scenario.node.core.table.find(Peer.androidIdentity) != nil)
    #expect(scenario.count(.messagesLost) == 0)
  }

  @Test("HP-14 On a connection opened under the former address the new payload is not to be had")
  func formerConnection() {
    let scenario = Scenario()
    scenario.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    scenario.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: 0)))
    #expect(scenario.answers().last?.first == 0x0B)
    scenario.node.core.values.supplier.bytes = [0x09, 0x01]
    let isSet = scenario.node.core.setClock(
      unixMilliseconds: 1_800_000_000_000, at: scenario.now, source: .host)
    #expect(isSet)
    scenario.run(milliseconds: 10)
    #expect(scenario.count(.rotations) == 2)
    scenario.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: 0)))
    #expect(scenario.answers().last == hex("01 0A 10 00 11"))
    scenario.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    scenario.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    scenario.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: 0)))
    #expect(scenario.answers().last == hex("0B 09 01"))
  }
}
