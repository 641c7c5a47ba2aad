import HeraldBluetooth
import HeraldEmbedded
import HeraldNeighbours
import HeraldSimulation
import Testing

private let number = "A0 A1 A2 A3 A4 A5 46 A7 88 A9 AA AB AC AD AE AF"
/// An iPhone with CovidWatch in the foreground: the service, and no data of it.
private let covidWatchAdvert = "02 01 1A 02 0A 0C 03 03 19 C0"
private let c19xService = "00 00 00 00 00 00 00 00 13 1F FE 83 81 D4 22 00"
private let c19xAdvert = "02 01 02 11 07 \(c19xService)"
private let numberUUID = "62 7F 61 EA D2 C9 46 9E 04 4B 6B 3D 27 4F 1F D6"

@Suite("Codes read over a connection")
struct CodeReadingTests {
  private let iPhone = TargetIdentity(Peer.iPhone)
  private let connection = ConnectionID(index: 0)

  private func observer(covidWatch: Bool = true, c19x: Bool = false) -> NeighbourScenario {
    .withNeighbours {
      $0.covidWatch.isObserver = covidWatch
      $0.c19x.isObserver = c19x
    }
  }

  /// The peer is heard, and takes the connection that follows.
  private func meet(_ scenario: NeighbourScenario, _ advert: String, _ peer: DeviceAddress = Peer.iPhone) {
    scenario.hear(peer, advert, rssi: -55)
    #expect(scenario.node.radio.connecting == peer)
    _ = scenario.commands()
    scenario.happen(.opened(connection, .central, peer: peer))
    scenario.exchange("02 F7 00", "03 00 02")
  }

  /// The connection is closed by us and by nobody else, and what was asked before is all.
  private func expectClosed(_ scenario: NeighbourScenario, sourceLocation: SourceLocation = #_sourceLocation)
  {
    #expect(scenario.commands() == [.disconnect(connection)], sourceLocation: sourceLocation)
  }

  @Test(
    "HP-53 An iPhone's number is read from its characteristic, logged and reported, and the connection closed"
  )
  func number16() {
    let scenario = observer()
    meet(scenario, covidWatchAdvert)
    scenario.exchange("06 01 00 FF FF 00 28 19 C0", "07 30 00 35 00")
    scenario.exchange("08 30 00 35 00 03 28", "09 15 31 00 0A 32 00 \(numberUUID)")
    scenario.exchange("08 33 00 35 00 03 28", "01 08 33 00 0A")
    scenario.exchange("0A 32 00", "0B \(number)")
    expectClosed(scenario)
    #expect(scenario.heard().contains(.observe(iPhone, .covidWatch, hex(number))))
    #expect(scenario.codes() == ["observed iPhone 0 \(number)"])
    // Heard on: measured, and left alone for the number's quarter of an hour, then read again.
    for _ in 0..<14 {
      scenario.run(seconds: 60)
      scenario.hear(Peer.iPhone, covidWatchAdvert)
    }
    #expect(scenario.count(.attempts) == 1 && scenario.count(.readings) == 15)
    scenario.run(seconds: 120)
    scenario.hear(Peer.iPhone, covidWatchAdvert)
    #expect(scenario.count(.attempts) == 2)
    #expect(scenario.violations.isEmpty)
  }

  @Test(
    "A characteristic of fewer than sixteen or more than twenty bytes is no number; the peer is tried again later",
    arguments: [0, 1, 15, 21, 22, 40])
  func lengths(count: Int) {
    let scenario = observer()
    meet(scenario, covidWatchAdvert)
    scenario.exchange("06 01 00 FF FF 00 28 19 C0", "07 30 00 32 00")
    scenario.exchange("08 30 00 32 00 03 28", "09 15 31 00 0A 32 00 \(numberUUID)")
    scenario.exchange("0A 32 00", "0B \(text([UInt8](repeating: 9, count: count)))")
    expectClosed(scenario)
    #expect(scenario.codes().isEmpty)
    #expect(scenario.count(.exchangesMalformed) == 1)
    scenario.run(seconds: 6)
    scenario.hear(Peer.iPhone, covidWatchAdvert)
    #expect(scenario.count(.attempts) == 2)
  }

  @Test(
    "A peer that never answers is given up in time, whatever it was asked, and tried again ever more rarely")
  func silent() {
    for answered in 0...2 {
      let scenario = observer()
      meet(scenario, covidWatchAdvert)
      if answered > 0 { scenario.exchange("06 01 00 FF FF 00 28 19 C0", "07 30 00 32 00") }
      if answered > 1 { scenario.exchange("08 30 00 32 00 03 28", "09 15 31 00 0A 32 00 \(numberUUID)") }
      scenario.run(seconds: 7)
      #expect(scenario.commands().contains(.disconnect(connection)))
      #expect(scenario.count(.exchangesTimedOut) == 1)
      for _ in 0..<600 {
        scenario.hear(Peer.iPhone, covidWatchAdvert)
        if scenario.node.radio.connecting != nil { scenario.happen(.failed(.connectionTimeout)) }
        scenario.run(seconds: 1)
      }
      #expect(scenario.count(.attempts) > 3 && scenario.count(.attempts) < 10)
    }
  }

  @Test(
    "HP-55 The code is the lower half of the characteristic's UUID: one connection, no read, none again for a day"
  )
  func code() {
    let scenario = observer(covidWatch: false, c19x: true)
    meet(scenario, c19xAdvert, Peer.android)
    scenario.exchange("06 01 00 FF FF 00 28 \(c19xService)", "07 28 00 2A 00")
    scenario.exchange(
      "08 28 00 2A 00 03 28", "09 15 29 00 08 2A 00 B3 A5 CC F7 AB 44 1D B2 13 1F FE 83 81 D4 22 00")
    expectClosed(scenario)
    #expect(scenario.codes() == ["observed 2030405 1 B2 1D 44 AB F7 CC A5 B3"])
    for _ in 0..<(23 * 6) {
      scenario.run(seconds: 600)
      scenario.hear(Peer.android, c19xAdvert)
    }
    #expect(scenario.count(.attempts) == 1)
    scenario.run(seconds: 600)
    for _ in 0..<7 {
      scenario.hear(Peer.android, c19xAdvert)
      scenario.run(seconds: 600)
    }
    #expect(scenario.count(.attempts) == 2)
  }

  @Test(
    "A code that changes while it is looked for is one of the two, whole; a service without one is nothing")
  func changing() {
    let scenario = observer(covidWatch: false, c19x: true)
    meet(scenario, c19xAdvert)
    scenario.exchange("06 01 00 FF FF 00 28 \(c19xService)", "07 28 00 2D 00")
    scenario.exchange(
      "08 28 00 2D 00 03 28", "09 15 29 00 08 2A 00 B3 A5 CC F7 AB 44 1D B2 13 1F FE 83 81 D4 22 00")
    scenario.exchange(
      "08 2B 00 2D 00 03 28", "09 15 2B 00 08 2C 00 01 02 03 04 05 06 07 08 13 1F FE 83 81 D4 22 00")
    scenario.exchange("08 2D 00 2D 00 03 28", "01 08 2D 00 0A")
    expectClosed(scenario)
    #expect(scenario.codes() == ["observed iPhone 1 B2 1D 44 AB F7 CC A5 B3"])

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
    let scenario = observer(c19x: true)
    meet(scenario, Peer.iPhoneBackground)
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 19 C0", "07 30 00 32 00")
    scenario.exchange("08 30 00 32 00 03 28", "09 15 31 00 0A 32 00 \(numberUUID)")
    scenario.exchange("0A 32 00", "0B \(number)")
    scenario.exchange("06 01 00 FF FF 00 28 \(c19xService)", "07 38 00 3A 00")
    scenario.exchange(
      "08 38 00 3A 00 03 28", "09 15 39 00 18 3A 00 B3 A5 CC F7 AB 44 1D B2 13 1F FE 83 81 D4 22 00")
    expectClosed(scenario)
    #expect(
      scenario.codes() == [
        "observed iPhone 0 \(number)", "observed iPhone 1 B2 1D 44 AB F7 CC A5 B3",
      ])
    scenario.run(seconds: 60)
    scenario.hear(Peer.iPhone, Peer.iPhoneBackground)
    #expect(scenario.count(.attempts) == 1 && scenario.count(.readings) == 2)
  }

  @Test("An iPhone with Herald and CovidWatch is both, over one connection")
  func both() {
    let scenario = observer()
    meet(scenario, Peer.iPhoneAdvert)
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "07 28 00 2C 00")
    scenario.exchange(
      "08 28 00 2C 00 03 28",
      "09 15 29 00 18 2A 00 \(Peer.otherSignalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
    scenario.exchange("0A 2C 00", "0B \(Peer.payload)")
    scenario.exchange("06 01 00 FF FF 00 28 19 C0", "07 30 00 32 00")
    scenario.exchange("08 30 00 32 00 03 28", "09 15 31 00 0A 32 00 \(numberUUID)")
    scenario.exchange("0A 32 00", "0B \(number)")
    #expect(scenario.count(.reads) == 1)
    #expect(scenario.codes() == ["observed iPhone 0 \(number)"])
    #expect(scenario.node.core.table[0].state == .read)
  }

  private let heraldAdvert = "02 01 1A 03 03 F6 FC"

  private func readCode(_ scenario: NeighbourScenario) {
    scenario.exchange(
      "08 28 00 2A 00 03 28", "09 15 29 00 08 2A 00 B3 A5 CC F7 AB 44 1D B2 13 1F FE 83 81 D4 22 00")
    #expect(scenario.commands().contains(.disconnect(connection)))
    #expect(scenario.codes() == ["observed 2030405 1 B2 1D 44 AB F7 CC A5 B3"])
    scenario.happen(.closed(connection, .localHostTerminated))
  }

  @Test("A peer whose code was read has its payload read as soon as it shows Herald's service, too")
  func heraldLater() {
    let scenario = observer(covidWatch: false, c19x: true)
    meet(scenario, c19xAdvert, Peer.android)
    scenario.exchange("06 01 00 FF FF 00 28 \(c19xService)", "07 28 00 2A 00")
    readCode(scenario)
    scenario.run(seconds: 60)
    scenario.hear(Peer.android, heraldAdvert)
    #expect(scenario.node.radio.connecting == Peer.android)
    scenario.readAndroid()
    #expect(scenario.count(.reads) == 1 && scenario.codes().count == 1)
  }

  @Test("A peer that shows Herald's service while its code is read has its payload read next")
  func heraldMeanwhile() {
    let scenario = observer(covidWatch: false, c19x: true)
    meet(scenario, c19xAdvert, Peer.android)
    scenario.exchange("06 01 00 FF FF 00 28 \(c19xService)", "07 28 00 2A 00")
    scenario.hear(Peer.android, heraldAdvert)
    readCode(scenario)
    #expect(scenario.node.radio.connecting == Peer.android)
    scenario.readAndroid()
    #expect(scenario.count(.reads) == 1 && scenario.codes().count == 1)
  }

  @Test(
    "A peer with a code that shows Herald's service and does not have it yet is asked again after a minute")
  func heraldInVain() {
    let scenario = observer(covidWatch: false, c19x: true)
    meet(scenario, heraldAdvert, Peer.android)
    scenario.hear(Peer.android, c19xAdvert)
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 \(c19xService)", "07 28 00 2A 00")
    readCode(scenario)
    for _ in 0..<59 {
      scenario.hear(Peer.android, c19xAdvert)
      scenario.hear(Peer.android, heraldAdvert)
      scenario.run(seconds: 1)
    }
    #expect(scenario.count(.attempts) == 1)
    scenario.run(seconds: 1)
    scenario.hear(Peer.android, heraldAdvert)
    #expect(scenario.node.radio.connecting == Peer.android)
    scenario.readAndroid()
    #expect(scenario.count(.reads) == 1 && scenario.codes().count == 1)
  }

  @Test("A device that observes nothing asks nobody about codes")
  func off() {
    let scenario = NeighbourScenario()
    scenario.hear(Peer.iPhone, Peer.iPhoneBackground)
    scenario.happen(.opened(connection, .central, peer: Peer.iPhone))
    _ = scenario.requests()
    scenario.happen(.pdu(hex("03 00 02"), on: connection))
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
    expectClosed(scenario)
    scenario.hear(Peer.android, covidWatchAdvert)
    scenario.hear(Peer.android, c19xAdvert)
    #expect(scenario.count(.detections) == 1)
  }
}
