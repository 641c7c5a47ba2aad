import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

private let iPhone = TargetIdentity(Peer.iPhone)
private let payload = hex("10 3A 03 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10")
private let long = (0..<510).map { UInt8(truncatingIfNeeded: $0) }

/// A scenario in which connections may lie idle for as long as they like.
private func begin() -> Scenario {
  let scenario = Scenario {
    $0.servingIdle = .minutes(30)
    $0.servingLife = .minutes(60)
  }
  scenario.node.core.values.supplier.fixedLength = 21
  scenario.comes()
  return scenario
}

extension Scenario {
  /// The device is as it should be: it scans, advertises, broke no contract, and takes a message from the
  /// same peer.
  fileprivate func isWell(sourceLocation: SourceLocation = #_sourceLocation) {
    _ = heard()
    write(hex("04 02 00 68 69"), sourceLocation: sourceLocation)
    #expect(heard().last == .receive(iPhone, hex("68 69")), sourceLocation: sourceLocation)
    #expect(node.radio.scanning != nil, sourceLocation: sourceLocation)
    #expect(node.radio.advertising != nil, sourceLocation: sourceLocation)
    #expect(violations.isEmpty, sourceLocation: sourceLocation)
  }
}

@Suite("Coordinator: faulty signal messages")
struct SignalFaultTests {
  @Test(
    "Values that are no message are taken, counted, and forgotten",
    arguments: [
      "00", "05 01 00 A1", "FF FF FF FF FF FF",  // no such message
      "01 02 00 A1 A2 A3", "04 00 00 A1", "03 BA FF 01 00 A1 A2",  // longer than they say
      "01 FF FF A1", "03 BA FF FF FF", "04 FF 01 A1",  // more than fits: 65,535, 65,535 and 511 bytes
      "02 7F 00", "02 80 FF", "02 15 00", "02 00 80",  // no strength: 127, -128, 21, -32,768
      "01 00 00",  // no payload
    ])
  func nonsense(value: String) {
    let scenario = begin()
    scenario.write(hex(value))
    #expect(scenario.count(.signalsMalformed) == 1)
    let heard = scenario.heard()
    #expect(heard == [] || heard == [.detect(iPhone)])
    #expect(scenario.peersInLog() == [] || scenario.peersInLog() == ["0 detect iPhone"])
    scenario.isWell()
    #expect(scenario.count(.signalsMalformed) == 1)
  }

  @Test(
    "Strengths from -127 to 20 dBm are measurements",
    arguments: [("81 FF", Int8(-127)), ("14 00", 20), ("00 00", 0)])
  func strengths(bytes: String, rssi: Int8) {
    let scenario = begin()
    scenario.write(hex("02 \(bytes)"))
    #expect(scenario.heard() == [.detect(iPhone), .measure(iPhone, rssi)])
    // What follows an RSSI in the same value is skipped, as iPhones do.
    scenario.write(hex("02 \(bytes) 55 AA"))
    #expect(scenario.heard() == [.measure(iPhone, rssi)])
    #expect(scenario.count(.signalsMalformed) == 0)
  }

  @Test(
    "A payload of 1 and 510 bytes is read; of 0, 511 and 65,535 bytes it is refused and counted",
    arguments: [0, 1, 510, 511, 65_535])
  func lengths(length: Int) {
    let scenario = begin()
    let sent = [UInt8](repeating: 0x5A, count: min(length, 600))
    // A peer that stops writing where it is told nothing: 600 bytes of the longest.
    for request in WayOfWriting.parts.requests(
      [0x01, UInt8(length & 0xFF), UInt8(length >> 8)] + sent, to: 0x0E)
    {
      #expect(scenario.ask(request) == hex("13"))
    }
    let reads = scenario.heard().filter { if case .read = $0 { true } else { false } }
    if (1...510).contains(length) {
      #expect(reads == [.read(iPhone, sent, known: false)])
      #expect(scenario.count(.signalsMalformed) == 0)
    } else {
      #expect(reads == [])
      #expect(scenario.count(.signalsMalformed) > 0)
      let rows = scenario.peersInLog().filter { !$0.contains("detect") }
      #expect(rows == [])
    }
    scenario.isWell()
  }

  @Test("HP-02 A message that is never finished is dropped half a minute after its last part")
  func neverFinished() {
    let scenario = begin()
    scenario.write(hex("01 15 00") + payload.prefix(10))
    scenario.run(milliseconds: 30_000)
    scenario.write(Array(payload[10..<15]))  // in time
    scenario.run(milliseconds: 30_000)
    #expect(scenario.count(.signalsMalformed) == 0)
    scenario.run(milliseconds: 1)
    #expect(scenario.heard() == [])
    scenario.write(hex("02 C8 FF"))  // not the rest of it
    #expect(scenario.heard() == [.detect(iPhone), .measure(iPhone, -56)])
    #expect(scenario.count(.signalsMalformed) == 1)
    scenario.isWell()
  }

  @Test(
    "HP-02 The buffer of a message that is never finished is free again without another word of the peer's")
  func bufferOfNeverFinished() {
    let scenario = begin()
    for index in 0..<4 {
      if index > 0 {
        scenario.comes(DeviceAddress(high: 0x7000, low: UInt32(index), kind: .random), on: index)
      }
      scenario.write(hex("01 15 00"), on: index)
    }
    #expect(scenario.ask(hex("0A 10 00")) == hex("01 0A 10 00 11"))  // Insufficient Resources
    scenario.run(seconds: 65)
    #expect(scenario.ask(hex("0A 10 00")).first == 0x0B)
    #expect(scenario.count(.signalsMalformed) == 4)
  }

  @Test("A message that is finished twice arrives once; its end alone is none")
  func finishedTwice() {
    let scenario = begin()
    scenario.write(hex("04 05 00 01 02"))
    scenario.write(hex("FF FE FD"))
    scenario.write(hex("FF FE FD"))
    #expect(scenario.heard() == [.detect(iPhone), .receive(iPhone, hex("01 02 FF FE FD"))])
    #expect(scenario.count(.signalsMalformed) == 1)
    scenario.isWell()
  }

  @Test("A second message finds no room beside one that is prepared, which stays")
  func twoAtOnce() {
    let scenario = begin()
    #expect(scenario.ask(hex("16 0E 00 00 00 02 C8 FF")) == hex("17 0E 00 00 00 02 C8 FF"))
    #expect(scenario.ask(hex("16 13 00 00 00 02 C4 FF")) == hex("01 16 13 00 09"))
    #expect(scenario.ask(hex("18 01")) == hex("19"))
    #expect(scenario.heard() == [.detect(iPhone), .measure(iPhone, -56)])
    #expect(scenario.count(.signalsMalformed) == 0)
    scenario.isWell()
  }

  @Test("A message continues in what is prepared, as one part of it, and behind that")
  func partsAndPrepared() {
    let scenario = begin()
    scenario.write(hex("04 05 00 01 02"))
    scenario.write(hex("03 04 05"), .prepared)
    #expect(scenario.heard() == [.detect(iPhone), .receive(iPhone, hex("01 02 03 04 05"))])
    // And the other way round, with what a write without bytes says in between: nothing.
    scenario.write(hex("04 03 00 06"), .prepared)
    scenario.write([], .prepared)
    scenario.write(hex("07 08"))
    #expect(scenario.heard() == [.receive(iPhone, hex("06 07 08"))])
    scenario.write(hex("04 00 00"), .prepared)
    #expect(scenario.heard() == [.receive(iPhone, [])])
    #expect(scenario.count(.signalsMalformed) == 0)
    scenario.isWell()
  }

  @Test("Prepared writes that are cancelled, leave a gap or start in the middle bring nothing")
  func badlyPrepared() {
    let scenario = begin()
    _ = scenario.ask(hex("16 0E 00 00 00 02 C8 FF"))
    #expect(scenario.ask(hex("18 00")) == hex("19"))
    _ = scenario.ask(hex("16 0E 00 00 00 01 02 00"))
    _ = scenario.ask(hex("16 0E 00 04 00 A2"))
    #expect(scenario.ask(hex("18 01")) == hex("01 18 0E 00 07"))
    _ = scenario.ask(hex("16 0E 00 01 00 C8 FF"))
    #expect(scenario.ask(hex("18 01")) == hex("01 18 0E 00 07"))
    #expect(scenario.heard() == [])
    scenario.isWell()
  }

  @Test(
    "A message that continues at the other characteristic is dropped; what is written there counts by itself")
  func changedCharacteristic() {
    let scenario = TableScenario<HeraldBothSignalsGATTTable>()
    scenario.comes()
    scenario.write(hex("04 02 00 68"), to: 0x0E)
    scenario.write(hex("02 C8 FF"), to: 0x10)
    #expect(scenario.heard() == [.detect(iPhone), .measure(iPhone, -56)])
    #expect(scenario.count(.signalsMalformed) == 1)
    scenario.write(hex("04 02 00 68"), to: 0x0E)
    scenario.write(hex("04 01 00 69"), .prepared, to: 0x10)
    #expect(scenario.heard() == [.receive(iPhone, hex("69"))])
    #expect(scenario.count(.signalsMalformed) == 2)
  }

  @Test(
    "HP-02 A peer that goes after any part of a message leaves nothing behind, with a word or without",
    arguments: 0..<4, [true, false])
  func goesAway(parts: Int, says: Bool) {
    let scenario = begin()
    let requests = WayOfWriting.parts.requests(hex("03 BA FF 2A 00") + payload + payload, to: 0x0E)
    #expect(requests.count == 3)
    for request in requests.prefix(parts) { _ = scenario.ask(request) }
    _ = scenario.heard()
    if says { scenario.goes() }  // if not, the radio gives the number of the dead connection to a new one
    scenario.comes()
    #expect(scenario.count(.signalsMalformed) == ((1...2).contains(parts) ? 1 : 0))
    scenario.write(hex("01 15 00") + payload, .parts)
    let known = parts == 3
    #expect(scenario.heard().contains(.read(iPhone, payload, known: known)))
    scenario.isWell()
  }

  @Test("HP-02 Prepared writes of a peer that goes after any of them leave nothing behind", arguments: 0..<4)
  func goesAwayPreparing(parts: Int) {
    let scenario = begin()
    let requests = WayOfWriting.prepared.requests(hex("03 BA FF 2A 00") + payload + payload, to: 0x0E)
    #expect(requests.count == 4)
    for request in requests.prefix(parts) { _ = scenario.ask(request) }
    scenario.goes()
    scenario.comes()
    scenario.write(hex("01 15 00") + payload, .prepared)
    #expect(scenario.heard().contains(.read(iPhone, payload, known: false)))
    #expect(scenario.count(.signalsMalformed) == 0)
    scenario.isWell()
  }

  @Test("Shared data full of our own payload is a share event and no more; so is our former payload")
  func ownPayload() {
    let scenario = begin()
    scenario.goes()
    let own = hex("08 01 00 02 00 03 00 00 00 00 00 00 00")
    scenario.node.core.values.supplier.fixedLength = 13
    scenario.comes()
    let shared = (0..<39).flatMap { _ in own }
    #expect(shared.count == 507)
    scenario.write(hex("03 BA FF FB 01") + shared, .parts)
    #expect(scenario.heard() == [.detect(iPhone), .measure(iPhone, -70), .share(iPhone, shared)])
    #expect(scenario.node.core.table.count == 1)
    // Our own payload written as the peer's says nothing either.
    scenario.write(hex("01 0D 00") + own)
    #expect(scenario.heard() == [])
    scenario.node.core.values.supplier.bytes = hex("08 01 00 02 00 04 00 00 00 00 00 00 00")
    scenario.run(seconds: 1800)
    scenario.goes()
    scenario.comes()
    scenario.write(hex("03 BA FF 0D 00") + own)
    #expect(scenario.heard().filter { if case .read = $0 { true } else { false } } == [])
  }

  @Test(
    "With the table full of peers that were heard, a shared payload evicts no target, and is still reported")
  func hearsay() {
    let scenario = begin()
    for number in 1...7 {
      scenario.hear(
        DeviceAddress(high: 0x4000, low: UInt32(number), kind: .random), "02 01 1A 03 03 F6 FC",
        kind: .scannable.union(.legacy))
    }
    scenario.node.core.values.supplier.fixedLength = 2
    scenario.write(hex("03 BA FF 06 00 A1 A2 B1 B2 C1 C2"))
    let heard = scenario.heard()
    #expect(heard.filter { if case .read = $0 { true } else { false } }.count == 3)
    #expect(scenario.node.core.table.evictions == 0)
    #expect(scenario.node.core.table.count == 8)
    scenario.run(seconds: 301)
    scenario.write(hex("03 BA FF 06 00 A1 A2 B1 B2 C1 C2"))
    #expect(scenario.node.core.table.evictions == 3)
    scenario.isWell()
  }
}
