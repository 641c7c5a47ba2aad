import HeraldBluetooth
import HeraldHAL
import HeraldLinkLayer
import HeraldSimulation
import TestInputs
import Testing

@Suite("Time for the flash")
struct ReservationTests {
  let medium = RadioMedium(seed: 11)

  /// A peripheral with connections of these intervals, whose centrals are independent of the link layer.
  private func connected(
    _ intervals: [UInt16], timeout: UInt16 = 100, _ set: (ScriptedCentral) -> Void = { _ in }
  ) throws -> (PausingDevice, [ScriptedCentral]) {
    let device = LinkLayerDevice(medium, 0)
    var centrals: [ScriptedCentral] = []
    for (number, interval) in intervals.enumerated() {
      try device.advertise(every: 20)
      let central = ScriptedCentral(medium, number + 1)
      central.interval = interval
      central.timeout = timeout
      central.accessAddress = 0x5065_5DA3 ^ UInt32(number) << 9
      set(central)
      central.connect()
      medium.run(until: medium.time + milliseconds(300))
      centrals.append(central)
    }
    #expect(device.events.count == intervals.count)
    return (PausingDevice(device, on: medium), centrals)
  }

  @Test("Without radio events there is no wait")
  func idle() throws {
    let device = PausingDevice(LinkLayerDevice(medium, 0), on: medium)
    let duration = device.erase()
    #expect(device.waits.max() ?? 99 <= 10 && duration <= 95 * 1180)
  }

  @Test(
    "Beside a connection, no event is missed, skipped or late",
    arguments: [6, 8, 24, 80, 800] as [UInt16], [0, 3])
  func connection(interval: UInt16, pending: Int) throws {
    let (device, centrals) = try connected([interval], timeout: 600)
    let central = centrals[0]
    central.exchanges = 40
    for number in 0..<8 {
      for _ in 0..<(pending * 5) { central.queue.append((2, [UInt8](repeating: 7, count: 27))) }
      let (answered, skipped) = (Set(central.answered).count, device.skipped)
      let before = central.event
      device.erase()
      #expect(Set(central.answered).count - answered >= central.event - before - 1, "\(number)")
      #expect(device.skipped == skipped && device.late == 0)
    }
    #expect(device.interrupted == 0)
    // The first exchange of an event, an advertising event, and the wait for the first slot after them.
    #expect(device.waits.max() ?? 99_999 < 8000)
  }

  @Test("Data in both directions, without an end, leaves room after each exchange", arguments: [6, 80])
  func throughput(interval: UInt16) throws {
    let (device, centrals) = try connected([interval])
    centrals[0].exchanges = 1000
    centrals[0].queue = (0..<20_000).map { _ in (2, [UInt8](repeating: 1, count: 27)) }
    for _ in 0..<30 {
      device.halt(for: 1160)
      medium.run(until: medium.time + milliseconds(9))
    }
    #expect(device.waits.max() ?? 99_999 < 4000)
    #expect(device.skipped == 0 && device.late == 0 && device.interrupted == 0)
  }

  @Test("A page of an nRF51 is erased between two events of a connection", arguments: [24, 40] as [UInt16])
  func undivided(interval: UInt16) throws {
    let (device, centrals) = try connected([interval])
    for _ in 0..<10 {
      let (answered, event) = (Set(centrals[0].answered).count, centrals[0].event)
      device.halt(for: 23_500)
      medium.run(until: medium.time + milliseconds(50))
      #expect(Set(centrals[0].answered).count - answered >= centrals[0].event - event - 1)
    }
    #expect(device.skipped == 0 && device.late == 0 && device.interrupted == 0)
    #expect(device.waits.max() ?? 99_999 < Int(interval) * 1250)
  }

  @Test("Connections without a gap miss events after 20 ms, and are not lost")
  func patience() throws {
    let (device, centrals) = try connected([6, 6], timeout: 20)
    let answered = centrals.map { Set($0.answered).count }
    for _ in 0..<10 {
      device.halt(for: 23_500)
      medium.run(until: medium.time + milliseconds(40))
    }
    let waits = device.waits
    #expect(waits.allSatisfy { $0 > 20_000 && $0 < 30_000 }, "\(waits)")
    #expect(device.skipped > 0 && device.interrupted == 0 && device.late == 0)
    #expect(!device.device.events.contains { if case .closed = $0 { true } else { false } })
    for (central, before) in zip(centrals, answered) { #expect(Set(central.answered).count > before + 40) }
  }

  @Test("An operation is not delayed for longer than 40 ms by a connection that must not miss an event")
  func limit() throws {
    // Half of the supervision timeout has passed: no event is skipped.
    let (device, centrals) = try connected([6], timeout: 100)
    centrals[0].isSilent = { _ in true }
    medium.run(until: medium.time + milliseconds(700))
    let skipped = device.skipped
    device.halt(for: 23_500)
    #expect((40_000...41_000).contains(device.waits[0]))
    #expect(device.skipped == skipped)
    // The reservation has ended: the connection is lost by its supervision timeout, not before.
    medium.run(until: medium.time + milliseconds(100))
    #expect(device.device.events.count == 1)
    medium.run(until: medium.time + milliseconds(300))
    #expect(device.device.events.count == 2)
  }

  @Test("Advertising events are at most one operation late")
  func advertising() throws {
    let device = PausingDevice(LinkLayerDevice(medium, 0), on: medium)
    try device.device.advertise(.scannable, every: 20)
    for _ in 0..<5 { device.erase() }
    let starts = Transcript(medium).advertising(0).filter { $0.channel == 37 }.map(\.start)
    let spaces = zip(starts, starts.dropFirst()).map { $1 - $0 }
    #expect(starts.count > 18 && spaces.allSatisfy { $0 >= milliseconds(20) && $0 < milliseconds(32) })
    #expect(Transcript(medium).advertising(0).count % 3 == 0)
    #expect(device.interrupted == 0 && device.late == 0 && device.waits.max() ?? 99_999 < 4000)
  }

  @Test("Advertising of high duty cycle leaves room after 20 ms")
  func directed() throws {
    let device = PausingDevice(LinkLayerDevice(medium, 0), on: medium)
    let peer = DeviceAddress(high: 0xC001, low: 5, kind: .random)
    try device.device.advertise(.directed(to: peer, isHighDuty: true))
    for _ in 0..<5 { device.halt(for: 1160) }
    #expect(device.waits.allSatisfy { $0 < 24_000 } && device.interrupted == 0)
  }

  @Test("A scan without a pause is interrupted at once, and continued")
  func scanning() throws {
    let device = PausingDevice(LinkLayerDevice(medium, 0), on: medium)
    let advertiser = LinkLayerDevice(medium, 1)
    try advertiser.advertise(.nonConnectable, every: 20)
    try device.device.scan(every: 30, for: 30)
    medium.run(until: milliseconds(500))
    let before = device.device.reports.count
    for _ in 0..<50 {
      device.halt(for: 1160)
      medium.run(until: medium.time + milliseconds(10))
    }
    // At most the rest of a packet, whose start had been received.
    #expect(device.waits.max() ?? 9999 <= 400)
    #expect(device.interrupted == 0 && device.late == 0)
    // 50 · 1.7 ms of 560 ms were not scanned, which has 22 advertising events.
    #expect(device.device.reports.count - before >= 14)
  }

  @Test(
    "Page erasure: the duration beside four connections, advertising and scanning",
    arguments: [[6, 6, 24, 24], [6, 24, 24, 24], [24, 24, 24, 24]] as [[UInt16]])
  func figures(intervals: [UInt16]) throws {
    let (device, centrals) = try connected(intervals)
    try device.device.advertise(.scannable, every: 100)
    try device.device.scan(active: true, every: 60, for: 60)
    medium.run(until: medium.time + milliseconds(500))
    let (skipped, events) = (device.skipped, centrals.map(\.event).reduce(0, +))
    var durations: [Int] = []
    for _ in 0..<20 {
      durations.append(device.erase() / 1000)
      medium.run(until: medium.time + milliseconds(37))
    }
    let wait = device.waits.max() ?? 99_999
    print(
      "  intervals \(intervals.map { Double($0) * 1.25 }) ms: erasure \(durations.min() ?? 0)…"
        + "\(durations.max() ?? 0) ms, longest wait \(wait) µs, "
        + "\(device.skipped - skipped) of \(centrals.map(\.event).reduce(0, +) - events) events skipped")
    #expect(device.interrupted == 0 && device.late == 0)
    #expect(wait < 24_000)
    #expect(device.device.events.count == 4)
  }
}

@Suite("A radio that switches its oscillator off")
struct OscillatorTests {
  let medium = RadioMedium(seed: 12)

  @Test("The first advertising event begins when the oscillator has started")
  func startUp() throws {
    let device = LinkLayerDevice(medium, 0, switchesOff: true)
    try device.advertise(.nonConnectable, every: 100)
    medium.run(until: milliseconds(5))
    // Start-up, lead time, planning time.
    let start = try #require(Transcript(medium).advertising(0).first).start
    #expect((950_000...952_000).contains(start))
    #expect(device.layer.counters.late == 0)
  }

  @Test("An advertising event that was late is repeated at once, one time")
  func repetition() throws {
    let device = LinkLayerDevice(medium, 0, switchesOff: true)
    medium.trouble.lateness = 100_000
    try device.advertise(.nonConnectable, every: 100)
    medium.trouble.lateness = 0
    medium.run(until: milliseconds(5))
    #expect(device.layer.counters.late == 1)
    // Start-up, lead time and planning time of the first one; lead time and planning time of its repetition.
    let start = try #require(Transcript(medium).advertising(0).first).start
    #expect((1_300_000...1_302_000).contains(start))

    device.layer.stopAdvertising()
    let other = LinkLayerDevice(medium, 1, switchesOff: true)
    _ = FirstDelays(other, on: medium, count: 2)
    medium.trouble.lateness = 100_000
    try other.advertise(.nonConnectable, every: 100)
    medium.run(until: medium.time + milliseconds(90))
    #expect(other.layer.counters.late == 2)
    #expect(Transcript(medium).advertising(1).isEmpty)
    medium.run(until: medium.time + milliseconds(30))
    #expect(Transcript(medium).advertising(1).count == 3)
  }

  @Test("A command of the host shortly before a connection event does not make it late")
  func commands() throws {
    let device = LinkLayerDevice(medium, 0, switchesOff: true)
    let central = ScriptedCentral(medium, 1)
    try device.advertise()
    central.connect()
    medium.run(until: milliseconds(300))
    for step in 0..<400 {
      try device.advertise(.scannable, every: 1000)
      device.layer.stopAdvertising()
      medium.run(until: medium.time + milliseconds(7) + step * 3000)
    }
    #expect(Set(central.answered).count >= central.event - 1)
    #expect(device.layer.counters.late == 0 && device.layer.counters.eventsSkipped == 0)
  }
}

/// Ends the lateness of all operations after a number of interrupts.
private final class FirstDelays: MediumDevice {
  let device: LinkLayerDevice
  let medium: RadioMedium
  private var left: Int

  init(_ device: LinkLayerDevice, on medium: RadioMedium, count: Int) {
    self.device = device
    self.medium = medium
    left = count
    medium.attach(self, to: device.number)
  }

  func radioInterrupt() -> Bool {
    left -= 1
    if left == 0 { medium.trouble.lateness = 0 }
    return device.radioInterrupt()
  }

  func proceduresInterrupt() { device.proceduresInterrupt() }
}
