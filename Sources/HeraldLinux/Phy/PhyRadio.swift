import HeraldHAL

/// The radio of a `PhyDevice`: packets on a simulated 2.4 GHz phy in place of an antenna.
package struct PhyRadio: RadioPeripheral, ~Copyable {
  private let device: PhyDevice
  // The buffers of the device, which have its lifetime.
  private let outgoingBytes: UnsafeMutableBufferPointer<UInt8>
  private let incomingBytes: UnsafeMutableBufferPointer<UInt8>

  init(_ device: PhyDevice) {
    self.device = device
    outgoingBytes = device.outgoing
    incomingBytes = device.incoming
  }

  /// The value of an nRF51: 140 µs of ramp-up, and 60 µs for the program.
  package static var leadTime: UInt32 { 200 }
  /// The program takes no simulated time: the value is the margin for `PhyOptions.longestDelay`.
  package static var planningTime: UInt32 { 150 }
  /// The value of an nRF51.
  package static var transmitRampUp: UInt32 { 140 }
  /// The value of an nRF51.
  package static var receiveRampUp: UInt32 { 138 }
  /// The declared maximum deviation of the device's clock.
  package var clockDeviation: UInt16 { device.options.declaredDeviation }

  /// The current simulated time, as the device's clock has it.
  package mutating func now() -> RadioTime { device.clock.local(device.time) }
  /// 0: the phy has no oscillator.
  package mutating func crystalTime() -> UInt32 { 0 }
  /// Begins an operation; see `RadioPeripheral`.
  package mutating func start(_ operation: RadioOperation) { device.start(operation) }
  /// Cancels an operation; see `RadioPeripheral`.
  package mutating func cancel() -> Bool { device.cancel() }
  /// Returns the pending outcome, once.
  package mutating func takeOutcome() -> RadioOutcome? { device.takeOutcome() }
  /// Executes the step after the outcome that was taken last.
  package mutating func proceed(_ step: RadioStep) { device.proceed(step) }

  /// The buffer for the next transmitted PDU.
  @_lifetime(&self)
  package mutating func outgoing() -> MutableSpan<UInt8> {
    unsafe _overrideLifetime(MutableSpan(_unsafeElements: outgoingBytes), mutating: &self)
  }

  /// The PDU that was received last.
  @_lifetime(&self)
  package mutating func incoming() -> Span<UInt8> {
    let bytes = unsafe UnsafeBufferPointer(incomingBytes).extracting(..<device.incomingCount)
    return unsafe _overrideLifetime(Span(_unsafeElements: bytes), mutating: &self)
  }
}
