/// Scan windows, each on the next advertising channel.
struct ScanWindows {
  /// The start of the current window.
  var start: UInt64 = 0
  /// The scan interval; 0 if there are no windows.
  var interval: UInt64 = 0
  /// The scan window.
  var length: UInt64 = 0
  /// The channel of the current window: 0 is channel 37.
  var channel: UInt8 = 0

  /// Starts scan windows at `now`, on the channel after that of the last window.
  mutating func begin(every interval: UInt64, for length: UInt64, at now: UInt64) {
    channel = (channel + 1) % 3
    start = now
    self.interval = interval
    self.length = length
  }

  /// Whether a packet on `packetChannel` lies within a window on its channel. `end` must not decrease from
  /// call to call.
  @inline(__always)
  mutating func contain(_ packetChannel: UInt8, from begin: UInt64, to end: UInt64) -> Bool {
    guard interval > 0, begin >= start else { return false }
    if begin >= start &+ interval { turn(to: begin) }
    return channel == packetChannel && end <= start &+ length
  }

  /// Whether any part of `begin`…`end` is in a window.
  mutating func touch(from begin: UInt64, to end: UInt64) -> Bool {
    guard interval > 0 else { return false }
    guard begin >= start else { return end > start }
    if begin >= start &+ interval { turn(to: begin) }
    return begin < start &+ length || end > start &+ interval
  }

  /// Whether a window is open.
  mutating func isOpen(at time: UInt64) -> Bool {
    guard interval > 0, time >= start else { return false }
    if time >= start &+ interval { turn(to: time) }
    return time < start &+ length
  }

  private mutating func turn(to time: UInt64) {
    let windows = (time &- start) / interval
    start = start &+ windows &* interval
    channel = UInt8(truncatingIfNeeded: (UInt64(channel) &+ windows) % 3)
  }
}

/// The times at which one station receives, and on which channel: the state that is examined for every packet
/// and station.
struct Receiver {
  /// Scan windows: packets received in them are reported to the host.
  var scan = ScanWindows()
  /// The last time interval of transmission or of a connection event, and the one before.
  var busyStart: UInt64 = 0
  var busyEnd: UInt64 = 0
  var earlierStart: UInt64 = 0
  var earlierEnd: UInt64 = 0
  /// Whether the station is initiating.
  var isInitiating = false
  /// Windows for initiating; the scan windows are used for it as well.
  var initiating = ScanWindows()

  /// Whether a packet from `start` to `end` is in a scan window on its channel, with the radio free.
  @inline(__always)
  mutating func receives(_ channel: UInt8, from start: UInt64, to end: UInt64) -> Bool {
    scan.contain(channel, from: start, to: end) && !isBusy(from: start, to: end)
  }

  /// Whether a packet is in a window for initiating. Time in windows of both kinds is attributed to scanning.
  mutating func receivesWhileInitiating(_ channel: UInt8, from start: UInt64, to end: UInt64) -> Bool {
    initiating.contain(channel, from: start, to: end) && !scan.touch(from: start, to: end)
      && !isBusy(from: start, to: end)
  }

  /// Whether the radio is in use at any time from `start` to `end`.
  @inline(__always)
  func isBusy(from start: UInt64, to end: UInt64) -> Bool {
    (start < busyEnd && end > busyStart) || (start < earlierEnd && end > earlierStart)
  }

  /// Marks the radio as in use.
  mutating func occupy(from start: UInt64, to end: UInt64) {
    if start <= busyEnd, end >= busyStart {
      busyStart = min(busyStart, start)
      busyEnd = max(busyEnd, end)
    } else {
      (earlierStart, earlierEnd) = (busyStart, busyEnd)
      (busyStart, busyEnd) = (start, end)
    }
  }
}
