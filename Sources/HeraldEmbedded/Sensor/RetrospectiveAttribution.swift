import HeraldBluetooth
import HeraldHAL

/// Keeps readings of peers whose payload is not known yet, so that a delegate can attribute them to the
/// payload once it is read (HP-45).
///
/// `capacity` is how many it keeps. A further one replaces the oldest, which is counted in `forgotten`: it
/// stays in the log, where the host can attribute it.
///
/// ```swift
/// mutating func didMeasure(…) { if !isKnown(target) { earlier.add(target, rssi, at: now) } }
/// mutating func didRead(…) { while let reading = earlier.takeOldest(of: target) { use(reading, payload) } }
/// ```
public struct RetrospectiveAttribution<let capacity: Int>: ~Copyable {
  /// A reading from before the payload was read.
  public struct Reading: Equatable, BitwiseCopyable, Sendable {
    /// The RSSI.
    public let rssi: RSSI
    /// Time of the reading.
    public let at: Instant

    /// Initialises each member.
    public init(rssi: RSSI, at: Instant) {
      self.rssi = rssi
      self.at = at
    }
  }

  struct Entry: BitwiseCopyable {
    var peer: TargetIdentity
    var at: Instant
    var rssi: RSSI
  }

  /// The oldest first.
  private var entries: [capacity of Entry]
  /// Number of stored readings.
  public private(set) var count: Int
  /// How many were replaced by others.
  public private(set) var forgotten: UInt32

  /// No readings.
  public init() {
    entries = .init(
      repeating: Entry(
        peer: TargetIdentity(kind: .publicAddress, high: 0, low: 0), at: .start, rssi: RSSI(0)))
    count = 0
    forgotten = 0
  }

  /// Stores a reading of a peer.
  public mutating func add(_ peer: TargetIdentity, _ rssi: RSSI, at now: Instant) {
    guard capacity > 0 else {
      forgotten &+= 1
      return
    }
    if count == capacity {
      remove(0)
      forgotten &+= 1
    }
    entries[count] = Entry(peer: peer, at: now, rssi: rssi)
    count &+= 1
  }

  /// Removes and returns the oldest reading of a peer; `nil` if there is none.
  public mutating func takeOldest(of peer: TargetIdentity) -> Reading? {
    var index = 0
    while index < count {
      if entries[index].peer == peer {
        let found = entries[index]
        remove(index)
        return Reading(rssi: found.rssi, at: found.at)
      }
      index &+= 1
    }
    return nil
  }

  /// Discards the readings of a peer that was lost.
  public mutating func forget(_ peer: TargetIdentity) {
    while takeOldest(of: peer) != nil {}
  }

  private mutating func remove(_ index: Int) {
    count &-= 1
    var next = index
    while next < count {
      entries[next] = entries[next &+ 1]
      next &+= 1
    }
  }
}
