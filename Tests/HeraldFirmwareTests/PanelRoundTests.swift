import HeraldBluetooth
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import HeraldSimulation
import Testing

extension MockRadio: StatisticsSource {
  /// No name.
  public static var statisticsName: StaticString { "radio" }
  /// No counters.
  public static var statisticsCount: Int { 0 }
  /// No names.
  public static func statisticName(_ index: Int) -> StaticWord { "" }
  /// No values.
  public mutating func statistic(_ index: Int) -> UInt32 { 0 }
}

/// A board with a light, and with a button or without one.
struct PanelHardware<let buttons: Int>: FirmwareHardware {
  typealias SettingsFlash = MemoryFlash
  typealias PanelType = StatusPanel<TestPins<buttons>>
  var board: TestHardware

  mutating func now() -> Instant { board.now() }
  mutating func sleep(until deadline: Instant) -> Bool { board.sleep(until: deadline) }
  mutating func feedWatchdog() { board.feedWatchdog() }
  mutating func restart() { board.restart() }
  mutating func stackUsed() -> UInt32 { 0 }
  mutating func overruns() -> UInt32 { 0 }
  mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int { 0 }
}

/// A link on which a host sends one packet.
private struct PacketLink: ManagementLinks, ~Copyable {
  var server = SMPServer()
  var packet: [UInt8] = []
  var answer: [UInt8] = []

  mutating func serve<Device: ManagedDevice & ~Copyable>(at now: Instant, device: inout Device) -> Instant {
    guard !packet.isEmpty else { return .never }
    var buffer = packet + [UInt8](repeating: 0, count: 128 - packet.count)
    var span = buffer.mutableSpan
    let count = server.respond(to: &span, count: packet.count, at: now, device: &device)
    answer = Array(buffer[..<count])
    packet = []
    return now
  }
}

@Suite("The panel in the main loop")
struct PanelRoundTests {
  private typealias Node<let buttons: Int> = ManagedNode<
    MockRadio,
    ManagedPartList<
      MemoryFlash, CountedRandom, FixedPayloadSupplier, NoDelegate, HeraldGATTTable,
      Firmware<PanelHardware<buttons>>
    >, 4, 2, 2
  >

  private let events = Events()
  private let words = Words()
  private let log = FlashImage(pageSize: 512, pageCount: 10, wordSize: 4)
  private let kept = FlashImage(pageSize: 128, pageCount: 2, wordSize: 4)

  private func device<let buttons: Int>(
    _: PanelHardware<buttons>.Type, hint: RestartCause? = nil
  ) -> Node<buttons> {
    Node<buttons>(
      radio: MockRadio(), flash: MemoryFlash(log), random: CountedRandom(),
      supplier: FixedPayloadSupplier(country: 1, state: 2, clientIdentifier: 3), delegate: NoDelegate(),
      board: Firmware(
        hardware: PanelHardware<buttons>(board: TestHardware(events: events)), memory: words.memory,
        settings: MemoryFlash(kept), hint: hint))
  }

  private func run<let buttons: Int>(
    _ device: inout Node<buttons>, _ links: inout PacketLink, for duration: UInt64
  ) {
    let end = events.now + duration
    // A chip does not return from a restart.
    while events.now < end, events.restarts == 0 { device.round(serving: &links) }
  }

  /// The number and the length in milliseconds of the flashes after a short press, to about 100 ms.
  private func shown(_ device: inout Node<1>) -> (flashes: Int, longest: UInt64) {
    var links = PacketLink()
    device.board.panel.pins.isDown = true
    run(&device, &links, for: 200)
    device.board.panel.pins.isDown = false
    var flashes = 0
    var longest: UInt64 = 0
    var began: UInt64?
    // The first group: until the light was off for a second.
    var last = events.now
    while events.now - last < 1_000 || began != nil {
      // The round changes the light, and then sleeps.
      let time = events.now
      device.round(serving: &links)
      let isLit = device.board.panel.pins.isLit
      if isLit { last = time }
      if isLit, began == nil {
        flashes += 1
        began = time
      } else if !isLit, let start = began {
        longest = max(longest, time - start)
        began = nil
      }
    }
    run(&device, &links, for: 20_000)
    return (flashes, longest)
  }

  @Test("the light shows the most urgent condition")
  func conditions() throws {
    var device = device(PanelHardware<1>.self)
    var links = PacketLink()
    run(&device, &links, for: 5_000)
    var found = shown(&device)
    #expect(found == (2, 150), "no date")
    check(device.setClock(unixMilliseconds: 1_790_000_000_000, at: Instant(milliseconds: events.now)))
    found = shown(&device)
    #expect(found == (1, 1_000), "all is well")
    device.board.panel.pins.charges = true
    found = shown(&device)
    #expect(found == (2, 1_000), "charging")
    device.board.panel.pins.charges = false
    var random = CountedRandom()
    for page in [8, 9] as [UInt32] {
      found = shown(&device)
      #expect(found.flashes == 1, "two pages of ten are free")
      while device.logStatus().newest < page {
        let bytes = (0..<90).map { _ in UInt8(truncatingIfNeeded: random.next() >> 24) }
        try device.node.core.log.append(
          .received(TargetIdentity(kind: .randomAddress, high: 1, low: 2)), bytes: bytes.span,
          at: Instant(milliseconds: events.now), clock: device.node.core.clock)
        device.node.core.log.commit()
      }
    }
    found = shown(&device)
    #expect(found == (3, 150), "log nearly full")
    device.board.panel.pins.reading = PowerReading(level: 21, isExternal: false)
    found = shown(&device)
    #expect(found.flashes == 3)
    device.board.panel.pins.reading = PowerReading(level: 20, isExternal: true)
    found = shown(&device)
    #expect(found.flashes == 3, "it is supplied")
    device.board.panel.pins.reading = PowerReading(level: 20, isExternal: false)
    found = shown(&device)
    #expect(found == (4, 150), "battery low")
    device.node.radio.happen(.state(.failed))
    found = shown(&device)
    #expect(found == (5, 150), "no radio")
  }

  @Test("a device in safe mode shows that it does not advertise")
  func safeMode() {
    for _ in 0..<3 { _ = self.device(PanelHardware<1>.self, hint: .watchdog) }
    var device = device(PanelHardware<1>.self, hint: .watchdog)
    check(device.board.mode != .normal)
    let found = shown(&device)
    #expect(found.flashes == 5)
  }

  private func request(_ epoch: UInt32) -> [UInt8] {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: epoch >> (24 - 8 * $0)) }
    return [0x0A, 0, 0, 0x0C, 0, 0x48, 3, 3, 0xA1, 0x65] + Array("epoch".utf8) + [0x1A] + bytes
  }

  /// `{"err": {"group": 72, "rc": 14}}`.
  private let refused: [UInt8] =
    [0x0B, 0, 0, 0x12, 0, 0x48, 3, 3, 0xA1, 0x63, 0x65, 0x72, 0x72, 0xA2, 0x65] + Array("group".utf8)
    + [0x18, 0x48, 0x62, 0x72, 0x63, 14]

  @Test("a board with a button is reset by a stranger only after a long press, and in time")
  func reset() {
    var device = device(PanelHardware<1>.self)
    var links = PacketLink()
    run(&device, &links, for: 1_000)
    let request = request(device.logStatus().epoch)
    for attempt in 0..<3 {
      links.packet = request
      run(&device, &links, for: 10)
      #expect(links.answer == refused, "attempt \(attempt)")
    }
    device.board.panel.pins.isDown = true
    run(&device, &links, for: 5_200)
    device.board.panel.pins.isDown = false
    run(&device, &links, for: 31_000)
    links.packet = request
    run(&device, &links, for: 10)
    #expect(links.answer == refused, "too late")
    device.board.panel.pins.isDown = true
    run(&device, &links, for: 5_200)
    device.board.panel.pins.isDown = false
    run(&device, &links, for: 10_000)
    links.packet = request
    run(&device, &links, for: 1)
    // {"done": 0, "of": 11, "bad": 0}
    #expect(
      links.answer.dropFirst(8).prefix(12) == [
        0xA3, 0x64, 0x64, 0x6F, 0x6E, 0x65, 0, 0x62, 0x6F, 0x66, 11, 0x63,
      ])
    run(&device, &links, for: 5_000)
    #expect((log.bytes + kept.bytes).allSatisfy { $0 == 0xFF } && events.restarts > 0)
  }

  @Test("a board without a button is reset by whoever has its cable")
  func withoutButton() {
    var device = device(PanelHardware<0>.self)
    var links = PacketLink()
    run(&device, &links, for: 1_000)
    links.packet = request(device.logStatus().epoch)
    run(&device, &links, for: 5_000)
    #expect((log.bytes + kept.bytes).allSatisfy { $0 == 0xFF })
  }
}

/// `#expect` for calls on values that cannot leave their scope, which the macro would capture.
private func check(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(condition, sourceLocation: sourceLocation)
}
