import HeraldBluetooth
import HeraldHAL

/// The connections that may be open at once, by their numbers.
struct ConnectionTable<let connections: Int>: ~Copyable {
  var exchanges: [connections of Exchange]

  /// No connection is open.
  init() { exchanges = .init(repeating: Exchange()) }

  /// The step of a connection.
  subscript(index: Int) -> Exchange {
    mutating get { exchanges[index] }
    _modify { yield &exchanges[index] }
  }

  /// Something was sent to a peer that uses its connection: it is not idle.
  mutating func used(_ index: Int, at now: Instant) { exchanges[index].lastAsked = now }

  /// How many connections are open or being closed.
  @inline(never)
  mutating func openCount() -> Int {
    var open = 0
    var index = 0
    while index < connections {
      if exchanges[index].step != .closed { open &+= 1 }
      index &+= 1
    }
    return open
  }

  /// Whether a connection with this address is open.
  mutating func isConnected(_ address: DeviceAddress) -> Bool {
    var index = 0
    while index < connections {
      if exchanges[index].step != .closed, exchanges[index].peer == address { return true }
      index &+= 1
    }
    return false
  }

  /// Whether an exchange with the target at this slot is under way.
  @inline(never)
  mutating func isAtWork(with slot: UInt16) -> Bool {
    var index = 0
    while index < connections {
      if exchanges[index].holdsTarget, exchanges[index].slot == slot { return true }
      index &+= 1
    }
    return false
  }

  /// When the exchange ends that writes a message of the application; `nil` if there is none.
  var endOfMessage: Instant? {
    mutating get {
      var index = 0
      while index < connections {
        if exchanges[index].step == .writeSignal, exchanges[index].task == .sendMessage {
          return exchanges[index].end
        }
        index &+= 1
      }
      return nil
    }
  }
}
