/// Which of the 37 data channels a connection uses (Core Specification, Vol 6, Part B, 4.5.8).
public struct ChannelMap: Equatable, BitwiseCopyable, Sendable {
  /// Channels 0…31, channel 0 in bit 0.
  private let low: UInt32
  /// Channels 32…36, channel 32 in bit 0.
  private let high: UInt8

  /// From five bytes as they are sent. Bits that stand for no channel are dropped.
  public init(low: UInt32, high: UInt8) {
    self.low = low
    self.high = high & 0x1F
  }

  /// All 37 channels.
  public static var all: ChannelMap { ChannelMap(low: .max, high: 0x1F) }

  /// The five bytes: the first four as a number.
  public var lowBits: UInt32 { low }
  /// The five bytes: the last.
  public var highBits: UInt8 { high }

  /// How many channels are used: 0…37. A connection needs 2 at least.
  public var count: Int { low.nonzeroBitCount &+ high.nonzeroBitCount }
  /// Whether a connection can use it.
  public var isValid: Bool { count >= 2 }

  /// Whether channel `index` is used; none above 36 is.
  public func contains(_ index: UInt8) -> Bool {
    if index < 32 { return low &>> UInt32(index) & 1 != 0 }
    return index < 37 && high &>> (index &- 32) & 1 != 0
  }
}

/// Where a connection is on the data channels: channel selection algorithm #1 (Core Specification, Vol 6,
/// Part B, 4.5.8.2).
public struct ChannelSelection: Equatable, BitwiseCopyable, Sendable {
  /// lastUnmappedChannel, then unmappedChannel of the current event: 0…36.
  private var unmapped: UInt8
  /// The step between events: 5…16.
  private let hop: UInt8

  /// Before the first event of a connection with this hopIncrement.
  public init(hop: UInt8) {
    unmapped = 0
    self.hop = hop
  }

  /// Goes on by `events` connection events.
  public mutating func advance(by events: UInt16) {
    if events == 1 {
      // Nearly always, and without a division.
      unmapped &+= hop
      if unmapped >= 37 { unmapped &-= 37 }
      return
    }
    // (36 + 36 · 31) is within 16 bits, 36 · 65,535 is not.
    let steps = events % 37
    unmapped = UInt8(truncatingIfNeeded: (UInt16(unmapped) &+ steps &* UInt16(hop)) % 37)
  }

  /// The channel of the current event. `map` has one at least; with none it is channel 0.
  public func channel(in map: ChannelMap) -> UInt8 {
    if map.contains(unmapped) { return unmapped }
    let count = map.count
    guard count > 0 else { return 0 }
    var left = Int(unmapped) % count
    var index: UInt8 = 0
    while index < 37 {
      if map.contains(index) {
        if left == 0 { return index }
        left &-= 1
      }
      index &+= 1
    }
    return 0
  }
}
