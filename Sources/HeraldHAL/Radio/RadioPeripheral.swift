/// A radio that sends and receives packets of Bluetooth LE at 1 Mbit/s: preamble, access address, PDU, CRC.
///
/// It knows no link layer. It does one operation at a time, which begins at a stated microsecond, and what
/// follows an operation 150 µs later: that is what hardware must do by itself, as no program is exact to 2
/// µs.
///
/// **Course.** `start` gives it an operation. When that ends, its interrupt handler takes the outcome with
/// `takeOutcome` and answers with `proceed`, upon which the next outcome comes, until the step is `.stop`.
/// Only then may `start` be called again. Each `start` has an outcome, `late` too, unless `cancel` returns
/// `true`.
///
/// **Time.** Between the end of a received packet and `proceed` there are 150 µs less what the radio takes to
/// turn round: 135 µs on an nRF51, 109 µs on an nRF52 with fast ramp-up. A step that is told too late is not
/// carried out, and its outcome is `late`: a packet at the wrong moment would be worse than none.
///
/// **Two levels.** On a chip, `takeOutcome`, `proceed`, `incoming` and `outgoing` are for the interrupt
/// handler while an operation is under way, and so is `start` right after `.stop`. The level below it calls
/// `start` when nothing is under way, and `cancel` at any time, which holds the interrupt off. So neither
/// preempts the other in these calls.
public protocol RadioPeripheral: ~Copyable {
  /// How many microseconds ahead of its start an operation has to be given: ramp-up, and the time it takes to
  /// set the registers. The start of the crystal oscillator is not in it: it is awaited in `start`.
  static var leadTime: UInt32 { get }
  /// How many microseconds the processor takes to choose and prepare an operation: some 2,500 instructions.
  static var planningTime: UInt32 { get }
  /// How far the clock behind `now` may be off, in ppm.
  var clockDeviation: UInt16 { get }

  /// The time.
  mutating func now() -> RadioTime
  /// Begins an operation. None is under way.
  mutating func start(_ operation: RadioOperation)
  /// Gives an operation up, and returns whether that was possible: it had not begun, or listened and no
  /// packet had. Then it has no outcome. If a packet is on the air, the outcome is waiting to be taken, or
  /// there is no operation any more, nothing changes and the result is `false`: so a caller whom the
  /// interrupt was faster than knows that it was.
  mutating func cancel() -> Bool
  /// The outcome that has not been taken; `nil` if there is none.
  mutating func takeOutcome() -> RadioOutcome?
  /// What follows the outcome that was taken last.
  mutating func proceed(_ step: RadioStep)

  /// Room for the PDU that is transmitted next, 39 bytes: two bytes of header, of which the second is the
  /// length of the payload, and the payload. What is in it when `start` or `proceed` is called is what is
  /// sent.
  @_lifetime(&self)
  mutating func outgoing() -> MutableSpan<UInt8>
  /// The PDU that was received last, header and payload. It stays until the radio listens again.
  @_lifetime(&self)
  mutating func incoming() -> Span<UInt8>
}
