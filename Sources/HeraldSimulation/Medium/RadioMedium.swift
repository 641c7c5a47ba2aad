import HeraldHAL

/// The medium between radios in one process, in simulated time with microsecond accuracy: every device
/// receives every other.
///
/// A receiver receives the first packet on its channel and with its access address whose first bit arrives at
/// or after its start; the address must have arrived within its window. A receiver that starts one
/// microsecond late does not receive the packet. Time is counted in nanoseconds, and each device has its own
/// clock. Errors are determined by a seed.
public final class RadioMedium {
  /// Fault rates per 100,000 cases.
  public struct Trouble: Sendable {
    /// Packets lost by a receiver: alternately not detected, or received with a wrong CRC.
    public var loss: UInt32 = 0
    /// Operations and responses that the processor starts too late.
    public var lateness: UInt32 = 0
    /// The maximum delay of `proceduresInterrupt` after it was requested, in microseconds.
    public var delay: UInt32 = 0
    /// Whether packets that overlap on a channel are damaged.
    public var collides = false

    public init() {}
  }

  /// A transmitted packet.
  public struct Transmission: Sendable {
    /// The number of the transmitting device.
    public let device: Int
    /// The time of its first bit, in nanoseconds.
    public let start: Int
    /// The time of its last bit.
    public let end: Int
    /// The channel index.
    public let channel: UInt8
    /// The access address.
    public let accessAddress: UInt32
    /// The initial value of its CRC.
    public let crcInit: UInt32
    /// Header and payload.
    public let pdu: [UInt8]
    /// The packet collided with another packet on its channel, or was damaged intentionally.
    var isDamaged = false
  }

  /// The scheduled actions. At the same time, ends precede starts, and transmissions precede receptions.
  private enum Action: Int {
    case finish = 0, call, script, transmit, receive, giveUp
  }

  private struct Plan {
    let time: Int
    let action: Action
    /// The number of the action, in the order of scheduling.
    let number: Int
    let port: Int
    let plan: Int

    func isBefore(_ other: Plan) -> Bool {
      (time, action.rawValue, number) < (other.time, other.action.rawValue, other.number)
    }
  }

  /// The duration of preamble and access address in nanoseconds.
  private static let addressTime = 40_000
  /// The time between two packets of an exchange, in nanoseconds.
  private static let space = 150_000

  /// The errors to be simulated.
  public var trouble = Trouble()
  /// The simulated time in nanoseconds.
  public private(set) var time = 0
  /// The packets transmitted so far.
  public private(set) var transmissions: [Transmission] = []
  /// The number of packets removed before `transmissions[0]` by `forget`.
  private var forgotten = 0
  private var random: SeededRandom
  private var ports: [MediumPort] = []
  private var plans: [Plan] = []
  private var scripts: [Int: () -> Void] = [:]
  private var planned = 0
  private var onAir: [Int] = []

  /// Creates a medium; equal seeds cause equal errors.
  public init(seed: UInt64) { random = SeededRandom(seed: seed) }

  /// Creates the radio of a further device. Its clock is `deviation` ppm too fast, and its declared maximum
  /// deviation is `promisedDeviation`. Without a deviation it counts the microseconds of the medium. If it
  /// `switchesOff` its oscillator between operations, those that are given too soon before their start are
  /// late.
  public func makeRadio(
    deviation: Int = 0, promisedDeviation: UInt16 = 20, switchesOff: Bool = false
  ) -> MediumRadio {
    let clock = MediumClock(
      deviation: deviation, offset: Int(random.next()) * 1000 + (deviation == 0 ? 0 : Int(random.below(1000)))
    )
    let port = MediumPort(
      number: ports.count, clock: clock, promisedDeviation: promisedDeviation, switchesOff: switchesOff)
    ports.append(port)
    return MediumRadio(self, port)
  }

  /// Assigns a device to radio `number`. The device is retained.
  public func attach(_ device: any MediumDevice, to number: Int) { ports[number].device = device }

  /// Requests a call of `proceduresInterrupt`, as a device does after a command of its host.
  public func callProcedures(of number: Int) { plan(.call, ports[number], at: time) }

  /// Calls `script` at a time in nanoseconds.
  public func at(_ moment: Int, _ script: @escaping () -> Void) {
    scripts[planned] = script
    insert(Plan(time: max(moment, time), action: .script, number: planned, port: -1, plan: 0))
  }

  /// Advances the simulated time to a time in nanoseconds.
  public func run(until end: Int) {
    while let next = plans.first, next.time <= end {
      removeFirst()
      time = max(time, next.time)
      carryOut(next)
    }
    time = max(time, end)
  }

  /// Removes the transmissions that have ended.
  public func forget() {
    guard onAir.isEmpty else { return }
    forgotten += transmissions.count
    transmissions.removeAll(keepingCapacity: true)
  }

  private func happens(_ rate: UInt32) -> Bool { rate > 0 && random.below(100_000) < rate }

  private func carryOut(_ next: Plan) {
    guard next.action != .script else {
      scripts.removeValue(forKey: next.number)?()
      return
    }
    let port = ports[next.port]
    if next.action == .call {
      port.device?.proceduresInterrupt()
      return
    }
    guard next.plan == port.plan else { return }
    switch next.action {
    case .transmit: beginTransmission(port)
    case .receive: beginReception(port)
    case .finish: finish(port)
    case .giveUp: report(.silent, on: port, from: time)
    case .call, .script: break
    }
  }
}

// Commands of a radio.
extension RadioMedium {
  func start(_ operation: RadioOperation, on port: MediumPort) {
    guard case .idle = port.state else { preconditionFailure("device \(port.number) is at an operation") }
    port.operation = operation
    port.state = .waiting
    let start = port.clock.global(operation.start, near: time)
    let startUp = port.isOff(at: time) ? Int(MediumRadio.startUpTime) * 1000 : 0
    let crystalStart = start - Int(MediumRadio.leadTime + MediumRadio.startUpTime) * 1000
    port.crystal.require(from: max(time, crystalStart))
    let isLate = start < time + startUp + Int(MediumRadio.leadTime) * 1000
    guard !isLate, !happens(trouble.lateness) else {
      port.plan += 1
      let number = port.plan
      // A processor that is late by chance has let the start pass.
      at(isLate ? time + startUp : start) {
        if port.plan == number { self.report(.late, on: port, from: self.time) }
      }
      return
    }
    port.windowEnd = start + Int(operation.window) * 1000
    plan(operation.kind == .transmit ? .transmit : .receive, port, at: start)
  }

  func cancel(_ port: MediumPort) -> Bool {
    switch port.state {
    case .idle: return false
    case .waiting, .searching:
      // An oscillator that starts for an operation is switched off again.
      if !port.isOff(at: time) { port.idleSince = time }
      port.state = .idle
      port.plan += 1
      port.crystal.release(at: time)
      return true
    case .transmitting, .receiving: return false
    }
  }

  func proceed(_ step: RadioStep, on port: MediumPort) {
    guard let operation = port.operation else {
      preconditionFailure("device \(port.number) has no operation")
    }
    let next = port.lastEnd + Self.space
    switch step {
    case .stop:
      port.state = .idle
      port.idleSince = time
      port.operation = nil
      port.crystal.release(at: time)
    case .transmitAfterSpace:
      port.state = .waiting
      if happens(trouble.lateness) {
        port.plan += 1
        let number = port.plan
        at(next) { if port.plan == number { self.report(.late, on: port, from: self.time) } }
      } else {
        plan(.transmit, port, at: next)
      }
    case .receiveAfterSpace:
      port.state = .waiting
      // Peers may be 2 µs early or late; some are 3 µs late.
      port.windowEnd = next + Self.addressTime + 5000
      plan(.receive, port, at: next - 3000)
    case .receiveAgain:
      precondition(operation.kind == .receive)
      beginReception(port)
    }
  }
}

// Transmission and reception.
extension RadioMedium {
  private func beginTransmission(_ port: MediumPort) {
    guard let operation = port.operation else { return }
    let count = min(Int(port.outgoing[1]), 37) + 2
    let end = time + 8000 * (5 + count + 3)
    var sent = Transmission(
      device: port.number, start: time, end: end, channel: operation.channel,
      accessAddress: operation.accessAddress, crcInit: operation.crcInit, pdu: Array(port.outgoing[..<count]))
    sent.isDamaged = port.spoilsNext
    port.spoilsNext = false
    for other in onAir where trouble.collides && transmissions[other - forgotten].channel == sent.channel {
      transmissions[other - forgotten].isDamaged = true
      sent.isDamaged = true
    }
    let number = forgotten + transmissions.count
    transmissions.append(sent)
    onAir.append(number)
    port.state = .transmitting
    port.lastEnd = end
    plan(.finish, port, at: end)
    for receiver in ports {
      if case .searching = receiver.state { lock(receiver, to: number) }
    }
  }

  private func beginReception(_ port: MediumPort) {
    port.state = .searching
    guard time < port.windowEnd else {
      plan(.giveUp, port, at: time)
      return
    }
    plan(.giveUp, port, at: port.windowEnd)
    // A packet that begins at exactly this time can still be received.
    for number in onAir where transmissions[number - forgotten].start >= time {
      if case .searching = port.state { lock(port, to: number) }
    }
  }

  private func lock(_ port: MediumPort, to number: Int) {
    let sent = transmissions[number - forgotten]
    guard let operation = port.operation, sent.channel == operation.channel,
      sent.accessAddress == operation.accessAddress, sent.start + Self.addressTime <= port.windowEnd
    else { return }
    let isLost = happens(trouble.loss)
    if isLost, random.below(2) == 0 { return }
    port.isDamaged = isLost
    port.state = .receiving(number)
    plan(.finish, port, at: sent.end)
  }

  private func finish(_ port: MediumPort) {
    switch port.state {
    case .transmitting:
      onAir.removeAll { transmissions[$0 - forgotten].device == port.number }
      let start = transmissions.last { $0.device == port.number }?.start ?? time
      report(.sent, on: port, from: start)
    case .receiving(let number):
      let sent = transmissions[number - forgotten]
      port.lastEnd = sent.end
      let isSound =
        !port.isDamaged && !sent.isDamaged && sent.crcInit == port.operation?.crcInit
        && sent.pdu.count - 2 <= Int(port.operation?.longestPayload ?? 0)
      port.incomingCount = isSound ? sent.pdu.count : 0
      if isSound { for (index, byte) in sent.pdu.enumerated() { port.incoming[index] = byte } }
      report(isSound ? .received : .damaged, on: port, from: sent.start)
    case .idle, .waiting, .searching: break
    }
  }

  private func report(_ kind: RadioOutcome.Kind, on port: MediumPort, from start: Int) {
    port.plan += 1
    // Neither idle nor receiving, until the handler gives the next step.
    port.state = .waiting
    port.outcome = RadioOutcome(kind, start: port.clock.shown(start), end: port.clock.shown(time), rssi: -60)
    guard let device = port.device, device.radioInterrupt() else { return }
    let delay = trouble.delay == 0 ? 0 : Int(random.below(trouble.delay)) * 1000
    plan(.call, port, at: time + delay)
  }
}

// The queue of scheduled actions: a binary heap.
extension RadioMedium {
  private func plan(_ action: Action, _ port: MediumPort, at time: Int) {
    if action != .call { port.plan += 1 }
    insert(Plan(time: time, action: action, number: planned, port: port.number, plan: port.plan))
  }

  private func insert(_ plan: Plan) {
    planned += 1
    plans.append(plan)
    var index = plans.count - 1
    while index > 0, plans[index].isBefore(plans[(index - 1) / 2]) {
      plans.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private func removeFirst() {
    plans.swapAt(0, plans.count - 1)
    plans.removeLast()
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < plans.count && plans[child].isBefore(plans[least]) { least = child }
      if least == index { return }
      plans.swapAt(index, least)
      index = least
    }
  }
}
