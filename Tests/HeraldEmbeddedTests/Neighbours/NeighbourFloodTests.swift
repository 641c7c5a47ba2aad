import HeraldBluetooth
import HeraldNeighbours
import HeraldSimulation
import Testing

private func advert(_ index: Int) -> String {
  "02 01 1A 03 03 19 C0 13 16 19 C0 \(text([UInt8](repeating: 0x55, count: 15) + [UInt8(index & 0xFF)]))"
}

@Suite("Floods of other systems' codes")
struct NeighbourFloodTests {
  private func observer() -> NeighbourScenario { .withNeighbours { $0.covidWatch.isObserver = true } }

  @Test(
    "HP-52 A peer that changes its number all the time has one in sixteen seconds logged; the rest is counted"
  )
  func oneChanging() {
    let scenario = observer()
    for index in 0..<160 {
      scenario.hear(Peer.android, advert(index))
      scenario.run(seconds: 1)
    }
    let logged = scenario.codes().count
    #expect(logged == 10)
    #expect(scenario.count(.signalsDropped) == 150 && scenario.count(.readings) == 160)
    // What is shown on is logged in the end.
    scenario.run(seconds: 16)
    scenario.hear(Peer.android, advert(159))
    #expect(scenario.codes().last?.hasSuffix("55 9F") == true)
  }

  @Test(
    "HP-52 Made-up peers with a number each bring 2 KiB of them to the log at once, and two a second from then on"
  )
  func manyPeers() {
    let scenario = observer()
    for index in 0..<200 {
      scenario.hear(DeviceAddress(high: 0x6A02, low: UInt32(index), kind: .random), advert(index))
    }
    #expect(scenario.codes().count == 79 && scenario.count(.signalsDropped) == 121)
    scenario.run(seconds: 1)
    for index in 0..<20 {
      scenario.hear(DeviceAddress(high: 0x6A03, low: UInt32(index), kind: .random), advert(index))
    }
    #expect(scenario.codes().count == 82)
  }

  @Test(
    "HP-54 Who reads numbers all the time, over ever new connections, is refused at last, and takes nothing from who writes"
  )
  func reader() {
    let scenario = NeighbourScenario.withNeighbours { $0.covidWatch.isPeripheral = true }
    var given = 0
    for _ in 0..<6 {
      scenario.peerConnects(Peer.android, on: 1)
      while scenario.ask("0A 1B 00", on: 1).hasPrefix("0B ") { given += 1 }
      #expect(scenario.ask("0A 1B 00", on: 1) == "01 0A 1B 00 11")
      scenario.happen(.closed(ConnectionID(index: 1), .remoteUserTerminated))
    }
    // 2 KiB for one address, on however many connections.
    #expect(given == 93)
    for number in 0..<6 {
      scenario.peerConnects(DeviceAddress(high: 0x6A04, low: UInt32(number), kind: .random), on: 1)
      while scenario.ask("0A 1B 00", on: 1).hasPrefix("0B ") { given += 1 }
      scenario.happen(.closed(ConnectionID(index: 1), .remoteUserTerminated))
    }
    // 8 KiB in all.
    #expect(given == 373)
    scenario.peerConnects(Peer.iPhone)
    #expect(scenario.ask("12 11 00 02 C6 FF") == "13")
    #expect(scenario.count(.signalsDropped) == 0 && scenario.count(.readings) == 1)
  }
}
