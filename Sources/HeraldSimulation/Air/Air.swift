import HeraldBluetooth
import HeraldEnergy

/// A simulated radio medium with many radios and one clock.
///
/// Every packet on an advertising channel is a separate event. A station receives it if it scans that channel
/// from the first bit to the last, its radio is not in use otherwise, the received power is sufficient, and
/// no other packet on the channel collides with it. Connections are opened after advertisements of the peer
/// and carry ATT PDUs in connection events. CONTRIBUTING.md, "Simulation", lists what is modelled.
///
/// The same seed and the same calls give the same history. Radios are used through `AirRadio`; `run` advances
/// time and calls the owner of a radio when it has an event.
public final class Air {
  /// The parameters of the radio model.
  public let model: AirModel
  /// The number of stations.
  public let count: Int
  /// Simulated time in microseconds since the start.
  public internal(set) var now: UInt64 = 0
  /// Whether hosts are notified of connections that end without a local request. If not, a peer that moves
  /// out of range is not reported (HP-02), as on hosts that lose such events.
  public var reportsLostConnections = true
  /// The time in microseconds after which a scan command takes effect, as over a slow transport.
  public var scanDelay: UInt64 = 0
  /// The station whose advertisement is being reported; −1 while none is.
  public internal(set) var sender = -1

  /// The number of packets sent on advertising channels.
  public internal(set) var advertisements: UInt64 = 0
  /// The number of receptions prevented by a collision, counted once for each receiver in range.
  public internal(set) var collisions: UInt64 = 0
  /// The number of connections opened.
  public internal(set) var connectionsMade: UInt64 = 0
  /// The number of connection requests that the peer did not receive.
  public internal(set) var requestsLost: UInt64 = 0

  var queue = AirQueue()
  var random: SeededRandom
  let stations: UnsafeMutablePointer<Station>
  let receivers: UnsafeMutablePointer<Receiver>
  let lines: UnsafeMutablePointer<AirLine>
  let lineCount: Int
  var freeLines: [Int] = []
  var calls: [ConnectionRequests] = []
  var channels: (AirChannel, AirChannel, AirChannel)
  let positions: AirPositions
  /// The advertising data of all stations, 32 bytes for each.
  let data: UnsafeMutablePointer<UInt8>
  let fades: UnsafeMutablePointer<Float>
  static var fadeCount: Int { 4096 }
  /// Reports to be delivered to each station's host.
  var reports: [[AirReport]]
  /// The delayed scan commands of all stations, in the order in which they take effect.
  var scanCommands: [ScanParameters?] = []
  /// The advertisement that is being reported, and its receivers.
  var heard = ReceivedPacket()

  struct ReceivedPacket {
    var receiver = -1
    var rssi: Int8 = 0
  }

  /// The stations that sent a connection request after one advertisement.
  struct ConnectionRequests {
    var advertiser = 0
    /// The advertiser's address in that advertisement.
    var address = DeviceAddress.zero
    var channel: UInt8 = 0
    var start: UInt64 = 0
    var initiators: [Int] = []
  }

  /// Creates a medium with `count` radios, which are switched off and at the origin.
  public init(count: Int, seed: UInt64, model: AirModel = AirModel(), capabilities: RadioCapabilities) {
    self.model = model
    self.count = count
    random = SeededRandom(seed: seed)
    stations = .allocate(capacity: count)
    receivers = .allocate(capacity: count)
    for index in 0..<count {
      (stations + index).initialize(to: Station(capabilities))
      (receivers + index).initialize(to: Receiver())
    }
    lineCount = count * max(1, min(8, capabilities.connections))
    lines = .allocate(capacity: lineCount)
    for index in 0..<lineCount { (lines + index).initialize(to: AirLine()) }
    freeLines = (0..<lineCount).reversed()
    positions = AirPositions(count: count, seed: seed, model: model)
    data = .allocate(capacity: count * 32)
    data.initialize(repeating: 0, count: count * 32)
    let drawn = model.fades(count: Self.fadeCount, random: &random)
    fades = .allocate(capacity: Self.fadeCount)
    for index in 0..<Self.fadeCount { fades[index] = drawn[index] }
    reports = Array(repeating: [], count: count)
    channels = (AirChannel(), AirChannel(), AirChannel())
  }

  deinit {
    stations.deallocate()
    receivers.deallocate()
    lines.deallocate()
    fades.deallocate()
    data.deallocate()
  }

  // MARK: Stations

  /// Sets the position of a station in metres. Takes effect at the next `updateLinks`.
  public func place(_ station: Int, x: Float, y: Float) { positions.move(station, x: x, y: y) }
  /// Recomputes the received powers of all stations from their positions.
  public func updateLinks() { positions.update() }
  /// The distance between two stations in metres.
  public func distance(_ first: Int, _ second: Int) -> Float { positions.distance(first, second) }

  /// Sets the capabilities of a station. To be called before it is switched on.
  public func setCapabilities(_ station: Int, _ capabilities: RadioCapabilities) {
    stations[station].capabilities = capabilities
  }

  /// Sets that a station's advertising delays are random, as those of controllers of other makers, and not
  /// those of this project's link layer (`AdvertisingRhythm`). To be called before it is switched on.
  public func setRandomDelays(_ station: Int) { stations[station].rhythm = nil }

  /// Sets by how many ppm a station's crystal is slow: its advertising intervals are longer by as much. To be
  /// called before it is switched on.
  public func setDeviation(_ station: Int, ppm: Double) { stations[station].deviation = ppm }

  /// Switches a radio on. Its host is polled at the current time.
  public func switchOn(_ station: Int) {
    guard !stations[station].isOn else { return }
    stations[station].isOn = true
    report(.state(.ready), to: station)
  }

  /// Schedules a poll of a station at `time`, unless one is scheduled earlier.
  public func poll(_ station: Int, at time: UInt64) {
    let moment = max(time, now)
    guard moment < stations[station].pollAt else { return }
    stations[station].pollAt = moment
    queue.add(
      AirEvent(
        time: moment, order: 0, kind: .poll, channel: 0, index: Int32(station), token: 0))
  }

  /// The number of advertisements delivered to a station's host.
  public func delivered(to station: Int) -> UInt64 { stations[station].delivered }

  /// The time a station's radio has spent in each state.
  package func use(of station: Int) -> RadioUse {
    accountListening(station)
    return stations[station].use
  }

  // MARK: Time

  /// Advances time up to `end`. `wake` polls the host of a station and returns the time of the next poll,
  /// both in microseconds.
  public func run(until end: UInt64, wake: (_ station: Int, _ now: UInt64) -> UInt64) {
    while queue.nextTime < end {
      let event = queue.takeNext()
      now = event.time
      let index = Int(event.index)
      switch event.kind {
      case .advertisement: finishAdvertisement(index, event, wake)
      case .advertise: beginAdvertising(index, event.token)
      case .connectRequests: finishRequests(index)
      case .connection: holdConnectionEvent(index, event.token)
      case .listen: setScan(index, scanCommands.removeFirst())
      case .poll:
        guard stations[index].pollAt == event.time else { continue }
        stations[index].pollAt = .max
        wakeUp(index, wake)
      }
    }
    now = end
  }

  @inline(__always)
  func wakeUp(_ station: Int, _ wake: (Int, UInt64) -> UInt64) {
    let next = wake(station, now)
    // A host that has more work is polled again after a delay, so that time advances.
    if next < stations[station].pollAt { poll(station, at: max(next, now &+ AirModel.hostDelay)) }
  }

  /// Delivers a report to a station's host after all events of the current time.
  func report(_ report: AirReport, to station: Int) {
    reports[station].append(report)
    poll(station, at: now)
  }

  @inline(__always)
  func fade() -> Float { fades[Int(truncatingIfNeeded: random.next64() &>> 52)] }
}
