/// A radio that transmits and receives packets of Bluetooth LE at 1 Mbit/s: preamble, access address, PDU,
/// CRC.
///
/// It is independent of the link layer. It executes one operation at a time, which begins at a given
/// microsecond, and the step that follows an operation 150 µs later: both have to be done by hardware,
/// because software cannot meet the tolerance of 2 µs.
///
/// **Sequence.** `start` begins an operation. When it ends, the interrupt handler obtains the outcome with
/// `takeOutcome` and calls `proceed`, after which the next outcome follows, until the step is `.stop`. Only
/// then may `start` be called again. Each `start` has an outcome, which may be `late`, unless `cancel`
/// returns `true`.
///
/// **Time.** The time from the end of a received packet to `proceed` is limited to 150 µs less the turnaround
/// time of the radio: 135 µs on an nRF51, 109 µs on an nRF52 with fast ramp-up. A step that is given too late
/// is not executed, and its outcome is `late`: a packet at the wrong time is worse than no packet.
///
/// **Execution levels.** On a chip, `takeOutcome`, `proceed`, `incoming` and `outgoing` are for the interrupt
/// handler while an operation is in progress, and so is `start` directly after `.stop`. The level below calls
/// `start` when no operation is in progress, and `cancel` at any time, which holds the interrupt off. Neither
/// level therefore preempts the other in these calls.
public protocol RadioPeripheral: ~Copyable {
  /// The time in microseconds before its start at which an operation must be given to the radio: ramp-up and
  /// register access. It does not include the start-up of the crystal oscillator, for which `start` waits.
  static var leadTime: UInt32 { get }
  /// The time in microseconds that the processor requires to select and prepare an operation: about 2,500
  /// instructions.
  static var planningTime: UInt32 { get }
  /// The maximum time in microseconds by which an operation has to be given earlier than `leadTime` while the
  /// oscillator of the radio is off, as it may be some time after an operation.
  static var startUpTime: UInt32 { get }
  /// The times in microseconds from the start of the ramp-up of the transmitter, and of the receiver, to its
  /// end.
  static var transmitRampUp: UInt32 { get }
  static var receiveRampUp: UInt32 { get }
  /// The maximum deviation of the clock used by `now`, in ppm.
  var clockDeviation: UInt16 { get }

  /// The current time.
  mutating func now() -> RadioTime
  /// The time by which an operation that is given now has to begin later than `leadTime` from now: 0 while
  /// the oscillator runs, otherwise `startUpTime`.
  mutating func startUpLeft() -> UInt32
  /// The time in microseconds, modulo 2³², for which the radio has kept its crystal oscillator on since it
  /// was created, including the start of the oscillator. No operation is in progress. A radio without an
  /// oscillator returns 0.
  mutating func crystalTime() -> UInt32
  /// Begins an operation. No operation is in progress.
  mutating func start(_ operation: RadioOperation)
  /// Cancels an operation and returns whether this was possible: the operation had not begun, or was
  /// receiving and no packet had begun. A cancelled operation has no outcome. If a packet is on the air, the
  /// outcome has not been taken, or there is no operation, the call has no effect and the result is `false`;
  /// the caller thus detects that the interrupt occurred first.
  mutating func cancel() -> Bool
  /// The outcome that has not been taken; `nil` if there is none.
  mutating func takeOutcome() -> RadioOutcome?
  /// Executes the step after the outcome that was taken last.
  mutating func proceed(_ step: RadioStep)

  /// The buffer for the next transmitted PDU, 39 bytes: two bytes of header, of which the second is the
  /// length of the payload, and the payload. Its content at the call of `start` or `proceed` is transmitted.
  @_lifetime(&self)
  mutating func outgoing() -> MutableSpan<UInt8>
  /// The PDU that was received last, header and payload. It is valid until the next reception begins.
  @_lifetime(&self)
  mutating func incoming() -> Span<UInt8>
}

extension RadioPeripheral where Self: ~Copyable {
  /// 0: an oscillator that is always on.
  public static var startUpTime: UInt32 { 0 }
  /// 0: an oscillator that is always on.
  public mutating func startUpLeft() -> UInt32 { 0 }
}
