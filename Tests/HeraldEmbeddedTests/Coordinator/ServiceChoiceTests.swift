import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

private let ownService = "0F 0E 0D 0C 0B 0A 09 08 07 06 05 04 03 02 01 00"
private let ownServiceUUID = UUID128(0x0001_0203_0405_0607, 0x0809_0A0B_0C0D_0E0F)

/// A provider's table: Herald's characteristics in a service of its own.
private enum ProviderTable: GATTTable {
  static var database: GATTDatabase {
    @_lifetime(immortal) get {
      GATTDatabase(attributes: providerAttributes.span, bytes: providerBytes.span)
    }
  }
}

// The tags are those of the own payload and of signals; the names have other meanings in these tests.
private let providerAttributes: [5 of AttributeRecord] = [
  .primaryService(at: 0, 16),
  .characteristic(at: 16, 19),
  .value(typeAt: 19, .write.union(.writeCommand), longest: 512, tag: AttributeTag(rawValue: 2)),
  .characteristic(at: 35, 19),
  .value(typeAt: 38, .read, tag: AttributeTag(rawValue: 1)),
]

private let providerBytes: [54 of UInt8] = [
  0x0F, 0x0E, 0x0D, 0x0C, 0x0B, 0x0A, 0x09, 0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, 0x00,
  0x0C, 0x03, 0x00,
  0x11, 0x1A, 0x82, 0x80, 0x9A, 0xE0, 0x24, 0x83, 0x7A, 0x43, 0x2E, 0x09, 0x13, 0xB8, 0x17, 0xF6,
  0x02, 0x05, 0x00,
  0xE7, 0x33, 0x89, 0x8F, 0xE3, 0x43, 0x21, 0xA1, 0x29, 0x48, 0x05, 0x8F, 0xF8, 0xC0, 0x98, 0x3E,
]

extension ScenarioWith {
  fileprivate func open(_ index: Int = 0) {
    happen(.opened(ConnectionID(index: index), .peripheral, peer: Peer.iPhone))
    _ = node.radio.takeCommands()
  }

  fileprivate func ask(_ request: String, on index: Int = 0) -> [UInt8] {
    happen(.pdu(hex(request), on: ConnectionID(index: index)))
    return answers().first ?? []
  }
}

@Suite("Coordinator: choice of services")
struct ServiceChoiceTests {
  @Test("HP-37 A provider's own service is advertised in the place of the long one, and served")
  func ownServiceShown() {
    #expect(ProviderTable.database.firstFault() == nil)
    let scenario = TableScenario<ProviderTable> {
      $0.advertisement = HeraldAdvertisement(omitted: .long, customService: ownServiceUUID)
    }
    let advertised = scenario.node.radio.takeCommands().compactMap { command -> [UInt8]? in
      if case .startAdvertising(_, let data, _) = command { data } else { nil }
    }
    #expect(advertised == [hex("02 01 06 03 03 F6 FC 11 07 " + ownService)])
    scenario.open()
    #expect(scenario.ask("02 F7 00") == hex("03 F7 00"))
    #expect(scenario.ask("06 01 00 FF FF 00 28 " + ownService) == hex("07 01 00 05 00"))
    #expect(scenario.ask("0A 05 00") == hex("0B 08 01 00 02 00 03 00 00 00 00 00 00 00"))
  }

  @Test("HP-09 A table that offers it makes no difference: without response nothing is taken")
  func withoutResponse() {
    let scenario = TableScenario<ProviderTable>()
    scenario.open()
    scenario.happen(.pdu(hex("52 03 00 02 C8 FF"), on: ConnectionID(index: 0)))
    #expect(scenario.count(.signals) == 0 && scenario.count(.readings) == 0)
    #expect(scenario.ask("12 03 00 02 C8 FF") == hex("13"))
    #expect(scenario.count(.signals) == 1 && scenario.count(.readings) == 1)
  }

  @Test(
    "HP-37 A peer with the provider's service and no other of Herald's is recognised, and read through it")
  func ownServiceFound() {
    let scenario = Scenario { $0.introspection = Introspection(customService: ownServiceUUID) }
    scenario.hear(Peer.iPhone, "02 01 1A 11 07 " + ownService)
    #expect(scenario.node.radio.connecting == Peer.iPhone)
    _ = scenario.commands()
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
    scenario.exchange("02 F7 00", "03 F7 00")
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "01 06 01 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 \(Peer.longService)", "01 06 01 00 0A")
    scenario.exchange("06 01 00 FF FF 00 28 " + ownService, "07 28 00 2C 00")
    scenario.exchange(
      "08 28 00 2C 00 03 28",
      "09 15 29 00 08 2A 00 \(Peer.signalUUID) 2B 00 02 2C 00 \(Peer.payloadUUID)")
    scenario.exchange("0A 2C 00", "0B \(Peer.payload)")
    #expect(scenario.heard().contains(.read(TargetIdentity(Peer.iPhone), hex(Peer.payload), known: false)))
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
  }

  @Test("HP-37 A service nobody configured is neither recognised nor asked for")
  func otherService() {
    let scenario = Scenario()
    scenario.hear(Peer.iPhone, "02 01 1A 11 07 " + ownService)
    #expect(scenario.node.radio.connecting == nil && scenario.node.core.table.count == 0)
  }

  /// A device with a legacy payload of 30 bytes beside a payload of 25.
  private func legacyScenario() -> TableScenario<HeraldLegacyGATTTable> {
    let scenario = TableScenario<HeraldLegacyGATTTable>(payload: (0..<25).map { UInt8($0) })
    scenario.node.core.values.supplier.legacy = (0..<30).map { UInt8(0x80 + $0) }
    scenario.open()
    return scenario
  }

  @Test("HP-38 HP-39 The legacy payload is read in both services, and does not get mixed up with Herald's")
  func legacyRead() {
    let scenario = legacyScenario()
    let legacy = (0..<30).map { UInt8(0x80 + $0) }
    let first: [UInt8] = [0x0B] + legacy[..<22]
    let rest: [UInt8] = [0x0D] + legacy[22...]
    #expect(scenario.ask("0A 10 00") == first)
    #expect(scenario.ask("0A 12 00") == [0x0B] + Array<UInt8>(0..<22))
    #expect(scenario.ask("0C 10 00 16 00") == rest)
    #expect(scenario.ask("0C 12 00 16 00") == [0x0D, 22, 23, 24])
    #expect(
      scenario.ask("06 01 00 FF FF 00 28 A8 31 0B EF 67 94 88 A8 94 47 50 C5 86 42 BA A6")
        == hex("07 13 00 15 00"))
    #expect(scenario.ask("0A 15 00") == first)
  }

  @Test("HP-38 A supplier that makes no legacy payload offers its own there")
  func legacyDefault() {
    let scenario = TableScenario<HeraldLegacyGATTTable>(payload: hex("80 01 02 03"))
    scenario.open()
    #expect(scenario.ask("0A 10 00") == hex("0B 80 01 02 03"))
  }

  @Test(
    "HP-38 A legacy payload that a peer writes, with response, is reported and logged as that peer's, whatever its content"
  )
  func legacyWritten() {
    let scenario = legacyScenario()
    scenario.happen(.pdu(hex("52 10 00 7B 7D"), on: ConnectionID(index: 0)))
    #expect(scenario.answers().isEmpty)
    #expect(scenario.ask("12 10 00") == hex("01 12 10 00 0D"))
    #expect(scenario.ask("12 10 00 7B 22 76 22 3A 32 7D") == hex("13"))
    #expect(scenario.ask("12 15 00 91 01") == hex("13"))
    let reads = scenario.heard().compactMap { (event: Heard) -> [UInt8]? in
      if case .read(let writer, let bytes, _) = event, writer == TargetIdentity(Peer.iPhone) {
        bytes
      } else {
        nil
      }
    }
    #expect(reads == [hex("7B 22 76 22 3A 32 7D"), hex("91 01")])
    #expect(scenario.log().contains("0 read iPhone 7B 22 76 22 3A 32 7D"))
    // Prepared writes bring a long one.
    let long = [UInt8](repeating: 0x33, count: 18)
    #expect(scenario.ask("16 10 00 00 00 " + text(long)) == hex("17 10 00 00 00") + long)
    #expect(scenario.ask("16 10 00 12 00 44") == hex("17 10 00 12 00 44"))
    #expect(scenario.ask("18 01") == hex("19"))
    #expect(scenario.heard().contains(.read(TargetIdentity(Peer.iPhone), long + [0x44], known: false)))
  }

  private func text(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
  }

  @Test("HP-08 A peer that asked for notifications gets the new payload with the new address; others do not")
  func notified() {
    let scenario = TableScenario<HeraldNotifyingGATTTable>(payload: hex(Peer.payload))
    scenario.run(seconds: 890)
    for index in 0..<3 { scenario.open(index) }
    #expect(scenario.ask("02 F7 00", on: 1) == hex("03 F7 00"))
    #expect(scenario.ask("12 11 00 01 00", on: 0) == hex("13"))
    #expect(scenario.ask("12 11 00 01 00", on: 1) == hex("13"))
    scenario.run(milliseconds: 9_999)
    #expect(scenario.requests().isEmpty)
    scenario.node.core.values.supplier.bytes = (0..<21).map { UInt8($0) }
    scenario.run(milliseconds: 1)
    let sent = scenario.node.radio.takeCommands().filter { if case .send = $0 { true } else { false } }
    #expect(
      sent == [
        .send(hex("1B 10 00") + Array<UInt8>(0..<20), on: ConnectionID(index: 0)),
        .send(hex("1B 10 00") + Array<UInt8>(0..<21), on: ConnectionID(index: 1)),
      ])
    #expect(scenario.ask("0A 10 00", on: 0) == [0x0B] + (0..<21).map { UInt8($0) })
    scenario.run(seconds: 3)
    #expect(scenario.requests().isEmpty)
  }

  @Test("HP-08 A connection that takes no PDU is notified when it does; one that no longer asks is not")
  func notifiedLater() {
    let scenario = TableScenario<HeraldNotifyingGATTTable>(payload: hex("08 01"))
    scenario.run(seconds: 890)
    for index in 0..<2 {
      scenario.open(index)
      #expect(scenario.ask("12 11 00 01 00", on: index) == hex("13"))
    }
    scenario.node.radio.hasBackpressure = true
    scenario.run(seconds: 10)
    #expect(scenario.requests().isEmpty)
    scenario.happen(.pdu(hex("12 11 00 00 00"), on: ConnectionID(index: 1)))
    scenario.node.radio.hasBackpressure = false
    _ = scenario.answers()
    scenario.happen(.readyToSend(ConnectionID(index: 0)))
    #expect(scenario.requests() == [hex("1B 10 00 08 01")])
    scenario.happen(.readyToSend(ConnectionID(index: 1)))
    #expect(scenario.requests().isEmpty)
    #expect(scenario.violations.isEmpty)
  }

  @Test(
    "HP-36 With both signal characteristics either is written with response, and the other one can be subscribed to"
  )
  func bothSignals() {
    let scenario = TableScenario<HeraldBothSignalsGATTTable>()
    scenario.open()
    #expect(scenario.ask("12 11 00 01 00") == hex("13"))
    #expect(scenario.ask("0A 11 00") == hex("0B 01 00"))
    #expect(scenario.ask("12 10 00 02 C8 FF") == hex("13"))
    #expect(scenario.ask("12 0E 00 02 C4 FF") == hex("13"))
    #expect(scenario.count(.signals) == 2)
    #expect(scenario.ask("12 10 00") == hex("13"), "an iPhone's empty write, to wake us")
    scenario.happen(.pdu(hex("52 10 00 02 C8 FF"), on: ConnectionID(index: 0)))
    #expect(scenario.answers().isEmpty && scenario.count(.signals) == 3)
  }
}
