import HeraldHAL

/// The radio of one device on a `RadioMedium`.
public struct MediumRadio: RadioPeripheral, ~Copyable {
  // The medium owns its ports, the ports own their devices, and these own the radio.
  unowned let medium: RadioMedium
  unowned let port: MediumPort
  // The buffers of the port, which have the lifetime of the port.
  private let outgoingBytes: UnsafeMutableBufferPointer<UInt8>
  private let incomingBytes: UnsafeMutableBufferPointer<UInt8>

  init(_ medium: RadioMedium, _ port: MediumPort) {
    self.medium = medium
    self.port = port
    outgoingBytes = port.outgoing
    incomingBytes = port.incoming
  }

  /// The value of an nRF51: 140 µs of ramp-up, and 60 µs for the program.
  public static var leadTime: UInt32 { 200 }
  /// The simulated program takes no time: the value is the margin for delays.
  public static var planningTime: UInt32 { 150 }
  /// The time of the start of the oscillator: that of an nRF52.
  public static var startUpTime: UInt32 { 600 }
  /// The value of an nRF51.
  public static var transmitRampUp: UInt32 { 140 }
  /// The value of an nRF51.
  public static var receiveRampUp: UInt32 { 138 }
  /// The declared maximum deviation of the device's clock.
  public var clockDeviation: UInt16 { port.promisedDeviation }

  /// Damages the next transmitted packet: every receiver detects a wrong CRC.
  public mutating func spoilNext() { port.spoilsNext = true }

  /// The current time of the device's clock.
  public mutating func now() -> RadioTime { port.clock.shown(medium.time) }
  /// The start-up of the oscillator, if it is off.
  public mutating func startUpLeft() -> UInt32 { port.isOff(at: medium.time) ? Self.startUpTime : 0 }
  /// The time for which operations require the oscillator: from `startUpTime` before they have to be given
  /// to the radio to their end.
  public mutating func crystalTime() -> UInt32 {
    UInt32(truncatingIfNeeded: port.crystal.total(at: medium.time) / 1000)
  }
  /// Begins an operation; see `RadioPeripheral`.
  public mutating func start(_ operation: RadioOperation) { medium.start(operation, on: port) }
  /// Cancels an operation; see `RadioPeripheral`.
  public mutating func cancel() -> Bool { medium.cancel(port) }
  /// Returns the pending outcome, once.
  public mutating func takeOutcome() -> RadioOutcome? {
    defer { port.outcome = nil }
    return port.outcome
  }
  /// Executes the step after the outcome that was taken last.
  public mutating func proceed(_ step: RadioStep) { medium.proceed(step, on: port) }

  /// The buffer for the next transmitted PDU.
  @_lifetime(&self)
  public mutating func outgoing() -> MutableSpan<UInt8> {
    unsafe _overrideLifetime(MutableSpan(_unsafeElements: outgoingBytes), mutating: &self)
  }

  /// The PDU that was received last.
  @_lifetime(&self)
  public mutating func incoming() -> Span<UInt8> {
    let bytes = unsafe UnsafeBufferPointer(incomingBytes).extracting(..<port.incomingCount)
    return unsafe _overrideLifetime(Span(_unsafeElements: bytes), mutating: &self)
  }
}

/// The methods of a device that a medium calls as interrupts.
public protocol MediumDevice: AnyObject {
  /// Handles the end of a radio operation. Returns whether `proceduresInterrupt` is to be called.
  func radioInterrupt() -> Bool
  /// Performs the work that is not required within 150 µs.
  func proceduresInterrupt()
}

/// The times for which a radio requires its crystal oscillator, in nanoseconds.
struct MediumCrystal {
  /// The sum of the times that have ended.
  private var ended = 0
  /// The time since which it is required, which may be in the future.
  private var start: Int?

  /// Requires it from a time on.
  mutating func require(from time: Int) { start = time }

  /// The crystal is no longer required.
  mutating func release(at time: Int) {
    ended = total(at: time)
    start = nil
  }

  /// The sum up to a time.
  func total(at time: Int) -> Int { ended + max(0, time - (start ?? time)) }
}

/// The state of one device on a medium.
final class MediumPort {
  enum State {
    case idle
    case waiting
    case transmitting
    case searching
    /// Receiving the transmission with this number.
    case receiving(Int)
  }

  let number: Int
  let clock: MediumClock
  let promisedDeviation: UInt16
  let outgoing = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 39)
  let incoming = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 39)
  var incomingCount = 0
  var device: (any MediumDevice)?
  var state = State.idle
  var outcome: RadioOutcome?
  var operation: RadioOperation?
  /// The end of the previous packet, from which the 150 µs are counted.
  var lastEnd = 0
  /// Whether the oscillator is switched off when there was no operation for 2 ms.
  let switchesOff: Bool
  /// The end of the last operation, in nanoseconds.
  var idleSince = Int.min / 2
  /// The time at which the access address must have arrived.
  var windowEnd = 0
  /// Incremented when the operation changes: scheduled actions with an earlier number are void.
  var plan = 0
  /// The next transmitted packet is damaged for all receivers.
  var spoilsNext = false
  var crystal = MediumCrystal()
  /// The packet being received is damaged for this receiver.
  var isDamaged = false

  /// Whether the oscillator is off, without an operation.
  func isOff(at time: Int) -> Bool { switchesOff && time > idleSince + 2_000_000 }

  init(number: Int, clock: MediumClock, promisedDeviation: UInt16, switchesOff: Bool) {
    self.number = number
    self.switchesOff = switchesOff
    self.clock = clock
    self.promisedDeviation = promisedDeviation
    outgoing.initialize(repeating: 0)
    incoming.initialize(repeating: 0)
  }

  deinit {
    outgoing.deallocate()
    incoming.deallocate()
  }
}
