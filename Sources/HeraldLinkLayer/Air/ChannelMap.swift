/// The channel map of a connection: the used ones of the 37 data channels (Core Specification, Vol 6, Part B,
/// 4.5.8).
public struct ChannelMap: Equatable, BitwiseCopyable, Sendable {
  /// Channels 0…31, channel 0 in bit 0.
  private let low: UInt32
  /// Channels 32…36, channel 32 in bit 0.
  private let high: UInt8

  /// Reads five bytes as transmitted. Bits without a channel are ignored.
  public init(low: UInt32, high: UInt8) {
    self.low = low
    self.high = high & 0x1F
  }

  /// All 37 channels.
  public static var all: ChannelMap { ChannelMap(low: .max, high: 0x1F) }

  /// The first four of the five bytes, as a number.
  public var lowBits: UInt32 { low }
  /// The last of the five bytes.
  public var highBits: UInt8 { high }

  /// The number of used channels: 0…37. A connection requires at least 2.
  public var count: Int { low.nonzeroBitCount &+ high.nonzeroBitCount }
  /// Whether the map is valid for a connection.
  public var isValid: Bool { count >= 2 }

  /// Whether channel `index` is used; `false` for all above 36.
  public func contains(_ index: UInt8) -> Bool {
    if index < 32 { return low &>> UInt32(index) & 1 != 0 }
    return index < 37 && high &>> (index &- 32) & 1 != 0
  }
}

/// Channel selection algorithm #1 of a connection (Core Specification, Vol 6, Part B, 4.5.8.2).
public struct ChannelSelection: Equatable, BitwiseCopyable, Sendable {
  /// lastUnmappedChannel, then unmappedChannel of the current event: 0…36.
  private var unmapped: UInt8
  /// hopIncrement: 5…16.
  private let hop: UInt8

  /// The state before the first event of a connection with this hopIncrement.
  public init(hop: UInt8) {
    unmapped = 0
    self.hop = hop
  }

  /// Advances by `events` connection events.
  public mutating func advance(by events: UInt16) {
    if events == 1 {
      // The usual case, computed without a division.
      unmapped &+= hop
      if unmapped >= 37 { unmapped &-= 37 }
      return
    }
    // The sum of 36 and 36 · 31 fits in 16 bits; 36 · 65,535 does not.
    let steps = events % 37
    unmapped = UInt8(truncatingIfNeeded: (UInt16(unmapped) &+ steps &* UInt16(hop)) % 37)
  }

  /// The channel of the current event. `map` contains at least one channel; for an empty map the result is
  /// channel 0.
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
