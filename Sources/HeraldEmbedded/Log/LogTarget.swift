/// The model's state of a target within a page.
@usableFromInline
struct LogTarget: BitwiseCopyable {
  @usableFromInline var low: UInt32
  @usableFromInline var high: UInt16
  /// The time of its last record: the low 16 bits of the count of 10 ms steps.
  @usableFromInline var seen: UInt16
  @usableFromInline var kind: TargetIdentity.Kind
  /// Its last short interval: 0 unknown, 1 around 180 ms, 2 around 270 ms, 3 shorter than 150 ms.
  @usableFromInline var rhythm: UInt8
  @usableFromInline var rssi: Int8
  /// Absolute difference of its last two readings in dB, at most 3; 3 with one reading, 4 with none.
  @usableFromInline var jump: UInt8

  @usableFromInline
  init() {
    low = 0
    high = 0
    seen = 0
    kind = .publicAddress
    rhythm = 0
    rssi = 0
    jump = 0
  }

  @inline(__always)
  init(_ identity: TargetIdentity, seen: UInt16) {
    low = identity.low
    high = identity.high
    self.seen = seen
    kind = identity.kind
    rhythm = 0
    rssi = 0
    jump = 4
  }

  @inline(__always)
  var identity: TargetIdentity { TargetIdentity(kind: kind, high: high, low: low) }
}
