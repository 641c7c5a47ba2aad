import HeraldBluetooth
import HeraldEmbedded
import HeraldNeighbours
import HeraldSimulation
import Testing

/// What a characteristic is on a connection that was opened under a former address.
private enum Shown {
  /// Read as before.
  case same
  /// Neither read before nor now.
  case never
  /// It is there, and reading it is refused.
  case refused
  /// It is not there.
  case gone
}

private let signal = Peer.signalUUID
private let payload = Peer.payloadUUID
private let legacy = "B2 5B 7D 17 81 F4 A3 BC F2 42 1E B1 10 47 03 D1"
private let number = "62 7F 61 EA D2 C9 46 9E 04 4B 6B 3D 27 4F 1F D6"
/// C19X's characteristic, whose first eight bytes are the code.
private let marker = "13 1F FE 83 81 D4 22 00"

extension ScenarioWith {
  private func request(_ bytes: [UInt8]) -> [UInt8] {
    _ = node.radio.takeCommands()
    happen(.pdu(bytes, on: ConnectionID(index: 0)))
    return answers().first ?? []
  }

  /// All characteristics on connection 0, by discovery: the handle of the value and the UUID; C19X's without
  /// the code.
  fileprivate func characteristics() -> [(handle: UInt8, uuid: String)] {
    var found: [(UInt8, String)] = []
    var next: UInt8 = 1
    while true {
      let answer = request([0x08, next, 0x00, 0xFF, 0xFF, 0x03, 0x28])
      guard answer.first == 0x09, answer[1] >= 7 else { return found }
      let size = Int(answer[1])
      for start in stride(from: 2, to: answer.count, by: size) {
        let uuid = text(Array(answer[(start + 5)..<(start + size)]))
        found.append((answer[start + 3], uuid.hasSuffix(marker) ? marker : uuid))
        next = answer[start + 3] + 1
      }
    }
  }

  fileprivate func read(_ handle: UInt8) -> [UInt8] { request([0x0A, handle, 0x00]) }

  /// Connects 10 s before the address changes, looks at every characteristic before and after, and compares
  /// with what is `expected` of each.
  fileprivate func comparesTable(
    with expected: [String: Shown], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    run(seconds: 890)
    happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    let before = characteristics()
    let values = before.map { read($0.handle) }
    #expect(Set(before.map(\.uuid)) == Set(expected.keys), sourceLocation: sourceLocation)
    let address = node.core.ownAddress
    run(seconds: 10)
    #expect(node.core.ownAddress != address, sourceLocation: sourceLocation)
    let after = characteristics()
    for (place, (handle, uuid)) in before.enumerated() {
      let comment = Comment(rawValue: "\(uuid) at \(handle)")
      let isThere = after.contains { $0.handle == handle && $0.uuid == uuid }
      let value = read(handle)
      switch expected[uuid] {
      case .same:
        #expect(
          isThere && value == values[place] && value.first == 0x0B, comment, sourceLocation: sourceLocation)
      case .never:
        #expect(
          isThere && value == values[place] && value == [0x01, 0x0A, handle, 0x00, 0x02], comment,
          sourceLocation: sourceLocation)
      case .refused:
        #expect(isThere && values[place].first == 0x0B, comment, sourceLocation: sourceLocation)
        #expect(value == [0x01, 0x0A, handle, 0x00, 0x11], comment, sourceLocation: sourceLocation)
      case .gone, nil:
        #expect(
          !isThere && value == [0x01, 0x0A, handle, 0x00, 0x01], comment, sourceLocation: sourceLocation)
      }
    }
    // Behind the attributes that are left there is nothing.
    #expect(after.allSatisfy { expected[$0.uuid] != .gone }, sourceLocation: sourceLocation)
    // On a connection under the new address all of it is there.
    happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    #expect(Set(characteristics().map(\.uuid)) == Set(expected.keys), sourceLocation: sourceLocation)
  }
}

extension ScenarioWith where Services == CovidWatchAndC19X {
  /// Shows codes of both systems, at noon of day 168 of C19X's schedule.
  fileprivate static func showing() -> NeighbourScenario {
    let scenario = NeighbourScenario()
    let codes = zeroSecretDayCodes(from: 168, days: 2)
    #expect(throws: Never.self) {
      try scenario.node.core.services.c19x.provide(firstDay: 168, dayCodes: codes.span)
    }
    scenario.node.core.services.c19x.isPeripheral = true
    scenario.node.core.services.covidWatch.isPeripheral = true
    let isSet = scenario.node.core.setClock(
      unixMilliseconds: (1_592_352_000 + 43_200) * 1000, at: scenario.now, source: .host)
    #expect(isSet)
    scenario.poll()
    return scenario
  }
}

@Suite("Connections that were opened under a former address")
struct FormerAddressTests {
  /// What every table of Herald's has: device name, appearance, manufacturer, model.
  private static let standard: [String: Shown] = [
    "00 2A": .same, "01 2A": .same, "29 2A": .same, "24 2A": .same,
  ]

  @Test(
    "HP-03 HP-54 HP-55 Every characteristic of a table with both systems is named here, and none shows what changed with the address"
  )
  func neighbours() {
    let expected: [String: Shown] = Self.standard.merging([
      "05 2A": .never, signal: .never, payload: .refused, number: .gone, marker: .gone,
    ]) { $1 }
    NeighbourScenario.showing().comparesTable(with: expected)
  }

  @Test("HP-03 The same of each table that does not change")
  func constantTables() {
    let herald = Self.standard.merging([signal: .never, payload: .refused]) { $1 }
    func scenario<Table: GATTTable>(_: Table.Type) -> TableScenario<Table> {
      let scenario = TableScenario<Table>()
      scenario.node.core.names = DeviceNames(name: "A", model: "B")
      return scenario
    }
    TableScenario<HeraldGATTTable>().comparesTable(with: herald)
    scenario(HeraldGATTTable.self).comparesTable(with: herald)
    scenario(HeraldBothSignalsGATTTable.self).comparesTable(
      with: herald.merging([Peer.otherSignalUUID: .never]) { $1 })
    let legacyScenario = scenario(HeraldLegacyGATTTable.self)
    legacyScenario.node.core.values.supplier.legacy = hex("91 01")
    legacyScenario.comparesTable(with: herald.merging([legacy: .refused]) { $1 })
    // Who subscribes to the payload is told of each new one: that was chosen with the table.
    scenario(HeraldNotifyingGATTTable.self).comparesTable(with: herald.merging([payload: .same]) { $1 })
  }

  @Test(
    "HP-55 The code that comes with a new address cannot be had on a former connection: not by service, characteristic, information or handle"
  )
  func code() {
    let scenario = NeighbourScenario.showing()
    scenario.run(seconds: 890)
    scenario.peerConnects()
    let service = "00 00 00 00 00 00 00 00 \(marker)"
    #expect(scenario.ask("06 01 00 FF FF 00 28 \(service)") == "07 1C 00 1E 00")
    #expect(scenario.ask("0A 1B 00").hasPrefix("0B "))
    scenario.run(seconds: 10)
    #expect(scenario.ask("06 01 00 FF FF 00 28 \(service)") == "01 06 01 00 0A")
    #expect(scenario.ask("06 01 00 FF FF 00 28 19 C0") == "01 06 01 00 0A")
    #expect(scenario.ask("10 19 00 FF FF 00 28") == "01 10 19 00 0A")
    #expect(scenario.ask("08 19 00 FF FF 03 28") == "01 08 19 00 0A")
    #expect(scenario.ask("04 19 00 FF FF") == "01 04 19 00 0A")
    #expect(scenario.ask("0A 1D 00") == "01 0A 1D 00 01")
    #expect(scenario.ask("0C 1B 00 01 00") == "01 0C 1B 00 01")
    #expect(scenario.ask("0E 1B 00 1B 00") == "01 0E 1B 00 01")
    #expect(scenario.ask("12 1E 00") == "01 12 1E 00 01")
    // A second change alters nothing on it.
    scenario.node.core.services.c19x.isPeripheral = false
    scenario.poll()
    scenario.node.core.services.c19x.isPeripheral = true
    scenario.poll()
    #expect(scenario.ask("06 01 00 FF FF 00 28 \(service)") == "01 06 01 00 0A")
    // The peer's next connection is under the new address.
    scenario.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated))
    scenario.peerConnects()
    #expect(scenario.ask("06 01 00 FF FF 00 28 \(service)") == "07 1C 00 1E 00")
  }

  /// The iPhone is heard, connected, and its characteristics are found.
  private func discover(_ scenario: Scenario) {
    scenario.hear(Peer.iPhone, Peer.iPhoneAdvert)
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.iPhone))
    _ = scenario.commands()
    scenario.happen(.pdu(hex("03 F7 00"), on: ConnectionID(index: 0)))
    scenario.exchange("06 01 00 FF FF 00 28 F6 FC", "07 10 00 15 00")
    scenario.exchange(
      "08 10 00 15 00 03 28",
      "09 15 11 00 18 12 00 \(Peer.otherSignalUUID) 14 00 02 15 00 \(Peer.payloadUUID)")
  }

  @Test("HP-03 The new payload is not written to a peer on a connection of ours under the former address")
  func written() {
    let scenario = Scenario(payload: hex("08 01"))
    scenario.run(seconds: 890)
    discover(scenario)
    #expect(scenario.requests() == [hex("0A 15 00")])
    let address = scenario.node.core.ownAddress
    scenario.node.core.values.supplier.bytes = hex("08 02")
    let isSet = scenario.node.core.setClock(
      unixMilliseconds: 1_700_000_000_000, at: scenario.now, source: .host)
    #expect(isSet)
    scenario.poll()
    #expect(scenario.node.core.ownAddress != address)
    _ = scenario.commands()
    scenario.happen(.pdu(hex("0B \(Peer.payload)"), on: ConnectionID(index: 0)))
    // The payload is read, and the connection closed without a write; it is written on the next one.
    #expect(scenario.count(.reads) == 1)
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    scenario.run(seconds: 1)
    discover(scenario)
    #expect(scenario.requests() == [hex("12 12 00 01 02 00 08 02")])
  }
}
