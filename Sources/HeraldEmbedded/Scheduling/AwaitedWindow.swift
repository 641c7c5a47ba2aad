import HeraldHAL

/// The short window in which a peer can be received whose advertising events repeat after a period
/// (`AdvertisingRhythm`).
///
/// It begins before, and ends after, the time that is a multiple of the period after the last reception, by
/// a fixed uncertainty and one that grows with the time since then.
struct AwaitedWindow: Equatable, BitwiseCopyable {
  /// The time in ms until it begins; 0 while it lasts.
  let wait: UInt32
  /// The time in ms until it ends.
  let left: UInt32

  /// The uncertainty in ms: the two times are rounded to 1 ms each, the three channels of an event are
  /// 1.5 ms apart, and the radio takes up to 1 ms until it receives.
  private static var uncertainty: UInt32 { 4 }
  /// The part of the time since the last reception by which the uncertainty grows, as a shift: 122 ppm, for
  /// two crystals of 40 ppm and the unknown slowness of the events, ± 40 ppm.
  private static var drift: UInt32 { 13 }
  /// The longest time in ms since the last reception: in microseconds it is less than 2³².
  private static var longest: UInt32 { 4_000_000 }

  /// A window that begins in `wait` ms and ends in `left` ms.
  init(wait: UInt32, left: UInt32) {
    self.wait = wait
    self.left = left
  }

  /// The window of a peer that was received `silence` ms ago, with events that repeat after `period`
  /// microseconds, 1 ms or more.
  init(silence: UInt32, period: UInt32) {
    let silence = silence < Self.longest ? silence : Self.longest
    let uncertainty = Self.uncertainty &+ silence &>> Self.drift
    let events = silence &* 1000 / period
    let passed = (silence &* 1000 &- events &* period) / 1000
    let whole = period / 1000
    if events > 0, passed <= uncertainty {
      wait = 0
      left = uncertainty &- passed &+ 1
    } else {
      let ahead = whole &- passed
      wait = ahead > uncertainty ? ahead &- uncertainty : 0
      left = ahead &+ uncertainty &+ 1
    }
  }
}
