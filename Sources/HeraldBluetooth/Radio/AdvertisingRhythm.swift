import HeraldHAL

/// The random delays of the advertising events of one address (advDelay, Core Specification, Vol 6, Part B,
/// 4.4.2.2.1): a pseudo-random sequence of four that the address determines.
///
/// Four events take the same time in each repetition. Who has received one of them at some time can receive
/// at `period` later, and at all multiples of it, without knowing which of the four it was. Two advertisers
/// that collide separate again, as their sums differ, unless their addresses are equal.
///
/// All events of an address are, in addition, later by the same 0 to 80 ppm of the interval, which are drawn
/// when the address is taken: otherwise the deviation of the crystal could be measured to less than 1 ppm,
/// and a device be recognised by it under its next address (docs/security.md).
public struct AdvertisingRhythm: BitwiseCopyable, Sendable {
  /// The delays, a byte each.
  private var bits: UInt32
  /// The number of the next event.
  private var event: UInt8
  /// 0…20: in units of 4 ppm, how much later than by the delays the events are.
  private var slowness: UInt8

  /// Without an address: all bits are zero.
  public init() {
    bits = 0
    event = 0
    slowness = 0
  }

  /// Takes the sequence of an address, unless it has it already. `chance`: random bits.
  public mutating func follow(_ address: DeviceAddress, chance: UInt32) {
    let new = Self.bits(address)
    guard new != bits else { return }
    bits = new
    slowness = UInt8(truncatingIfNeeded: chance % 21)
    // Not the one that follows the last event of the former address: it would tell which that was.
    event = UInt8(truncatingIfNeeded: chance &>> 16 & 3)
  }

  /// The delay in microseconds, 0…9,999, of the next event. `interval`: the advertising interval in
  /// milliseconds, up to 10,240.
  public mutating func next(interval: UInt32) -> UInt32 {
    let delay = Self.delay(bits, event)
    event = event &+ 1 & 3
    return delay &+ interval &* UInt32(slowness) / 250
  }

  /// The time in microseconds in which four events of an address are repeated, in the middle of what
  /// `slowness` makes of it. `interval`: the advertising interval in milliseconds, up to 10,240.
  public static func period(of address: DeviceAddress, interval: UInt32) -> UInt32 {
    let bits = bits(address)
    let delays = delay(bits, 0) &+ delay(bits, 1) &+ delay(bits, 2) &+ delay(bits, 3)
    return 4 &* (interval &* 1000 &+ interval / 25) &+ delays
  }

  /// The delay of one event: 0…9,180 µs.
  private static func delay(_ bits: UInt32, _ event: UInt8) -> UInt32 {
    (bits &>> (UInt32(event) &* 8) & 0xFF) &* 36
  }

  /// A hash of the address: the last steps of MurmurHash3.
  @inline(never)
  private static func bits(_ address: DeviceAddress) -> UInt32 {
    var bits = address.low ^ UInt32(address.high) &* 0x9E37_79B1
    bits = (bits ^ bits &>> 16) &* 0x85EB_CA6B
    bits = (bits ^ bits &>> 13) &* 0xC2B2_AE35
    return bits ^ bits &>> 16
  }
}
