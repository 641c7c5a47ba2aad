import HeraldBluetooth
import HeraldHAL

/// The connections there may be at once, by their numbers.
@usableFromInline
struct ConnectionTable<let connections: Int>: ~Copyable {
  @usableFromInline var links: [connections of Link]

  /// None is open.
  @usableFromInline
  init() { links = .init(repeating: Link()) }

  /// What a connection is at.
  @inlinable
  subscript(index: Int) -> Link {
    mutating get { links[index] }
    _modify { yield &links[index] }
  }

  /// How many connections are open or being closed.
  @inlinable @inline(never)
  mutating func openCount() -> Int {
    var open = 0
    var index = 0
    while index < connections {
      if links[index].step != .closed { open &+= 1 }
      index &+= 1
    }
    return open
  }

  /// Whether a connection with this address is open.
  @inlinable
  mutating func isConnected(_ address: DeviceAddress) -> Bool {
    var index = 0
    while index < connections {
      if links[index].step != .closed, links[index].peer == address { return true }
      index &+= 1
    }
    return false
  }

  /// Whether an exchange with the target at this place is under way.
  @inlinable @inline(never)
  mutating func isAtWork(with place: UInt16) -> Bool {
    var index = 0
    while index < connections {
      if links[index].holdsTarget, links[index].place == place { return true }
      index &+= 1
    }
    return false
  }

  /// When an exchange ends that is writing a message of the application's; `nil` if none is.
  @inlinable
  var endOfMessage: Instant? {
    mutating get {
      var index = 0
      while index < connections {
        if links[index].step == .writeSignal, links[index].task == .sendMessage { return links[index].end }
        index &+= 1
      }
      return nil
    }
  }
}
