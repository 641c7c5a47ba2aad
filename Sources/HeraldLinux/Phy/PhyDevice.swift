import HeraldHAL

/// The methods of a program on a `PhyDevice` that the device calls. All calls are made by `PhyDevice.run`, on
/// its thread, and none during another.
package protocol PhyProgram: AnyObject {
  /// Handles the end of a radio operation, as the radio's interrupt handler does on a chip. Returns whether
  /// `procedures` is to be called: `LinkLayer.radioInterrupt`.
  func radioInterrupt() -> Bool
  /// Performs the work that is not required within 150 µs: `LinkLayer.procedures`.
  func procedures()
  /// Serves the host; called every `PhyOptions.pollInterval` of simulated time, also during an operation.
  /// Simulated time stands during the call, which may therefore block. Returns `false` to leave the
  /// simulation.
  func pollHost() -> Bool
}

/// A device of a simulated 2.4 GHz phy: it executes the operations of a `PhyRadio` in simulated time.
///
/// The phy is another process (Tests/Air/medium.py, or BabbleSim's), which serves all devices of a
/// simulation and advances the time when every device has made a request. `run` is the loop of the process:
///
/// ```
/// let device = try PhyDevice(PhyAddress("run1:0"))     // blocks until the phy is there
/// let program = Program(LinkLayer(radio: device.makeRadio(), seed: 1))
/// try device.run(program)                              // returns when the simulation has ended
/// ```
///
/// **Calls.** When an operation has ended, `run` calls `radioInterrupt` of the program and, if the result is
/// `true`, `procedures`. `pollHost` is called first when `run` begins, and every `PhyOptions.pollInterval` of
/// simulated time from then on. It may call all methods of a link layer for the host, including those that
/// start or cancel an operation of the radio: a reception in progress is requested such that the phy asks at
/// the time of the next call whether it is to be continued. The simulated time is therefore never ahead of
/// the host by more than that interval.
///
/// **Time.** Computing takes no simulated time. `PhyOptions` adds clock drift, delays and late operations.
package final class PhyDevice {
  /// The state of the radio.
  enum State {
    /// No operation.
    case idle
    /// An operation has been given, but not yet requested from the phy.
    case scheduled(Exchange)
    /// An operation was started too late; this is reported at a time.
    case late(Int)
    /// The phy is searching for a packet.
    case searching
    /// A packet is being transmitted or received.
    case onAir
    /// The outcome has been reported, and the next step is awaited.
    case reported
  }

  /// A transmission or reception, in simulated time.
  struct Exchange {
    let kind: RadioOperation.Kind
    let start: Int
    /// The time at which the access address must have been received.
    let windowEnd: Int
  }

  /// The simulated time of the first bit of a packet minus that of its access address's last bit.
  static let addressTime = 40
  /// T_IFS in microseconds.
  static let space = 150

  /// The simulated time in microseconds.
  package internal(set) var time = 0
  /// The properties of the device.
  package let options: PhyOptions

  let clock: PhyClock
  let outgoing = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 39)
  let incoming = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 39)
  var incomingCount = 0
  let interface: PhyInterface
  var state = State.idle
  var operation: RadioOperation?
  /// The end of the last packet, from which T_IFS is counted.
  var lastEnd = 0
  /// The end of the window of `operation`.
  var windowEnd = 0
  /// The reception in progress was cancelled.
  var isCancelled = false
  private var outcome: RadioOutcome?
  /// The time of the next call of `pollHost`.
  private(set) var nextPoll = 0
  /// The time at which `procedures` is to be called.
  private var proceduresTime: Int?
  private(set) var isLeaving = false
  private var random: PhyRandom

  /// Joins a simulation. The call blocks until the phy has opened the device's FIFOs.
  package init(_ address: PhyAddress, options: PhyOptions = PhyOptions()) throws(SystemFailure) {
    interface = try PhyInterface(address)
    self.options = options
    random = PhyRandom(seed: options.seed)
    clock = PhyClock(deviation: options.clockDeviation, offset: UInt32(truncatingIfNeeded: random.next()))
    outgoing.initialize(repeating: 0)
    incoming.initialize(repeating: 0)
  }

  deinit {
    outgoing.deallocate()
    incoming.deallocate()
  }

  /// The time since the start of the simulation, as the device's clock has it: the time of a host on the same
  /// oscillator as the radio.
  package var now: Instant { clock.elapsed(time) }

  /// The radio of the device. There is one: it is to be called once.
  package func makeRadio() -> PhyRadio { PhyRadio(self) }

  /// Executes the device until the simulation ends or `pollHost` returns `false`. Throws if the phy does not
  /// keep to its interface.
  package func run(_ program: some PhyProgram) throws(SystemFailure) {
    do {
      while true {
        if time >= nextPoll { poll(program) }
        if isLeaving { break }
        try step(program)
      }
      interface.leave()
      interface.remove()
    } catch {
      interface.remove()
      if case .unexpected(let response) = error {
        throw SystemFailure("understand", "the phy", reason: "it sent \(response) at \(time) µs")
      }
    }
  }

  /// Calls `pollHost` and determines the time of the next call.
  func poll(_ program: some PhyProgram) {
    isLeaving = isLeaving || !program.pollHost()
    nextPoll = time - time % options.pollInterval + options.pollInterval
  }

  /// Makes one request of the phy, or one call of the program.
  private func step(_ program: some PhyProgram) throws(PhyInterface.Failure) {
    if let moment = proceduresTime, moment <= time {
      proceduresTime = nil
      program.procedures()
      return
    }
    // The loop is reached at `proceduresTime`, also during an event.
    let pause = min(nextPoll, proceduresTime ?? .max)
    switch state {
    case .scheduled(let exchange):
      if exchange.start > pause {
        try wait(until: pause)
      } else if exchange.start <= time {
        report(.late, from: time, to: program)
      } else if exchange.kind == .transmit {
        try transmit(exchange, program)
      } else {
        try receive(exchange, program)
      }
    case .late(let moment):
      if moment > time {
        try wait(until: min(moment, pause))
      } else {
        report(.late, from: time, to: program)
      }
    case .idle, .searching, .onAir, .reported: try wait(until: pause)
    }
  }

  /// Waits until a time of the phy.
  func wait(until moment: Int) throws(PhyInterface.Failure) {
    try interface.wait(until: moment)
    try interface.expect(.waited)
    time = moment
  }

  /// Reports an outcome that has ended at the current time.
  func report(_ kind: RadioOutcome.Kind, from start: Int, rssi: Int8 = 127, to program: some PhyProgram) {
    state = .reported
    outcome = RadioOutcome(kind, start: clock.local(start), end: clock.local(time), rssi: rssi)
    if program.radioInterrupt() {
      proceduresTime = proceduresTime ?? time + Int(random.below(options.longestDelay))
    }
  }
}

// The calls of the radio.
extension PhyDevice {
  func start(_ operation: RadioOperation) {
    self.operation = operation
    let start = clock.simulated(operation.start, near: time)
    guard start >= time + Int(PhyRadio.leadTime), !random.happens(options.lateness) else {
      state = .late(time)
      return
    }
    windowEnd = start + Int(operation.window)
    state = .scheduled(Exchange(kind: operation.kind, start: start, windowEnd: windowEnd))
  }

  func cancel() -> Bool {
    switch state {
    case .scheduled:
      state = .idle
      return true
    case .searching:
      state = .idle
      isCancelled = true
      return true
    case .idle, .late, .onAir, .reported: return false
    }
  }

  func takeOutcome() -> RadioOutcome? {
    defer { outcome = nil }
    return outcome
  }

  func proceed(_ step: RadioStep) {
    let next = lastEnd + Self.space
    switch step {
    case .stop:
      state = .idle
      operation = nil
    case .transmitAfterSpace:
      state =
        random.happens(options.lateness)
        ? .late(next) : .scheduled(Exchange(kind: .transmit, start: next, windowEnd: next))
    case .receiveAfterSpace:
      // Peers may be 2 µs early or late; some are 3 µs late.
      let end = next + Self.addressTime + 5
      state = .scheduled(Exchange(kind: .receive, start: next - 3, windowEnd: end))
    case .receiveAgain:
      // The phy accepts no request for the current microsecond.
      state = .scheduled(Exchange(kind: .receive, start: time + 1, windowEnd: windowEnd))
    }
  }
}
