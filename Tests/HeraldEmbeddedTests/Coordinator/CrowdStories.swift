import HeraldBluetooth
import HeraldHAL
import HeraldSimulation
import Testing

@Suite("Coordinator: among many who all want the same")
struct CrowdStories {
  static let advert = "02 01 06 03 03 F6 FC"

  static func peer(_ number: UInt32) -> DeviceAddress {
    DeviceAddress(high: 0x4000, low: number, kind: .random)
  }

  private func target(_ commands: [MockRadio.Command]) -> DeviceAddress? {
    commands.compactMap { if case .connect(let address, _) = $0 { address } else { nil } }.last
  }

  @Test("A peer that did not understand the request to connect is asked again soon, a little later each time")
  func unheard() {
    let story = Story()
    var waits: [UInt64] = []
    story.hear(Self.peer(1), Self.advert)
    for _ in 0..<9 {
      #expect(target(story.commands()) == Self.peer(1))
      story.happen(.opened(ConnectionID(index: 0), .central, peer: Self.peer(1)))
      story.run(milliseconds: 180)
      story.happen(.closed(ConnectionID(index: 0), .failedToBeEstablished))
      let start = story.now.milliseconds
      _ = story.commands()
      while story.now.milliseconds < start + 400_000 {
        story.hear(Self.peer(1), Self.advert)
        if story.node.radio.connecting != nil { break }
        story.run(milliseconds: 50)
      }
      waits.append(story.now.milliseconds - start)
    }
    // The last is the wait of a first failure of whatever kind.
    let expected: [UInt64] = [125, 250, 500, 1000, 1000, 1000, 1000, 1000, 4000]
    for (wait, least) in zip(waits, expected) { #expect(wait >= least && wait <= least + 700) }
    #expect(waits.count == 9)
    #expect(story.count(.exchangesDropped) == 9)
  }

  @Test("Of peers that are worth the same any is connected to: not all devices choose the same one")
  func chance() {
    var chosen: [UInt32: Int] = [:]
    for seed in 1...24 {
      let story = Story()
      story.node.core.random.generator = SeededGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
      story.hear(Self.peer(99), Self.advert)
      for number in 1...5 as ClosedRange<UInt32> {
        story.hear(Self.peer(number), Self.advert)
        story.hear(Self.peer(number), Self.advert)
      }
      _ = story.commands()
      story.happen(.failed(.failedToBeEstablished))
      chosen[target(story.commands())?.low ?? 0, default: 0] += 1
    }
    #expect(chosen.count >= 4)
    #expect(chosen.values.allSatisfy { $0 <= 12 })
  }

  @Test(
    "An attempt ends when the peer shows that it takes no connections, and begins anew as soon as it does again"
  )
  func full() {
    let story = Story()
    story.hear(Self.peer(1), Self.advert)
    #expect(target(story.commands()) == Self.peer(1))
    story.run(milliseconds: 300)
    story.hear(Self.peer(1), Self.advert, kind: .legacy)
    #expect(story.commands().isEmpty)
    // From then on it has the time in which a peer advertises once a second and answers.
    story.run(milliseconds: 1299)
    #expect(story.commands().isEmpty)
    story.run(milliseconds: 1)
    #expect(story.commands() == [.cancelConnect])
    #expect(story.count(.attemptsCut) == 1)
    for _ in 0..<10 {
      story.run(milliseconds: 300)
      story.hear(Self.peer(1), Self.advert, kind: .legacy)
    }
    #expect(story.commands().isEmpty)
    story.hear(Self.peer(1), Self.advert)
    story.run(milliseconds: 100)
    #expect(target(story.commands()) == Self.peer(1))
    #expect(story.violations.isEmpty)
  }

  @Test(
    "HP-21 A peer whose payload is wanted is read over the connection that it opened itself, which is then left to it"
  )
  func readBack() {
    let story = Story()
    story.hear(Self.peer(1), Self.advert)
    story.happen(.failed(.failedToBeEstablished))
    _ = story.commands()
    story.happen(.opened(ConnectionID(index: 2), .peripheral, peer: Self.peer(1)))
    story.exchange("02 F7 00", "03 00 02", on: 2)
    story.exchange("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00", on: 2)
    // It asks us as well.
    story.happen(.pdu(hex("02 F7 00"), on: ConnectionID(index: 2)))
    #expect(story.answers() == [hex("03 F7 00")])
    story.happen(
      .pdu(
        hex("09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)"),
        on: ConnectionID(index: 2)))
    story.exchange("0A 2C 00", "0B \(Peer.payload)", on: 2)
    #expect(story.count(.reads) == 1)
    story.run(seconds: 10)
    #expect(story.commands().isEmpty)
    // It is idle for too long: as with every peer's connection.
    story.run(seconds: 6)
    #expect(story.commands() == [.disconnect(ConnectionID(index: 2))])
    #expect(story.violations.isEmpty)
  }

  @Test(
    "A peer that closes its own connection before we have read it is connected to soon, as if nothing had been"
  )
  func closedEarly() {
    let story = Story()
    story.hear(Self.peer(1), Self.advert)
    story.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Self.peer(1)))
    story.run(milliseconds: 10)
    #expect(story.commands().contains(.cancelConnect))
    story.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    for _ in 0..<12 {
      story.run(milliseconds: 100)
      story.hear(Self.peer(1), Self.advert)
    }
    #expect(target(story.commands()) == Self.peer(1))
    #expect(story.violations.isEmpty)
  }

  @Test(
    "A connection of ours on which the peer asks for something stays open until it has been silent for 200 ms"
  )
  func lingers() {
    let story = Story()
    story.hear(Peer.android, Peer.androidAdvert)
    _ = story.commands()
    story.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    story.exchange("02 F7 00", "03 00 02")
    story.run(milliseconds: 50)
    story.happen(.pdu(hex("02 F7 00"), on: ConnectionID(index: 0)))
    story.exchange("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00")
    story.exchange(
      "08 28 00 2C 00 03 28", "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
    story.exchange("0A 2C 00", "0B \(Peer.payload)")
    #expect(story.count(.reads) == 1)
    story.run(milliseconds: 190)
    #expect(story.commands().isEmpty)
    story.run(milliseconds: 20)
    #expect(story.commands() == [.disconnect(ConnectionID(index: 0))])
  }

  @Test("A peer that is being read over its own connection is not connected to as well")
  func crossing() {
    let story = Story()
    story.node.radio.confirmsCancel = false
    story.hear(Self.peer(1), Self.advert)
    story.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Self.peer(1)))
    _ = story.commands()
    // Our request was understood before the cancellation.
    story.happen(.opened(ConnectionID(index: 1), .central, peer: Self.peer(1)))
    #expect(story.commands().contains(.disconnect(ConnectionID(index: 1))))
    story.happen(.pdu(hex("03 00 02"), on: ConnectionID(index: 0)))
    #expect(story.requests() == [hex("06 01 00 FF FF 00 28 F6 FC")])
    #expect(story.violations.isEmpty)
  }

  @Test("A peer that has no buffer for us now is asked again soon, as it is only busy with others")
  func busyPeer() {
    let story = Story()
    story.hear(Self.peer(1), Self.advert)
    story.happen(.opened(ConnectionID(index: 0), .central, peer: Self.peer(1)))
    _ = story.requests()
    story.happen(.pdu(hex("03 00 02"), on: ConnectionID(index: 0)))
    story.exchange("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00")
    story.exchange(
      "08 28 00 2C 00 03 28", "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
    story.exchange("0A 2C 00", "01 0A 2C 00 11")
    #expect(story.count(.exchangesRefused) == 1)
    #expect(story.commands() == [.disconnect(ConnectionID(index: 0))])
    story.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    for _ in 0..<8 {
      story.run(milliseconds: 100)
      story.hear(Self.peer(1), Self.advert)
    }
    #expect(target(story.commands()) == Self.peer(1))
  }

  @Test("A payload that is read at once keeps no buffer: many connections read it one after the other")
  func servedAtOnce() {
    let story = Story()
    for index in 0..<4 {
      story.happen(.opened(ConnectionID(index: index), .peripheral, peer: Self.peer(UInt32(index))))
      story.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: index)))
      #expect(story.answers().last?.first == 0x0B)
    }
    for index in 0..<4 {
      // Half of a message each, which takes a buffer each.
      story.happen(
        .pdu(hex("12 0E 00 00 C8 FF 28 00 01 02 03 04 05 06 07 08 09 0A"), on: ConnectionID(index: index)))
      #expect(story.answers() == [hex("13")])
    }
  }

  @Test(
    "With one stranger it is scanned a little, with two all the time, and 2 s after the last choice a little again"
  )
  func busyScanning() {
    let story = Story()
    let timing = story.node.core.context.configuration.scanTiming
    #expect(timing.window < timing.busyWindow)
    #expect(story.node.radio.scanning?.window == timing.window)
    story.hear(Self.peer(1), Self.advert)
    #expect(story.node.radio.connecting != nil)
    #expect(story.node.radio.scanning?.window == timing.window)
    story.hear(Self.peer(2), Self.advert)
    story.hear(Self.peer(3), Self.advert)
    story.happen(.failed(.failedToBeEstablished))
    #expect(story.node.radio.scanning?.window == timing.busyWindow)
    #expect(story.node.radio.scanning?.interval == timing.interval)
    story.run(milliseconds: 1999)
    #expect(story.node.radio.scanning?.window == timing.busyWindow)
    story.run(milliseconds: 1)
    #expect(story.node.radio.scanning?.window == timing.window)
    #expect(story.violations.isEmpty)
  }
}
