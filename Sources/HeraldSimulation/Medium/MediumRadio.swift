import HeraldHAL

/// The radio of one device on a `RadioMedium`.
public struct MediumRadio: RadioPeripheral, ~Copyable {
  // The medium owns its ports, and they their devices, which have this.
  unowned let medium: RadioMedium
  unowned let port: MediumPort
  // The port's, which live as long as it.
  private let outgoingBytes: UnsafeMutableBufferPointer<UInt8>
  private let incomingBytes: UnsafeMutableBufferPointer<UInt8>

  init(_ medium: RadioMedium, _ port: MediumPort) {
    self.medium = medium
    self.port = port
    outgoingBytes = port.outgoing
    incomingBytes = port.incoming
  }

  /// As on an nRF51: 140 µs of ramp-up, and 60 µs for the program.
  public static var leadTime: UInt32 { 200 }
  /// As the program is infinitely fast: what is left for delays.
  public static var planningTime: UInt32 { 150 }
  /// What the device was given as the limit of its clock.
  public var clockDeviation: UInt16 { port.promisedDeviation }

  /// Damages the packet that is sent next, on the air: every receiver finds its CRC wrong.
  public mutating func spoilNext() { port.spoilsNext = true }

  /// The time by the device's own clock.
  public mutating func now() -> RadioTime { port.clock.shown(medium.time) }
  /// Begins an operation; see `RadioPeripheral`.
  public mutating func start(_ operation: RadioOperation) { medium.start(operation, on: port) }
  /// Gives an operation up; see `RadioPeripheral`.
  public mutating func cancel() -> Bool { medium.cancel(port) }
  /// The outcome that has not been taken.
  public mutating func takeOutcome() -> RadioOutcome? {
    defer { port.outcome = nil }
    return port.outcome
  }
  /// What follows the outcome that was taken last.
  public mutating func proceed(_ step: RadioStep) { medium.proceed(step, on: port) }

  /// Room for the PDU that is transmitted next.
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

/// What a medium calls of a device, as interrupts would.
public protocol MediumDevice: AnyObject {
  /// An operation of its radio has ended. Returns whether `proceduresInterrupt` is to be called.
  func radioInterrupt() -> Bool
  /// Time for what need not be done within 150 µs.
  func proceduresInterrupt()
}

/// A medium's knowledge of one device.
final class MediumPort {
  enum State {
    case idle
    case waiting
    case transmitting
    case searching
    /// Receiving transmission number so many.
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
  /// When the packet before ended: what 150 µs are counted from.
  var lastEnd = 0
  /// By when the access address must have arrived.
  var windowEnd = 0
  /// Raised with each change of plan: what was planned under another number is void.
  var plan = 0
  /// The packet that is sent next is damaged for all.
  var spoilsNext = false
  /// The packet being received is damaged for this receiver.
  var isDamaged = false

  init(number: Int, clock: MediumClock, promisedDeviation: UInt16) {
    self.number = number
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
