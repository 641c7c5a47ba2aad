import HeraldBluetooth
import HeraldHAL
import HeraldSimulation
import Testing

@Suite("Coordinator: crowds")
struct CoordinatorCrowdTests {
  static let advert = "02 01 06 03 03 F6 FC"

  static func peer(_ number: UInt32) -> DeviceAddress {
    DeviceAddress(high: 0x4000, low: number, kind: .random)
  }

  private func target(_ commands: [MockRadio.Command]) -> DeviceAddress? {
    commands.compactMap { if case .connect(let address, _) = $0 { address } else { nil } }.last
  }

  @Test("A peer that did not understand the request to connect is asked again soon, a little later each time")
  func unheard() {
    let scenario = Scenario()
    var waits: [UInt64] = []
    scenario.hear(Self.peer(1), Self.advert)
    for _ in 0..<9 {
      #expect(target(scenario.commands()) == Self.peer(1))
      scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Self.peer(1)))
      scenario.run(milliseconds: 180)
      scenario.happen(.closed(ConnectionID(index: 0), .failedToBeEstablished))
      let start = scenario.now.milliseconds
      _ = scenario.commands()
      while scenario.now.milliseconds < start + 400_000 {
        scenario.hear(Self.peer(1), Self.advert)
        if scenario.node.radio.connecting != nil { break }
        scenario.run(milliseconds: 50)
      }
      waits.append(scenario.now.milliseconds - start)
    }
    // The last is the wait of a first failure of whatever kind.
    let expected: [UInt64] = [125, 250, 500, 1000, 1000, 1000, 1000, 1000, 4000]
    for (wait, least) in zip(waits, expected) { #expect(wait >= least && wait <= least + 700) }
    #expect(waits.count == 9)
    #expect(scenario.count(.exchangesDropped) == 9)
  }

  @Test("Of peers that are worth the same any is connected to: not all devices choose the same one")
  func chance() {
    var chosen: [UInt32: Int] = [:]
    for seed in 1...24 {
      let scenario = Scenario()
      scenario.node.core.random.generator = SeededGenerator(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15)
      scenario.hear(Self.peer(99), Self.advert)
      for number in 1...5 as ClosedRange<UInt32> {
        scenario.hear(Self.peer(number), Self.advert)
        scenario.hear(Self.peer(number), Self.advert)
      }
      _ = scenario.commands()
      scenario.happen(.failed(.failedToBeEstablished))
      chosen[target(scenario.commands())?.low ?? 0, default: 0] += 1
    }
    #expect(chosen.count >= 4)
    #expect(chosen.values.allSatisfy { $0 <= 12 })
  }

  @Test(
    "An attempt ends when the peer shows that it takes no connections, and begins anew as soon as it does again"
  )
  func full() {
    let scenario = Scenario()
    scenario.hear(Self.peer(1), Self.advert)
    #expect(target(scenario.commands()) == Self.peer(1))
    scenario.run(milliseconds: 300)
    scenario.hear(Self.peer(1), Self.advert, kind: .legacy)
    #expect(scenario.commands().isEmpty)
    // From then on it has the time in which a peer advertises once a second and answers.
    scenario.run(milliseconds: 1299)
    #expect(scenario.commands().isEmpty)
    scenario.run(milliseconds: 1)
    #expect(scenario.commands() == [.cancelConnect])
    #expect(scenario.count(.attemptsCut) == 1)
    for _ in 0..<10 {
      scenario.run(milliseconds: 300)
      scenario.hear(Self.peer(1), Self.advert, kind: .legacy)
    }
    #expect(scenario.commands().isEmpty)
    scenario.hear(Self.peer(1), Self.advert)
    scenario.run(milliseconds: 100)
    #expect(target(scenario.commands()) == Self.peer(1))
    #expect(scenario.violations.isEmpty)
  }

  @Test(
    "HP-21 A peer whose payload is wanted is read over the connection that it opened itself, which is then left to it"
  )
  func readBack() {
    let scenario = Scenario()
    scenario.hear(Self.peer(1), Self.advert)
    scenario.happen(.failed(.failedToBeEstablished))
    _ = scenario.commands()
    scenario.happen(.opened(ConnectionID(index: 2), .peripheral, peer: Self.peer(1)))
    scenario.exchange("02 F7 00", "03 00 02", on: 2)
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00", on: 2)
    // It asks us as well.
    scenario.happen(.pdu(hex("02 F7 00"), on: ConnectionID(index: 2)))
    #expect(scenario.answers() == [hex("03 F7 00")])
    scenario.happen(
      .pdu(
        hex("09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)"),
        on: ConnectionID(index: 2)))
    scenario.exchange("0A 2C 00", "0B \(Peer.payload)", on: 2)
    #expect(scenario.count(.reads) == 1)
    scenario.run(seconds: 10)
    #expect(scenario.commands().isEmpty)
    // It is idle for too long: as with every peer's connection.
    scenario.run(seconds: 6)
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 2))])
    #expect(scenario.violations.isEmpty)
  }

  @Test(
    "A peer that closes its own connection before we have read it is connected to soon, as if nothing had been"
  )
  func closedEarly() {
    let scenario = Scenario()
    scenario.hear(Self.peer(1), Self.advert)
    scenario.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Self.peer(1)))
    scenario.run(milliseconds: 10)
    #expect(scenario.commands().contains(.cancelConnect))
    scenario.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    for _ in 0..<12 {
      scenario.run(milliseconds: 100)
      scenario.hear(Self.peer(1), Self.advert)
    }
    #expect(target(scenario.commands()) == Self.peer(1))
    #expect(scenario.violations.isEmpty)
  }

  @Test(
    "A connection of ours on which the peer asks for something stays open until it has been silent for 200 ms"
  )
  func lingers() {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    _ = scenario.commands()
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    scenario.exchange("02 F7 00", "03 00 02")
    scenario.run(milliseconds: 50)
    scenario.happen(.pdu(hex("02 F7 00"), on: ConnectionID(index: 0)))
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00")
    scenario.exchange(
      "08 28 00 2C 00 03 28", "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
    scenario.exchange("0A 2C 00", "0B \(Peer.payload)")
    #expect(scenario.count(.reads) == 1)
    scenario.run(milliseconds: 190)
    #expect(scenario.commands().isEmpty)
    scenario.run(milliseconds: 20)
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
  }

  @Test("A peer that is being read over its own connection is not connected to as well")
  func crossing() {
    let scenario = Scenario()
    scenario.node.radio.confirmsCancel = false
    scenario.hear(Self.peer(1), Self.advert)
    scenario.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Self.peer(1)))
    _ = scenario.commands()
    // Our request was understood before the cancellation.
    scenario.happen(.opened(ConnectionID(index: 1), .central, peer: Self.peer(1)))
    #expect(scenario.commands().contains(.disconnect(ConnectionID(index: 1))))
    scenario.happen(.pdu(hex("03 00 02"), on: ConnectionID(index: 0)))
    #expect(scenario.requests() == [hex("06 01 00 FF FF 00 28 F6 FC")])
    #expect(scenario.violations.isEmpty)
  }

  @Test("A peer that has no buffer for us now is asked again soon, as it is only busy with others")
  func busyPeer() {
    let scenario = Scenario()
    scenario.hear(Self.peer(1), Self.advert)
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Self.peer(1)))
    _ = scenario.requests()
    scenario.happen(.pdu(hex("03 00 02"), on: ConnectionID(index: 0)))
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "07 28 00 2C 00")
    scenario.exchange(
      "08 28 00 2C 00 03 28", "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
    scenario.exchange("0A 2C 00", "01 0A 2C 00 11")
    #expect(scenario.count(.exchangesRefused) == 1)
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    for _ in 0..<8 {
      scenario.run(milliseconds: 100)
      scenario.hear(Self.peer(1), Self.advert)
    }
    #expect(target(scenario.commands()) == Self.peer(1))
  }

  @Test("A payload that is read at once keeps no buffer: many connections read it one after the other")
  func servedAtOnce() {
    let scenario = Scenario()
    for index in 0..<4 {
      scenario.happen(.opened(ConnectionID(index: index), .peripheral, peer: Self.peer(UInt32(index))))
      scenario.happen(.pdu(hex("0A 10 00"), on: ConnectionID(index: index)))
      #expect(scenario.answers().last?.first == 0x0B)
    }
    for index in 0..<4 {
      // Half of a message each, which takes a buffer each.
      scenario.happen(
        .pdu(hex("12 0E 00 00 C8 FF 28 00 01 02 03 04 05 06 07 08 09 0A"), on: ConnectionID(index: index)))
      #expect(scenario.answers() == [hex("13")])
    }
  }

  @Test(
    "With one stranger it is scanned a little, with two all the time, and 2 s after the last choice a little again"
  )
  func busyScanning() {
    let scenario = Scenario()
    let timing = scenario.node.core.context.configuration.scanTiming
    #expect(timing.window < timing.busyWindow)
    #expect(scenario.node.radio.scanning?.window == timing.window)
    scenario.hear(Self.peer(1), Self.advert)
    #expect(scenario.node.radio.connecting != nil)
    #expect(scenario.node.radio.scanning?.window == timing.window)
    scenario.hear(Self.peer(2), Self.advert)
    scenario.hear(Self.peer(3), Self.advert)
    scenario.happen(.failed(.failedToBeEstablished))
    #expect(scenario.node.radio.scanning?.window == timing.busyWindow)
    #expect(scenario.node.radio.scanning?.interval == timing.interval)
    scenario.run(milliseconds: 1999)
    #expect(scenario.node.radio.scanning?.window == timing.busyWindow)
    scenario.run(milliseconds: 1)
    #expect(scenario.node.radio.scanning?.window == timing.window)
    #expect(scenario.violations.isEmpty)
  }
}
