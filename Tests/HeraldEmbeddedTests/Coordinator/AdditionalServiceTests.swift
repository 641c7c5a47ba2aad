import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

// The service of docs/porting.md, which a test of ComplianceTests compares.

/// Serves and advertises the number of a room, and observes which rooms are near.
struct RoomService: AdditionalServices {
  typealias Sets = AdvertisingScheduler<2>  // Herald's advertising set, and one
  typealias Table = ComposedGATTTable<27, 148>  // Herald's 21 attributes, 3 of Service Changed, and 3
  static var count: Int { 1 }
  var room: [2 of UInt8] = [0x12, 0x34]

  mutating func serve(behind table: GATTDatabase, in services: inout Table) {
    guard services.start(with: table), services.appendService(UUID16(0xFFF0)) else { return }
    let tag = AttributeTag(rawValue: 32)
    _ = services.appendCharacteristic(UUID128(UUID16(0xFFF1)), .read, longest: 0, tag: tag)
  }
  mutating func read(
    _ tag: AttributeTag, offset: Int, into buffer: inout MutableSpan<UInt8>, on connection: ConnectionID
  ) -> AttributeRead { .copying(room.span, from: offset, into: &buffer) }

  mutating func advertise(_ index: Int, into buffer: inout MutableSpan<UInt8>) -> Int {
    var writer = ByteWriter(buffer._mutatingExtracting(0..<buffer.count))
    writer.advertisingFlags(0x06)
    writer.advertisingServiceData(UUID16(0xFFF0), room.span)
    return writer.count
  }
  mutating func sighting(in data: Span<UInt8>) -> ServiceSighting {
    ServiceSighting(of: .firstFree, inServiceData: UUID16(0xFFF0), length: 2, of: data)
  }
}

/// A code of two bytes that is searched for on a connection, in service 0xFFF0 and then in 0xFFF2.
private struct HiddenRoomService: AdditionalServices {
  static var count: Int { 1 }
  var isObserver = true

  mutating func sighting(in data: Span<UInt8>) -> ServiceSighting {
    var sighting = ServiceSighting.nothing
    sighting.hasHiddenCode = isObserver && data.count == 3
    return sighting
  }
  mutating func search(_ position: Int) -> CodeSearch? {
    guard isObserver, position < 2 else { return nil }
    let service = UUID128(UUID16(position == 0 ? 0xFFF0 : 0xFFF2))
    return CodeSearch(
      of: ServiceNumber(rawValue: 200), in: service,
      at: .value(of: UUID128(UUID16(0xFFF1)), length: 2, longest: 3), life: .minutes(5))
  }
}

@Suite("Additional services of an application")
struct AdditionalServiceTests {
  private let android = TargetIdentity(Peer.android)

  @Test("Its attributes are served behind Herald's and Service Changed")
  func served() {
    let scenario = ScenarioWith<RoomService, HeraldGATTTable>()
    scenario.peerConnects()
    #expect(scenario.ask("06 01 00 FF FF 00 28 F0 FF") == "07 19 00 1B 00")
    #expect(
      scenario.ask("08 19 00 1B 00 03 28")
        == "09 15 1A 00 02 1B 00 FB 34 9B 5F 80 00 00 80 00 10 00 00 F1 FF 00 00")
    #expect(scenario.ask("0A 1B 00") == "0B 12 34")
    #expect(scenario.ask("0C 1B 00 01 00") == "0D 34")
    #expect(scenario.ask("12 1B 00 56 78") == "01 12 1B 00 03")
    #expect(scenario.codes() == [])
  }

  @Test("It has an advertising set beside Herald's, under the same address, and again after a change of it")
  func advertised() {
    let scenario = ScenarioWith<RoomService, HeraldGATTTable> { $0.addressPeriod = .minutes(10) }
    let air = scenario.onAir()
    let data = "02 01 06 05 16 F0 FF 12 34"
    #expect(air.contains { $0.data == data } && air.contains { $0.data.contains("F6 FC") })
    #expect(Set(air.map(\.address)).count == 1)
    scenario.run(seconds: 600)
    let later = scenario.onAir()
    #expect(later.contains { $0.data == data } && later.contains { $0.data.contains("F6 FC") })
    #expect(Set((air + later).map(\.address)).count == 2)
  }

  @Test("A code in an advertisement is logged and reported under its number, once, and its RSSI each time")
  func observed() {
    let scenario = ScenarioWith<RoomService, HeraldGATTTable>()
    _ = scenario.heard()
    for rssi in [-61, -62] as [Int8] {
      scenario.hear(Peer.android, "02 01 06 05 16 F0 FF 00 07", rssi: rssi)
      scenario.run(seconds: 20)
    }
    scenario.hear(Peer.iPhone, "02 01 06 05 16 F1 FF 00 07")
    #expect(
      scenario.heard() == [
        .detect(android), .observe(android, .firstFree, [0, 7]), .measure(android, -61),
        .measure(android, -62),
      ])
    #expect(scenario.codes() == ["observed 2030405 2 00 07"])
    #expect(scenario.count(.attempts) == 0)
  }

  @Test("Service data of another length are no code, and one at byte 255 or beyond is not searched for")
  func lengths() {
    func start(_ bytes: [UInt8]) -> UInt8 {
      ServiceSighting(of: .firstFree, inServiceData: UUID16(0xFFF0), length: 2, of: bytes.span).start
    }
    #expect(start(hex("05 16 F0 FF 00 07")) == 4)
    #expect(start(hex("04 16 F0 FF 00 05 16 F0 FF 00 07")) == 9)
    for data in ["03 16 F0 FF", "04 16 F0 FF 00", "06 16 F0 FF 00 07 08", "05 16 F0 FF 00", "02 16 F0", ""] {
      #expect(start(hex(data)) == 0)
    }
    for (before, found) in [(249, 254), (250, 0)] as [(Int, UInt8)] {
      let other = [UInt8(before)] + [UInt8](repeating: 0, count: before)
      #expect(start(other + hex("05 16 F0 FF 00 07")) == found)
    }
  }

  @Test("Numbers above 239, whose byte in the log would have another meaning, count as 239")
  func numbers() {
    #expect(ServiceNumber(rawValue: 255) == ServiceNumber(rawValue: 239))
    #expect(ServiceNumber(rawValue: 239).rawValue == 239 && ServiceNumber.firstFree.rawValue == 2)
  }

  private func meet(_ scenario: ScenarioWith<HiddenRoomService, HeraldGATTTable>) {
    scenario.hear(Peer.android, "02 01 06")
    #expect(scenario.node.radio.connecting == Peer.android)
    _ = scenario.commands()
  }

  @Test("Codes of two services are searched for in turn, and logged with a number of the application's")
  func searched() {
    let scenario = ScenarioWith<HiddenRoomService, HeraldGATTTable>()
    meet(scenario)
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    scenario.exchange("02 F7 00", "03 00 02")
    scenario.exchange("06 01 00 FF FF 00 28 F0 FF", "07 30 00 32 00")
    scenario.exchange("08 30 00 32 00 03 28", "09 07 31 00 02 32 00 F1 FF")
    scenario.exchange("0A 32 00", "0B 01 02 03")
    scenario.exchange("06 01 00 FF FF 00 28 F2 FF", "07 40 00 42 00")
    scenario.exchange("08 40 00 42 00 03 28", "09 07 41 00 02 42 00 F1 FF")
    scenario.exchange("0A 42 00", "0B 04 05")
    #expect(scenario.commands().contains(.disconnect(ConnectionID(index: 0))))
    #expect(scenario.codes() == ["observed 2030405 200 01 02", "observed 2030405 200 04 05"])
  }

  @Test(
    "A code that is shorter or longer than its service says is not one", arguments: ["01", "01 02 03 04"])
  func length(_ value: String) {
    let scenario = ScenarioWith<HiddenRoomService, HeraldGATTTable>()
    meet(scenario)
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    scenario.exchange("02 F7 00", "03 00 02")
    scenario.exchange("06 01 00 FF FF 00 28 F0 FF", "07 30 00 32 00")
    scenario.exchange("08 30 00 32 00 03 28", "09 07 31 00 02 32 00 F1 FF")
    scenario.exchange("0A 32 00", "0B \(value)")
    #expect(scenario.codes() == [] && scenario.count(.exchangesMalformed) == 1)
  }

  @Test("A service that is switched off before the connection is open is not searched for, then or later")
  func switchedOff() {
    let scenario = ScenarioWith<HiddenRoomService, HeraldGATTTable>()
    meet(scenario)
    scenario.node.core.services.isObserver = false
    scenario.happen(.opened(ConnectionID(index: 0), .central, peer: Peer.android))
    scenario.exchange("02 F7 00", "03 00 02")
    #expect(scenario.commands() == [.disconnect(ConnectionID(index: 0))])
    scenario.happen(.closed(ConnectionID(index: 0), .localHostTerminated))
    for _ in 0..<60 {
      scenario.hear(Peer.android, "02 01 06")
      scenario.run(seconds: 10)
    }
    #expect(scenario.count(.attempts) == 1 && scenario.count(.exchangesMalformed) == 0)
  }
}
