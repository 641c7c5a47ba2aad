/// The model's state of a target within a page.
struct LogTarget: BitwiseCopyable {
  var low: UInt32
  var high: UInt16
  /// The time of its last record: the low 16 bits of the count of 10 ms steps.
  var seen: UInt16
  /// Bits 0…1: the kind of its identity. Bits 2…7: the running mean of the distance of its readings from
  /// their mean, in 1/16 dB, at most 62; 63 with no reading. In version 2: the absolute difference of its
  /// last two readings in dB, at most 3; 3 with one reading, 4 with none.
  private var kindAndSpread: UInt8
  /// Bits 0…1: its last short interval: 0 unknown, 1 around 180 ms, 2 around 270 ms, 3 shorter than 150 ms.
  /// Bits 2…7: the slot of the target that followed it last time; its own slot if there was none.
  private var rhythmAndNext: UInt8
  var rssi: Int8
  /// The running mean of its readings less the last one, in 1/16 dB.
  var offset: Int8

  init() {
    low = 0
    high = 0
    seen = 0
    kindAndSpread = 0
    rhythmAndNext = 0
    rssi = 0
    offset = 0
  }

  /// A target without a reading at `slot`.
  @inline(__always)
  init(_ identity: TargetIdentity, seen: UInt16, slot: Int, spread: UInt8 = Self.noReading) {
    low = identity.low
    high = identity.high
    self.seen = seen
    kindAndSpread = identity.kind.rawValue | spread &<< 2
    rhythmAndNext = UInt8(truncatingIfNeeded: slot) &<< 2
    rssi = 0
    offset = 0
  }

  @inline(__always)
  static var noReading: UInt8 { 63 }

  @inline(__always)
  var identity: TargetIdentity {
    TargetIdentity(
      kind: TargetIdentity.Kind(rawValue: kindAndSpread & 3) ?? .publicAddress, high: high, low: low)
  }

  @inline(__always)
  func `is`(_ identity: TargetIdentity) -> Bool {
    low == identity.low && high == identity.high && kindAndSpread & 3 == identity.kind.rawValue
  }

  @inline(__always)
  var spread: UInt8 {
    get { kindAndSpread &>> 2 }
    set { kindAndSpread = kindAndSpread & 3 | newValue &<< 2 }
  }

  @inline(__always)
  var rhythm: UInt8 {
    get { rhythmAndNext & 3 }
    set { rhythmAndNext = rhythmAndNext & 0xFC | newValue }
  }

  @inline(__always)
  var next: Int {
    get { Int(rhythmAndNext &>> 2) }
    set { rhythmAndNext = rhythmAndNext & 3 | UInt8(truncatingIfNeeded: newValue) &<< 2 }
  }

  /// Takes note of the time since the record before, in steps of 10 ms.
  @inline(__always)
  mutating func noteSilence(_ silence: UInt16) {
    if silence >= 1, silence < 15 {
      rhythm = 3
    } else if silence >= 16, silence <= 20 {
      rhythm = 1
    } else if silence >= 25, silence <= 29 {
      rhythm = 2
    }
  }
}
