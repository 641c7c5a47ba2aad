import HeraldBluetooth
import HeraldSimulation
import Testing

private func advert(_ index: Int) -> String {
  "02 01 1A 03 03 19 C0 13 16 19 C0 \(text([UInt8](repeating: 0x55, count: 15) + [UInt8(index & 0xFF)]))"
}

@Suite("Floods of other systems' codes")
struct NeighbourFloodStories {
  private func observer() -> NeighbourStory { .withNeighbours { $0.covidWatch.isObserver = true } }

  @Test(
    "HP-52 A peer that changes its number all the time has one in sixteen seconds logged; the rest is counted"
  )
  func oneChanging() {
    let story = observer()
    for index in 0..<160 {
      story.hear(Peer.android, advert(index))
      story.run(seconds: 1)
    }
    let logged = story.codes().count
    #expect(logged == 10)
    #expect(story.count(.signalsDropped) == 150 && story.count(.readings) == 160)
    // What is shown on is logged in the end.
    story.run(seconds: 16)
    story.hear(Peer.android, advert(159))
    #expect(story.codes().last?.hasSuffix("55 9F") == true)
  }

  @Test(
    "HP-52 Made-up peers with a number each bring 2 KiB of them to the log at once, and two a second from then on"
  )
  func manyPeers() {
    let story = observer()
    for index in 0..<200 {
      story.hear(DeviceAddress(high: 0x6A02, low: UInt32(index), kind: .random), advert(index))
    }
    #expect(story.codes().count == 79 && story.count(.signalsDropped) == 121)
    story.run(seconds: 1)
    for index in 0..<20 {
      story.hear(DeviceAddress(high: 0x6A03, low: UInt32(index), kind: .random), advert(index))
    }
    #expect(story.codes().count == 82)
  }

  @Test(
    "HP-54 Who reads numbers all the time, over ever new connections, is refused at last, and takes nothing from who writes"
  )
  func reader() {
    let story = NeighbourStory.withNeighbours { $0.covidWatch.isPeripheral = true }
    var given = 0
    for _ in 0..<6 {
      story.peerConnects(Peer.android, on: 1)
      while story.ask("0A 1B 00", on: 1).hasPrefix("0B ") { given += 1 }
      #expect(story.ask("0A 1B 00", on: 1) == "01 0A 1B 00 11")
      story.happen(.closed(ConnectionID(index: 1), .remoteUserTerminated))
    }
    // 2 KiB for one address, on however many connections.
    #expect(given == 93)
    for number in 0..<6 {
      story.peerConnects(DeviceAddress(high: 0x6A04, low: UInt32(number), kind: .random), on: 1)
      while story.ask("0A 1B 00", on: 1).hasPrefix("0B ") { given += 1 }
      story.happen(.closed(ConnectionID(index: 1), .remoteUserTerminated))
    }
    // 8 KiB in all.
    #expect(given == 373)
    story.peerConnects(Peer.iPhone)
    #expect(story.ask("12 11 00 02 C6 FF") == "13")
    #expect(story.count(.signalsDropped) == 0 && story.count(.readings) == 1)
  }
}
