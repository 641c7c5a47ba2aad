import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL

/// The parameters of a simulated crowd.
public struct CrowdConfiguration: Sendable {
  /// The number of devices.
  public var devices = 10
  /// The number of phones (`AirPhone`), which walk among the devices.
  public var phones = 0
  /// The flood of generated addresses, if there is one.
  public var flood: CrowdFlood?
  /// The seed: equal seeds give equal histories.
  public var seed: UInt64 = 1
  /// The distance in metres up to which two devices count as in range. Radio range is greater.
  public var range: Float = 10
  /// The arrangement and movement of people.
  public var scenario = CrowdScenario.room
  /// The radius of the area in metres; `nil` for that of the scenario.
  public var radius: Float?
  /// The people who come and go, if not all are in the room at all times.
  public var surge: CrowdSurge?
  /// The time in milliseconds after which a scan command of a device takes effect.
  public var scanDelay = 0
  /// The number of seconds at the start within which devices are switched on, at random times.
  public var switchOnSeconds = 10
  /// The length in seconds of the windows in which continuity is evaluated.
  public var windowSeconds = 30
  /// The configuration of the devices.
  public var node = HeraldConfiguration()
  /// The capabilities of their radios.
  public var capabilities = AirRadio.usualCapabilities
  /// The parameters of the radio model.
  public var model = AirModel()
  /// Whether the advertising delays of the devices are random, as with controllers of other makers.
  public var hasRandomDelays = false
  /// The greatest deviation of the devices' crystals in ppm, to either side; each has one at random.
  public var deviation = 40.0
  /// The number of 4 KB pages in each device's flash. The log overwrites its oldest pages.
  public var flashPages = 4

  /// Creates the parameters of ten people in a room.
  public init() {}
}

extension CrowdConfiguration {
  /// Ten people in a room like that of the medium: all packets are received, except those that overlap.
  public static func likeMedium(seed: UInt64) -> CrowdConfiguration {
    var configuration = CrowdConfiguration()
    configuration.seed = seed
    configuration.radius = 1
    configuration.model.dataLoss = 0
    configuration.model.captureThreshold = 100
    // The times of `MediumRadio`.
    configuration.model.channelPause = 250
    configuration.model.scanPause = 350
    return configuration
  }
}

/// A crowd of `HeraldNode` devices on one `Air`.
public final class Crowd {
  /// The device, with capacity for 256 targets and four connections, as on boards with sufficient RAM.
  public typealias Node = HeraldNode<
    AirRadio,
    PartList<MemoryFlash, SeededRandom, FixedPayloadSupplier, CrowdDelegate, HeraldGATTTable>,
    256, 4,
    4
  >

  /// The parameters of the crowd.
  public let configuration: CrowdConfiguration
  /// The medium.
  public let air: Air
  /// The readings and payloads so far.
  public let record: CrowdRecord
  /// Simulated time in seconds.
  public private(set) var seconds = 0
  private let nodes: UnsafeMutablePointer<Node>
  private let nodeCount: Int
  private var phones: [AirPhone] = []
  private var strangers: [FloodingStation] = []
  private var scene: CrowdScene
  /// The contents of each device's flash.
  private(set) var images: [FlashImage] = []
  /// The time at which each device is switched on, in microseconds.
  private var switchedOn: [UInt64] = []
  /// How much slower than true time each device's clock is, in ppm.
  private var slowness: [Double] = []

  /// Creates a crowd in which all devices are switched off.
  public init(_ configuration: CrowdConfiguration) {
    self.configuration = configuration
    let devices = max(1, configuration.devices)
    let phoneCount = max(0, configuration.phones)
    let strangerCount = max(0, configuration.flood?.senders ?? 0)
    air = Air(
      count: devices + phoneCount + strangerCount, seed: configuration.seed, model: configuration.model,
      capabilities: configuration.capabilities)
    record = CrowdRecord(
      devices: devices, phones: phoneCount, windowSeconds: configuration.windowSeconds)
    scene = CrowdScene(
      configuration.scenario, devices: devices, phones: phoneCount, range: configuration.range,
      radius: configuration.radius, seed: configuration.seed)
    nodes = .allocate(capacity: devices)
    nodeCount = devices
    var random = SeededRandom(seed: SeededRandom.hash(configuration.seed &+ 2))
    for device in 0..<devices {
      let image = FlashImage(pageSize: 4096, pageCount: configuration.flashPages, wordSize: 8)
      images.append(image)
      (nodes + device).initialize(
        to: Node(
          radio: AirRadio(air, station: device),
          flash: MemoryFlash(image),
          random: SeededRandom(seed: random.next64()),
          supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: UInt64(device + 1)),
          delegate: CrowdDelegate(record: record, device: device), configuration: configuration.node))
      let span = UInt32(clamping: max(1, configuration.switchOnSeconds) * 1000)
      switchedOn.append(UInt64(random.below(span)) * 1000)
      slowness.append(configuration.deviation * (2 * random.unit() - 1))
      air.setDeviation(device, ppm: slowness[device])
      if configuration.hasRandomDelays { air.setRandomDelays(device) }
      if let away = configuration.surge?.place(away: device, of: devices, at: 0) {
        air.place(device, x: away, y: 0)
      } else {
        air.place(device, x: scene.walkers[device].x, y: scene.walkers[device].y)
      }
    }
    for phone in 0..<phoneCount {
      let station = devices + phone
      phones.append(AirPhone(air, station: station, number: UInt64(station + 1), seed: random.next64()))
      switchedOn.append(0)
      air.place(station, x: scene.walkers[station].x, y: scene.walkers[station].y)
    }
    for number in 0..<strangerCount {
      guard let flood = configuration.flood else { break }
      let station = devices + phoneCount + number
      strangers.append(
        FloodingStation(air, station: station, number: number, of: flood, seed: random.next64()))
      switchedOn.append(0)
      air.place(station, x: 0, y: 0)
    }
    air.scanDelay = UInt64(max(0, configuration.scanDelay)) * 1000
    air.updateLinks()
  }

  deinit {
    nodes.deinitialize(count: nodeCount)
    nodes.deallocate()
  }

  /// The memory in bytes for one device: the node with its core, and its flash.
  public var bytesPerNode: Int { MemoryLayout<Node>.stride + 4096 * configuration.flashPages }

  /// Advances the simulated time. `progress` is called after each simulated second.
  public func run(seconds more: Int, progress: (_ seconds: Int) -> Void = { _ in }) {
    let people = people
    for _ in 0..<max(0, more) {
      turnOnAndMove()
      let end = UInt64(seconds + 1) * 1_000_000
      air.run(until: end) { device, now in
        record.sender = air.sender < people ? air.sender : -1
        record.now = Int32(truncatingIfNeeded: now / 1000)
        // A device's clock starts when it is switched on, and deviates as its crystal does.
        let start = switchedOn[device]
        let pace = 1 + (device < nodeCount ? slowness[device] : 0) / 1e6
        let moment = Instant(milliseconds: UInt64(Double(now - start) / pace) / 1000)
        let next =
          if device < nodeCount {
            nodes[device].poll(at: moment)
          } else if device < people {
            phones[device - nodeCount].poll(at: moment)
          } else {
            strangers[device - people].poll(at: moment)
          }
        // Not before the moment, by the rounding of either conversion.
        return next == .never ? .max : start + UInt64(Double(next.milliseconds * 1000) * pace) + 2
      }
      seconds += 1
      record.now = Int32(seconds) * 1000
      if record.now % record.window == 0 { record.endWindow() }
      progress(seconds)
    }
  }

  /// The number of devices and phones; senders of a flood are excluded.
  private var people: Int { nodeCount + phones.count }

  private func turnOnAndMove() {
    var hasChanged = false
    for device in 0..<air.count {
      let start = switchedOn[device]
      if start / 1_000_000 == UInt64(seconds) {
        // Devices are switched on at the start of their second, as range is evaluated once a second.
        switchedOn[device] = air.now
        air.switchOn(device)
        hasChanged = true
      }
      if device < people, scene.step(device, at: seconds) {
        air.place(device, x: scene.walkers[device].x, y: scene.walkers[device].y)
        hasChanged = true
      }
      if device < nodeCount, let surge = configuration.surge {
        let away = surge.place(away: device, of: nodeCount, at: seconds)
        let isAway = surge.place(away: device, of: nodeCount, at: seconds - 1) != nil
        if (away != nil) != isAway {
          air.place(
            device, x: away ?? scene.walkers[device].x, y: away == nil ? scene.walkers[device].y : 0)
          hasChanged = true
        }
      }
    }
    guard hasChanged else { return }
    air.updateLinks()
    record.now = Int32(seconds) * 1000
    for device in 0..<people where switchedOn[device] <= air.now {
      for peer in 0..<device where switchedOn[peer] <= air.now {
        let isInRange = air.distance(device, peer) <= configuration.range
        record.set(device, peer, isInRange: isInRange)
        record.set(peer, device, isInRange: isInRange)
      }
    }
  }

  /// The number of devices, without phones.
  var deviceCount: Int { nodeCount }

  /// The sum of a counter over all devices.
  public func total(_ counter: HeraldCounter) -> UInt64 {
    var sum: UInt64 = 0
    for device in 0..<nodeCount { sum += UInt64(nodes[device].core.counter(counter)) }
    return sum
  }

  /// Calls `body` with a device.
  public func withNode<Result>(_ device: Int, _ body: (inout Node) -> Result) -> Result {
    body(&nodes[device])
  }
}
