import HeraldBluetooth
import HeraldSimulation
import Testing

@Suite("Coordinator: service search")
struct ServiceSearchTests {
  private let characteristics =
    "09 15 21 00 08 22 00 \(Peer.signalUUID) 23 00 02 24 00 \(Peer.payloadUUID)"

  /// A peer that takes our connection and finds itself asked for service 0xFCF6, which it has at 0x10…0x14.
  private func asked(_ range: String = "10 00 14 00") -> Scenario {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    _ = scenario.commands()
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    scenario.exchange("02 F7 00", "03 F7 00")
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "07 \(range)")
    return scenario
  }

  /// Its complete service at 0x20…0x24 is read.
  private func readsCompleteService(_ scenario: Scenario, sourceLocation: SourceLocation = #_sourceLocation) {
    scenario.exchange("08 20 00 24 00 03 28", characteristics, sourceLocation: sourceLocation)
    scenario.exchange("0A 24 00", "0B \(Peer.payload)", sourceLocation: sourceLocation)
    #expect(scenario.count(.reads) == 1, sourceLocation: sourceLocation)
    #expect(
      scenario.heard().contains(.read(Peer.androidIdentity, hex(Peer.payload), known: false)),
      sourceLocation: sourceLocation)
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))], sourceLocation: sourceLocation)
    #expect(scenario.count(.exchangesRefused) == 0 && scenario.count(.withoutService) == 0)
    #expect(scenario.violations.isEmpty)
  }

  @Test("A service 0xFCF6 without characteristics does not hide a complete one under the 128-bit UUID")
  func empty() {
    let scenario = asked("10 00 10 00")
    scenario.exchange("08 10 00 10 00 03 28", "01 08 10 00 0A")
    scenario.exchange("06 11 00 FF FF 00 28 F6 FC", "01 06 11 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "07 20 00 24 00")
    readsCompleteService(scenario)
  }

  @Test("A service 0xFCF6 that has a signal characteristic and no payload does not either")
  func withoutPayload() {
    let scenario = asked()
    scenario.exchange("08 10 00 14 00 03 28", "09 15 11 00 08 12 00 \(Peer.otherSignalUUID)")
    scenario.exchange("08 13 00 14 00 03 28", "01 08 13 00 0A")
    scenario.exchange("06 15 00 FF FF 00 28 F6 FC", "01 06 15 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "07 20 00 24 00")
    readsCompleteService(scenario)
    // What the first service had says nothing of the second: this is no iPhone, to be written to.
    #expect(scenario.node.core.counter(.signalsSent) == 0)
  }

  @Test(
    "A stale service, whose payload is answered with an error or is empty, does not hide one that works",
    arguments: ["01 0A 14 00 01", "01 0A 14 00 02", "01 0A 14 00 0E", "01 0A 14 00 80", "0B"])
  func stale(answer: String) {
    let scenario = asked()
    scenario.exchange("08 10 00 14 00 03 28", "09 15 13 00 02 14 00 \(Peer.payloadUUID)")
    scenario.exchange("0A 14 00", answer)
    scenario.exchange("06 15 00 FF FF 00 28 F6 FC", "01 06 15 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "07 20 00 24 00")
    readsCompleteService(scenario)
  }

  @Test("Of two services 0xFCF6 the second is read if the first does not give its payload")
  func second() {
    let scenario = asked()
    scenario.exchange("08 10 00 14 00 03 28", "09 15 13 00 02 14 00 \(Peer.payloadUUID)")
    scenario.exchange("0A 14 00", "01 0A 14 00 01")
    scenario.exchange("06 15 00 FF FF 00 28 F6 FC", "07 20 00 24 00")
    readsCompleteService(scenario)
  }

  @Test("The same of services under the 128-bit UUID, and of one whose characteristics are refused")
  func secondLong() {
    let scenario = asked()
    scenario.exchange("08 10 00 14 00 03 28", "01 08 10 00 01")
    scenario.exchange("06 15 00 FF FF 00 28 F6 FC", "01 06 15 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "07 18 00 18 00")
    scenario.exchange("08 18 00 18 00 03 28", "01 08 18 00 0A")
    scenario.exchange("06 19 00 FF FF 00 28 \(Peer.longService)", "07 20 00 24 00")
    readsCompleteService(scenario)
  }

  @Test("Behind a service that ends with the last handle none of its kind is looked for")
  func lastHandle() {
    let scenario = asked("10 00 FF FF")
    scenario.exchange("08 10 00 FF FF 03 28", "01 08 10 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "07 20 00 FF FF")
    scenario.exchange("08 20 00 FF FF 03 28", "01 08 20 00 0A")
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
    #expect(scenario.count(.withoutService) == 1 && scenario.count(.exchangesRefused) == 0)
  }

  @Test("A peer none of whose services gives its payload is tried again later, like one that refuses")
  func allStale() {
    let scenario = asked()
    scenario.exchange("08 10 00 14 00 03 28", "09 15 13 00 02 14 00 \(Peer.payloadUUID)")
    scenario.exchange("0A 14 00", "01 0A 14 00 01")
    scenario.exchange("06 15 00 FF FF 00 28 F6 FC", "01 06 15 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
    #expect(scenario.count(.exchangesRefused) == 1 && scenario.count(.withoutService) == 0)
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    scenario.run(milliseconds: 5100)
    scenario.hear(Peer.android, Peer.androidAdvert)
    #expect(scenario.commands().count == 1)
    scenario.readAndroid()
    #expect(scenario.count(.reads) == 1)
  }

  @Test("A peer that has no room for us at the moment is not asked for another service")
  func busy() {
    let scenario = asked()
    scenario.exchange("08 10 00 14 00 03 28", "09 15 13 00 02 14 00 \(Peer.payloadUUID)")
    scenario.exchange("0A 14 00", "01 0A 14 00 11")
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
    #expect(scenario.count(.exchangesRefused) == 1)
  }

  @Test("A peer with an empty service at every handle is let go when the exchange has lasted 20 s")
  func endless() {
    let scenario = asked("10 00 10 00")
    var handle: UInt8 = 0x10
    for _ in 0..<19 {
      let now = text([handle, 0])
      let next = text([handle + 1, 0])
      scenario.exchange("08 \(now) \(now) 03 28", "01 08 \(now) 0A")
      scenario.run(seconds: 1)
      scenario.exchange("06 \(next) FF FF 00 28 F6 FC", "07 \(next) \(next)")
      handle += 1
    }
    scenario.run(seconds: 2)
    #expect(scenario.commands().last == .disconnect(ConnectionID(index: 0)))
    #expect(scenario.count(.exchangesTimedOut) == 1)
  }
}
