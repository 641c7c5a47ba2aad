import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

private let number = "A0 A1 A2 A3 A4 A5 46 A7 88 A9 AA AB AC AD AE AF"
/// An iPhone with CovidWatch in the foreground: the service, and no data of it.
private let covidWatchAdvert = "02 01 1A 02 0A 0C 03 03 19 C0"
private let c19xService = "00 00 00 00 00 00 00 00 13 1F FE 83 81 D4 22 00"
private let c19xAdvert = "02 01 02 11 07 \(c19xService)"
private let numberUUID = "62 7F 61 EA D2 C9 46 9E 04 4B 6B 3D 27 4F 1F D6"

@Suite("Codes read over a connection")
struct CodeReadingStories {
  private let iPhone = TargetIdentity(Peer.iPhone)
  private let connection = ConnectionID(index: 0)

  private func observer(covidWatch: Bool = true, c19x: Bool = false) -> NeighbourStory {
    .withNeighbours {
      $0.covidWatch.isObserver = covidWatch
      $0.c19x.isObserver = c19x
    }
  }

  /// The peer is heard, and takes the connection that follows.
  private func meet(_ story: NeighbourStory, _ advert: String, _ peer: DeviceAddress = Peer.iPhone) {
    story.hear(peer, advert, rssi: -55)
    #expect(story.node.radio.connecting == peer)
    _ = story.commands()
    story.happen(.opened(connection, .central, peer: peer))
    story.exchange("02 F7 00", "03 00 02")
  }

  /// The connection is closed by us and by nobody else, and what was asked before is all.
  private func expectClosed(_ story: NeighbourStory, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(story.commands() == [.disconnect(connection)], sourceLocation: sourceLocation)
  }

  @Test(
    "HP-53 An iPhone's number is read from its characteristic, logged and reported, and the connection closed"
  )
  func number16() {
    let story = observer()
    meet(story, covidWatchAdvert)
    story.exchange("06 01 00 FF FF 00 28 19 C0", "07 30 00 35 00")
    story.exchange("08 30 00 35 00 03 28", "09 15 31 00 0A 32 00 \(numberUUID)")
    story.exchange("08 33 00 35 00 03 28", "01 08 33 00 0A")
    story.exchange("0A 32 00", "0B \(number)")
    expectClosed(story)
    #expect(story.heard().contains(.observe(iPhone, .covidWatch, hex(number))))
    #expect(story.codes() == ["neighbour iPhone covidWatch \(number)"])
    // Heard on: measured, and left alone for the number's quarter of an hour, then read again.
    for _ in 0..<14 {
      story.run(seconds: 60)
      story.hear(Peer.iPhone, covidWatchAdvert)
    }
    #expect(story.count(.attempts) == 1 && story.count(.readings) == 15)
    story.run(seconds: 120)
    story.hear(Peer.iPhone, covidWatchAdvert)
    #expect(story.count(.attempts) == 2)
    #expect(story.violations.isEmpty)
  }

  @Test(
    "A characteristic of fewer than sixteen or more than twenty bytes is no number; the peer is tried again later",
    arguments: [0, 1, 15, 21, 22, 40])
  func lengths(count: Int) {
    let story = observer()
    meet(story, covidWatchAdvert)
    story.exchange("06 01 00 FF FF 00 28 19 C0", "07 30 00 32 00")
    story.exchange("08 30 00 32 00 03 28", "09 15 31 00 0A 32 00 \(numberUUID)")
    story.exchange("0A 32 00", "0B \(text([UInt8](repeating: 9, count: count)))")
    expectClosed(story)
    #expect(story.codes().isEmpty)
    #expect(story.count(.exchangesMalformed) == 1)
    story.run(seconds: 6)
    story.hear(Peer.iPhone, covidWatchAdvert)
    #expect(story.count(.attempts) == 2)
  }

  @Test(
    "A peer that never answers is given up in time, whatever it was asked, and tried again ever more rarely")
  func silent() {
    for answered in 0...2 {
      let story = observer()
      meet(story, covidWatchAdvert)
      if answered > 0 { story.exchange("06 01 00 FF FF 00 28 19 C0", "07 30 00 32 00") }
      if answered > 1 { story.exchange("08 30 00 32 00 03 28", "09 15 31 00 0A 32 00 \(numberUUID)") }
      story.run(seconds: 7)
      #expect(story.commands().contains(.disconnect(connection)))
      #expect(story.count(.exchangesTimedOut) == 1)
      for _ in 0..<600 {
        story.hear(Peer.iPhone, covidWatchAdvert)
        if story.node.radio.connecting != nil { story.happen(.failed(.connectionTimeout)) }
        story.run(seconds: 1)
      }
      #expect(story.count(.attempts) > 3 && story.count(.attempts) < 10)
    }
  }

  @Test(
    "HP-55 The code is the lower half of the characteristic's UUID: one connection, no read, none again for a day"
  )
  func code() {
    let story = observer(covidWatch: false, c19x: true)
    meet(story, c19xAdvert, Peer.android)
    story.exchange("06 01 00 FF FF 00 28 \(c19xService)", "07 28 00 2A 00")
    story.exchange(
      "08 28 00 2A 00 03 28", "09 15 29 00 08 2A 00 B3 A5 CC F7 AB 44 1D B2 13 1F FE 83 81 D4 22 00")
    expectClosed(story)
    #expect(story.codes() == ["neighbour 2030405 c19x B2 1D 44 AB F7 CC A5 B3"])
    for _ in 0..<(23 * 6) {
      story.run(seconds: 600)
      story.hear(Peer.android, c19xAdvert)
    }
    #expect(story.count(.attempts) == 1)
    story.run(seconds: 600)
    for _ in 0..<7 {
      story.hear(Peer.android, c19xAdvert)
      story.run(seconds: 600)
    }
    #expect(story.count(.attempts) == 2)
  }

  @Test(
    "A code that changes while it is looked for is one of the two, whole; a service without one is nothing")
  func changing() {
    let story = observer(covidWatch: false, c19x: true)
    meet(story, c19xAdvert)
    story.exchange("06 01 00 FF FF 00 28 \(c19xService)", "07 28 00 2D 00")
    story.exchange(
      "08 28 00 2D 00 03 28", "09 15 29 00 08 2A 00 B3 A5 CC F7 AB 44 1D B2 13 1F FE 83 81 D4 22 00")
    story.exchange(
      "08 2B 00 2D 00 03 28", "09 15 2B 00 08 2C 00 01 02 03 04 05 06 07 08 13 1F FE 83 81 D4 22 00")
    story.exchange("08 2D 00 2D 00 03 28", "01 08 2D 00 0A")
    expectClosed(story)
    #expect(story.codes() == ["neighbour iPhone c19x B2 1D 44 AB F7 CC A5 B3"])

    let empty = observer(covidWatch: false, c19x: true)
    meet(empty, c19xAdvert)
    empty.exchange("06 01 00 FF FF 00 28 \(c19xService)", "07 28 00 2A 00")
    empty.exchange("08 28 00 2A 00 03 28", "09 15 29 00 08 2A 00 \(numberUUID)")
    expectClosed(empty)
    #expect(empty.codes().isEmpty && empty.count(.withoutService) == 1)
  }

  @Test(
    "HP-53 HP-55 An iPhone in the background hides all it has: it is asked about Herald, then about both systems"
  )
  func hidden() {
    let story = observer(c19x: true)
    meet(story, Peer.iPhoneBackground)
    story.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A")
    story.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
    story.exchange("06 01 00 FF FF 00 28 19 C0", "07 30 00 32 00")
    story.exchange("08 30 00 32 00 03 28", "09 15 31 00 0A 32 00 \(numberUUID)")
    story.exchange("0A 32 00", "0B \(number)")
    story.exchange("06 01 00 FF FF 00 28 \(c19xService)", "07 38 00 3A 00")
    story.exchange(
      "08 38 00 3A 00 03 28", "09 15 39 00 18 3A 00 B3 A5 CC F7 AB 44 1D B2 13 1F FE 83 81 D4 22 00")
    expectClosed(story)
    #expect(
      story.codes() == [
        "neighbour iPhone covidWatch \(number)", "neighbour iPhone c19x B2 1D 44 AB F7 CC A5 B3",
      ])
    story.run(seconds: 60)
    story.hear(Peer.iPhone, Peer.iPhoneBackground)
    #expect(story.count(.attempts) == 1 && story.count(.readings) == 2)
  }

  @Test("An iPhone with Herald and CovidWatch is both, over one connection")
  func both() {
    let story = observer()
    meet(story, Peer.iPhoneAdvert)
    story.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A")
    story.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "07 28 00 2C 00")
    story.exchange(
      "08 28 00 2C 00 03 28",
      "09 15 29 00 18 2A 00 \(Peer.otherSignalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
    story.exchange("0A 2C 00", "0B \(Peer.payload)")
    story.exchange("06 01 00 FF FF 00 28 19 C0", "07 30 00 32 00")
    story.exchange("08 30 00 32 00 03 28", "09 15 31 00 0A 32 00 \(numberUUID)")
    story.exchange("0A 32 00", "0B \(number)")
    #expect(story.count(.reads) == 1)
    #expect(story.codes() == ["neighbour iPhone covidWatch \(number)"])
    #expect(story.node.core.table[0].state == .read)
  }

  private let heraldAdvert = "02 01 1A 03 03 F6 FC"

  private func readCode(_ story: NeighbourStory) {
    story.exchange(
      "08 28 00 2A 00 03 28", "09 15 29 00 08 2A 00 B3 A5 CC F7 AB 44 1D B2 13 1F FE 83 81 D4 22 00")
    #expect(story.commands().contains(.disconnect(connection)))
    #expect(story.codes() == ["neighbour 2030405 c19x B2 1D 44 AB F7 CC A5 B3"])
    story.happen(.closed(connection, .localHostTerminated))
  }

  @Test("A peer whose code was read has its payload read as soon as it shows Herald's service, too")
  func heraldLater() {
    let story = observer(covidWatch: false, c19x: true)
    meet(story, c19xAdvert, Peer.android)
    story.exchange("06 01 00 FF FF 00 28 \(c19xService)", "07 28 00 2A 00")
    readCode(story)
    story.run(seconds: 60)
    story.hear(Peer.android, heraldAdvert)
    #expect(story.node.radio.connecting == Peer.android)
    story.readAndroid()
    #expect(story.count(.reads) == 1 && story.codes().count == 1)
  }

  @Test("A peer that shows Herald's service while its code is read has its payload read next")
  func heraldMeanwhile() {
    let story = observer(covidWatch: false, c19x: true)
    meet(story, c19xAdvert, Peer.android)
    story.exchange("06 01 00 FF FF 00 28 \(c19xService)", "07 28 00 2A 00")
    story.hear(Peer.android, heraldAdvert)
    readCode(story)
    #expect(story.node.radio.connecting == Peer.android)
    story.readAndroid()
    #expect(story.count(.reads) == 1 && story.codes().count == 1)
  }

  @Test(
    "A peer with a code that shows Herald's service and does not have it yet is asked again after a minute")
  func heraldInVain() {
    let story = observer(covidWatch: false, c19x: true)
    meet(story, heraldAdvert, Peer.android)
    story.hear(Peer.android, c19xAdvert)
    story.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A")
    story.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
    story.exchange("06 01 00 FF FF 00 28 \(c19xService)", "07 28 00 2A 00")
    readCode(story)
    for _ in 0..<59 {
      story.hear(Peer.android, c19xAdvert)
      story.hear(Peer.android, heraldAdvert)
      story.run(seconds: 1)
    }
    #expect(story.count(.attempts) == 1)
    story.run(seconds: 1)
    story.hear(Peer.android, heraldAdvert)
    #expect(story.node.radio.connecting == Peer.android)
    story.readAndroid()
    #expect(story.count(.reads) == 1 && story.codes().count == 1)
  }

  @Test("A device that observes nothing asks nobody about codes")
  func off() {
    let story = NeighbourStory()
    story.hear(Peer.iPhone, Peer.iPhoneBackground)
    story.happen(.opened(connection, .central, peer: Peer.iPhone))
    _ = story.requests()
    story.happen(.pdu(hex("03 00 02"), on: connection))
    story.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A")
    story.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
    expectClosed(story)
    story.hear(Peer.android, covidWatchAdvert)
    story.hear(Peer.android, c19xAdvert)
    #expect(story.count(.detections) == 1)
  }
}
