import HeraldBluetooth
import HeraldEmbedded
import HeraldEnergy
import HeraldHAL
import HeraldLinkLayer

/// Devices in one room on a `RadioMedium`: `HeraldNode` over the link layer, whose counters say for how long
/// the radio was on. `Crowd` has the same devices on a model of the link layer.
public final class MediumRoom {
  /// The medium.
  public let medium: RadioMedium
  private var devices: [MediumRoomDevice] = []
  private var seconds = 0

  /// Creates a room in which `count` devices are switched on within ten seconds. Their crystals deviate by up
  /// to `deviation` ppm.
  public init(
    _ count: Int, seed: UInt64, configuration: HeraldConfiguration = HeraldConfiguration(),
    deviation: Int = 40
  ) {
    medium = RadioMedium(seed: seed)
    medium.trouble.collides = true
    var random = SeededRandom(seed: SeededRandom.hash(seed &+ 3))
    for number in 0..<count {
      let ppm = Int(random.below(UInt32(2 * deviation + 1))) - deviation
      let device = MediumRoomDevice(medium, number, configuration, deviation: ppm, seed: random.next64())
      devices.append(device)
      medium.at(Int(random.below(10_000)) * 1_000_000) { [unowned device] in device.begin() }
    }
  }

  /// Advances the simulated time.
  public func run(seconds more: Int) {
    for _ in 0..<max(0, more) {
      seconds += 1
      medium.run(until: seconds * 1_000_000_000)
      medium.forget()
    }
  }

  /// The times of all devices so far, by the counters of their link layers.
  public var use: RadioTimes {
    var sum = RadioTimes()
    for device in devices { sum.add(device.use) }
    return sum
  }

  /// The sum of a counter over all devices.
  public func total(_ counter: HeraldCounter) -> UInt64 {
    devices.reduce(0) { $0 + UInt64($1.node.pointee.core.counter(counter)) }
  }
}

/// Times for which radios were on, in microseconds, as the link layer counts them (docs/link-layer.md,
/// "Statistics").
public struct RadioTimes: Equatable, Sendable {
  /// The receiver was on.
  public var receiving: UInt64 = 0
  /// Packets were transmitted.
  public var transmitting: UInt64 = 0
  /// Ramp-ups.
  public var ramping: UInt64 = 0
  /// The crystal was on, with the times above.
  public var crystal: UInt64 = 0

  /// All times are 0.
  public init() {}

  /// The times of a radio of an `Air` in the radio model, with the constants of `MediumRadio`.
  package init(_ use: RadioUse) {
    receiving = use.listening + use.receiving
    transmitting = use.transmitting
    let rampUp = UInt64(MediumRadio.receiveRampUp)
    ramping = use.turns * (UInt64(MediumRadio.transmitRampUp) + rampUp) + (use.scans + use.parts) * rampUp
    let lead = UInt64(MediumRadio.startUpTime + MediumRadio.leadTime)
    crystal = (use.events + use.scans) * lead + receiving + transmitting + use.pauses
  }

  /// Adds the times of another radio.
  public mutating func add(_ other: RadioTimes) {
    receiving += other.receiving
    transmitting += other.transmitting
    ramping += other.ramping
    crystal += other.crystal
  }

  /// The times since an earlier state.
  public func since(_ earlier: RadioTimes) -> RadioTimes {
    var times = self
    times.receiving -= earlier.receiving
    times.transmitting -= earlier.transmitting
    times.ramping -= earlier.ramping
    times.crystal -= earlier.crystal
    return times
  }
}

/// A device of a `MediumRoom`.
final class MediumRoomDevice: MediumDevice {
  /// On the host the link layer is used by one thread, which calls `procedures`.
  struct NoHold: ProceduresHold {
    mutating func hold() {}
    mutating func release() {}
  }

  typealias Layer = LinkLayer<MediumRadio, 4>
  typealias Node = HeraldNode<
    LinkLayerRadio<MediumRadio, NoHold, 4>,
    PartList<MemoryFlash, SeededRandom, FixedPayloadSupplier, NoDelegate, HeraldGATTTable>,
    256, 4, 4
  >

  private let medium: RadioMedium
  private let deviation: Int
  private let layer: UnsafeMutablePointer<Layer>
  let node: UnsafeMutablePointer<Node>
  /// When it was switched on, in nanoseconds; `nil` before.
  private var start: Int?
  /// The number of the poll that is scheduled: those with an earlier one are void.
  private var plan = 0

  init(
    _ medium: RadioMedium, _ number: Int, _ configuration: HeraldConfiguration, deviation: Int, seed: UInt64
  ) {
    self.medium = medium
    self.deviation = deviation
    var random = SeededRandom(seed: seed)
    layer = .allocate(capacity: 1)
    let peripheral = medium.makeRadio(deviation: deviation, promisedDeviation: 50, switchesOff: true)
    layer.initialize(to: Layer(radio: peripheral, seed: random.next()))
    node = .allocate(capacity: 1)
    node.initialize(
      to: Node(
        radio: LinkLayerRadio(layer, hold: NoHold()),
        flash: MemoryFlash(FlashImage(pageSize: 4096, pageCount: 4, wordSize: 8)),
        random: SeededRandom(seed: random.next64()),
        supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: UInt64(number + 1)),
        delegate: NoDelegate(), configuration: configuration))
    medium.attach(self, to: number)
  }

  deinit {
    node.deinitialize(count: 1)
    node.deallocate()
    layer.deinitialize(count: 1)
    layer.deallocate()
  }

  /// The sums of the link layer's counters over its roles.
  var use: RadioTimes {
    var times = RadioTimes()
    for number in 0..<UInt8(5) {
      guard let role = LinkLayerRole(rawValue: number) else { continue }
      let counters = layer.pointee.counters
      times.receiving += counters.microseconds(.receiving, role)
      times.transmitting += counters.microseconds(.transmitting, role)
      times.ramping += counters.microseconds(.ramping, role)
      times.crystal += counters.microseconds(.crystal, role)
    }
    return times
  }

  func begin() {
    start = medium.time
    poll()
  }

  func radioInterrupt() -> Bool { layer.pointee.radioInterrupt() }

  func proceduresInterrupt() {
    layer.pointee.procedures()
    poll()
  }

  /// Polls the node until it has nothing to do, and schedules the next poll.
  private func poll() {
    guard let start else { return }
    // The clock of the device is faster by its deviation, as that of its radio.
    let elapsed = medium.time - start
    let now = UInt64(elapsed + elapsed / 1_000_000 * deviation) / 1_000_000
    var next = node.pointee.poll(at: Instant(milliseconds: now))
    for _ in 0..<100 where next.milliseconds <= now {
      next = node.pointee.poll(at: Instant(milliseconds: now))
    }
    plan += 1
    guard next != .never else { return }
    let wait = max(1, Int(next.milliseconds) * 1_000_000)
    let due = start + Int((Double(wait) / (1 + Double(deviation) / 1e6)).rounded(.up))
    let number = plan
    medium.at(max(due, medium.time + 50_000)) { [unowned self] in if plan == number { poll() } }
  }
}
