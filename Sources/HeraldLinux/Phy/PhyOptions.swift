/// The properties of a simulated device: its clock, and the delays of its processor.
package struct PhyOptions: Sendable {
  /// The frequency deviation of the clock in ppm, −1000…1000; positive values are too fast.
  package var clockDeviation = 0
  /// The maximum deviation that the device declares, in ppm.
  package var declaredDeviation: UInt16 = 20
  /// The number of operations and responses per 100,000 that the processor starts too late, so that their
  /// outcome is `late`.
  package var lateness: UInt32 = 0
  /// The maximum delay of the call of `procedures`, in microseconds.
  package var longestDelay: UInt32 = 0
  /// The simulated time between two calls of `PhyProgram.pollHost`, in microseconds, at least 1.
  package var pollInterval = 1000
  /// The seed of lateness, delays and the initial value of the clock; equal seeds give equal simulations.
  package var seed: UInt64 = 1

  /// A device with an exact clock and without delays.
  package init() {}
}

/// The random numbers of a simulated device (SplitMix64).
struct PhyRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  /// A number less than `limit`; 0 if that is 0.
  mutating func below(_ limit: UInt32) -> UInt32 {
    limit == 0 ? 0 : UInt32(truncatingIfNeeded: next() % UInt64(limit))
  }

  /// `true` in `rate` of 100,000 cases.
  mutating func happens(_ rate: UInt32) -> Bool { rate > 0 && below(100_000) < rate }
}
