import HeraldBluetooth
import HeraldEmbedded
import HeraldSimulation
import Testing

@Suite("Coordinator: own payload")
struct OwnPayloadTests {
  private static let epoch: UInt64 = 1_600_905_600
  private static let day: UInt64 = 86_400
  /// Identifiers of the secret of zeros: periods 0 and 1 of day 0, period 0 of day 1.
  private static let first = "10 3A 03 00 00 e2cfbeb32de932c9171c658b5f57a337"
  private static let second = "10 3A 03 00 00 d7f8ef992e35091fed00b9c47dcfe398"
  private static let nextDay = "10 3A 03 00 00 2e41c6b74864db2420f646a157a2b808"

  /// A device with the matching keys of some days of the secret of zeros, for the UK.
  private func scenario(days: ClosedRange<Int>) throws -> Scenario {
    let scenario = Scenario(payload: [])
    let keys = try matchingKeys(first: days.lowerBound, last: days.upperBound)
    var store = InlineMatchingKeys<4>()
    try store.provide(firstDay: days.lowerBound, keys: keys.span)
    var supplier = SimplePayloadSupplier(store: store)
    supplier.configure(country: 826, state: 0)
    scenario.node.core.values.supplier.simple = consume supplier
    return scenario
  }

  private func set(_ scenario: Scenario, _ unixSeconds: UInt64) {
    let isSet = scenario.node.core.setClock(
      unixMilliseconds: unixSeconds * 1000, at: scenario.now, source: .host)
    #expect(isSet)
    scenario.poll()
  }

  /// What a peer gets that connects now and reads on at an ATT_MTU of 23 until a piece is not full; `nil` if
  /// it gets an error.
  private func read(_ scenario: Scenario) -> [UInt8]? {
    scenario.happen(.opened(ConnectionID(index: 0), .peripheral, peer: Peer.iPhone))
    defer { scenario.happen(.closed(ConnectionID(index: 0), .remoteUserTerminated)) }
    _ = scenario.answers()
    var payload: [UInt8] = []
    for _ in 0..<30 {
      let offset = payload.count
      let request: [UInt8] =
        offset == 0 ? [0x0A, 0x10, 0] : [0x0C, 0x10, 0, UInt8(offset & 255), UInt8(offset >> 8)]
      scenario.happen(.pdu(request, on: ConnectionID(index: 0)))
      guard let answer = scenario.answers().first, answer.first == request[0] + 1 else { return nil }
      payload += answer.dropFirst()
      if answer.count < 23 { return payload }
    }
    return nil
  }

  @Test(
    "HP-41 Payloads of 1, 21 and 510 bytes are served and read whole, 22 bytes at a time",
    arguments: [1, 21, 510])
  func lengths(length: Int) {
    let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
    let scenario = Scenario(payload: payload)
    #expect(scenario.node.radio.advertising?.connectable == true)
    #expect(read(scenario) == payload)
    #expect(scenario.count(.payloadsServed) == 1)
  }

  @Test("HP-41 A supplier with 0 bytes, or with 511, has nothing to offer", arguments: [0, 511, 512])
  func noPayload(length: Int) {
    let scenario = Scenario(payload: [UInt8](repeating: 7, count: length))
    #expect(scenario.node.radio.advertising == nil)
    #expect(read(scenario) == nil)
    #expect(scenario.count(.payloadsServed) == 0)
    #expect(!scenario.log().contains { $0.contains(" own ") })
  }

  @Test("HP-41 The supplier is asked at each exchange, with the date of the last change of address")
  func timestamps() {
    let scenario = Scenario()
    scenario.run(seconds: 50)
    set(scenario, 1_700_000_000)
    scenario.node.core.values.supplier.dates = []
    for _ in 0..<3 {
      scenario.run(seconds: 100)
      #expect(read(scenario) == hex("08 01 00 02 00 03 00 00 00 00 00 00 00"))
    }
    #expect(scenario.node.core.values.supplier.dates == [1_700_000_000, 1_700_000_000, 1_700_000_000])
    scenario.run(seconds: 600)  // fifteen minutes after the date was set
    _ = read(scenario)
    #expect(scenario.node.core.values.supplier.dates.suffix(2) == [1_700_000_900, 1_700_000_900])
    #expect(scenario.node.core.values.supplier.dates.count == 5)
  }

  @Test(
    "HP-41 The simple payload waits for the date: until then nothing is advertised, and readers get an error")
  func withoutDate() throws {
    let scenario = try scenario(days: 0...1)
    scenario.run(seconds: 3600)
    #expect(scenario.node.radio.advertising == nil)
    #expect(read(scenario) == nil)
    set(scenario, Self.epoch + 359)
    #expect(scenario.node.radio.advertising != nil)
    #expect(read(scenario) == hex(Self.first))
  }

  @Test("HP-14 The simple payload changes with its period, at that second, and the address with it")
  func period() throws {
    let scenario = try scenario(days: 0...1)
    scenario.run(seconds: 7)
    set(scenario, Self.epoch + 100)
    let address = scenario.node.core.ownAddress
    scenario.run(milliseconds: 259_999)
    #expect(scenario.node.core.ownAddress == address)
    #expect(read(scenario) == hex(Self.first))
    scenario.run(milliseconds: 1)
    let next = scenario.node.core.ownAddress
    #expect(next != address)
    #expect(scenario.node.radio.advertising?.ownAddress == next)
    #expect(scenario.node.radio.scanning?.ownAddress == next)
    #expect(read(scenario) == hex(Self.second))
    scenario.run(milliseconds: 359_999)
    #expect(scenario.node.core.ownAddress == next)
    scenario.run(milliseconds: 1)
    #expect(scenario.node.core.ownAddress != next)
  }

  @Test("HP-14 At midnight the payload is the next day's at that second, and the address is new")
  func midnight() throws {
    let scenario = try scenario(days: 0...1)
    set(scenario, Self.epoch + Self.day - 60)
    let address = scenario.node.core.ownAddress
    scenario.run(milliseconds: 59_999)
    #expect(scenario.node.core.ownAddress == address)
    scenario.run(milliseconds: 1)
    #expect(scenario.node.core.ownAddress != address)
    #expect(read(scenario) == hex(Self.nextDay))
  }

  @Test(
    "HP-41 A date ahead costs nothing for six hours; then today's key is wiped, and when the date is put right those of the next days are there"
  )
  func dateAhead() throws {
    let scenario = try scenario(days: 0...3)
    let morning = Self.epoch + 6 * 3600
    set(scenario, morning)
    scenario.run(seconds: 60)
    let (today, offered) = (read(scenario), scenario.node.radio.advertising != nil)
    #expect(today?.count == 21 && offered)
    // Two days, and beyond the end of the window; each for nearly six hours.
    for days in [2, 60] as [UInt64] {
      set(scenario, morning + days * Self.day)
      scenario.run(seconds: 6 * 3600 - 400)
      #expect((scenario.node.radio.advertising != nil) == (days == 2))
      set(scenario, morning + 60)
      scenario.run(seconds: 1)
      #expect(read(scenario) == today)
    }
    // Small corrections do not prolong it.
    set(scenario, morning + 2 * Self.day)
    for hour in 1...7 {
      scenario.run(seconds: 3600)
      set(scenario, morning + 2 * Self.day + UInt64(hour) * 3600 + 30)
    }
    set(scenario, morning)
    scenario.run(seconds: 60)
    #expect(scenario.node.radio.advertising == nil && read(scenario) == nil)
    // The next day begins by itself, and the one after it, whose key was used by mistake.
    for _ in 1...2 {
      scenario.run(seconds: 24 * 3600)
      #expect(read(scenario)?.count == 21 && scenario.node.radio.advertising != nil)
    }
    set(scenario, Self.epoch + Self.day)
    #expect(read(scenario) == nil, "the day before is over")
  }

  @Test("HP-41 When the last key's day is over nothing is offered, and again once there are new keys")
  func windowEnd() throws {
    let scenario = try scenario(days: 0...0)
    set(scenario, Self.epoch + Self.day - 60)
    #expect(scenario.node.radio.advertising != nil)
    scenario.run(seconds: 60)
    #expect(scenario.node.radio.advertising == nil)
    #expect(read(scenario) == nil)
    scenario.run(seconds: 3600)
    #expect(scenario.node.radio.advertising == nil)
    let keys = try matchingKeys(first: 1, last: 1)
    try scenario.node.core.values.supplier.simple?.store.provide(firstDay: 1, keys: keys.span)
    scenario.node.core.values.supplier.simple?.keysChanged()
    scenario.run(seconds: 10)
    #expect(scenario.node.radio.advertising != nil)
    #expect(read(scenario)?.count == 21)
  }

  @Test(
    "HP-41 Past the schedule's end, or before its epoch, nothing is offered", arguments: [2001 * 86_400, -1])
  func outsideSchedule(seconds: Int) throws {
    let scenario = try scenario(days: 1999...2000)
    set(scenario, UInt64(Int(Self.epoch) + seconds))
    scenario.run(seconds: 700)
    #expect(scenario.node.radio.advertising == nil)
    #expect(read(scenario) == nil)
    let status = scenario.node.core.values.supplier.simple?.status(at: UInt64(Int(Self.epoch) + seconds))
    #expect(status == (seconds < 0 ? .beforeWindow : .pastEnd))
  }

  @Test(
    "HP-41 The identifier of zeros is never offered: not without keys, nor after they are wiped, nor at any end"
  )
  func neverZeros() throws {
    let scenario = try scenario(days: 0...0)
    var seen: [[UInt8]] = []
    func readNow() { if let payload = read(scenario) { seen.append(payload) } }
    readNow()
    for offset: UInt64 in [0, 359, 360, 43_200, 86_039, 86_040] {
      set(scenario, Self.epoch + offset)
      readNow()
    }
    #expect(seen.count == 6)
    scenario.node.core.values.supplier.simple?.store.wipeAll()
    scenario.node.core.values.supplier.simple?.keysChanged()
    readNow()
    #expect(seen.count == 6)
    #expect(scenario.node.radio.advertising != nil)
    scenario.run(seconds: 360)  // the next change finds no key
    #expect(scenario.node.radio.advertising == nil)
    for offset: UInt64 in [86_399, 86_400, 2000 * 86_400, 2001 * 86_400, 28_000 * 86_400] {
      set(scenario, Self.epoch + offset)
      scenario.run(seconds: 361)
      readNow()
    }
    #expect(seen.count == 6)
    let zeros = [UInt8](repeating: 0, count: 16)
    #expect(seen.allSatisfy { Array($0.suffix(16)) != zeros })
    #expect(!scenario.log().contains { $0.contains("own 10 3A 03 00 00 00 00 00 00 00 00 00 00") })
  }
}

@Suite("Coordinator: foreign payloads")
struct ForeignPayloadTests {
  /// BlueTrace in Herald's binary form: total length, an identifier of eight characters, RSSI, transmit power
  /// and model.
  private static let blueTrace =
    "91 3A 03 04 00 1D 00 08 00 41 42 31 32 33 34 35 36 40 02 C4 FF 41 02 0C 00 42 02 50 37"

  @Test(
    "HP-40 A payload of an unknown family is read from a peer, reported and logged unchanged",
    arguments: [
      blueTrace,
      "90 3A 03 04 00 0A 00 08 00 51 55 49 78 4D 6A 4D 3D",
      "20 3A 03 00 00" + String(repeating: " A5", count: 65),
      "27 3A 03 00 00" + String(repeating: " 00", count: 65),
      "00 DE AD BE EF 01 02 03", "08 3A 03 00 00 D2 02 96 49 00 00 00 00",
      "80 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F", "88 01", "98 02",
      "A0" + String(repeating: " 3C", count: 27),
      "18 01", "28 01", "38 01", "7F 01", "A8 01", "FF FF",
      "31 3A 03 04 00 F3 E0 01 00", "11 3A 03 00 00 01 02",
    ])
  func carried(payload: String) {
    let scenario = Scenario()
    scenario.hear(Peer.android, Peer.androidAdvert)
    scenario.readAndroid(payload: payload)
    #expect(scenario.heard().contains(.read(Peer.androidIdentity, hex(payload), known: false)))
    #expect(scenario.log().contains("0 read android \(payload)"))
    #expect(scenario.count(.reads) == 1)
  }

  @Test("HP-40 The header of a BlueTrace payload tells family, version and country, and no more")
  func blueTraceHeader() {
    let header = PayloadHeader(hex(Self.blueTrace).span)
    #expect(header?.family == .blueTrace && header?.version == 1)
    #expect(header?.origin == .country(826, state: 4))
  }
}
