import HeraldBluetooth
import HeraldHAL

// Which connection is closed for a new peer (HP-25).

extension ConnectionTable {
  /// How long a connection that a peer opened is kept before it may be closed for a new peer.
  static var servingGrace: Interval { .seconds(5) }

  /// The connection that is closed for a new peer, if one can be: of those that are only kept, or that a peer
  /// opened some time ago, the oldest, or the one to the peer with the lowest RSSI. A peer not in the table
  /// counts as weakest. For a message of the application an exchange about anything else is closed too
  /// (HP-30).
  mutating func connectionToGiveUp<Parts: DeviceParts, let targets: Int>(
    forMessage: Bool, _ peers: inout Peers<Parts, targets>, _ context: inout CoreContext<Parts>
  )
    -> Int?
  {
    var best: Int?
    var bestRSSI: Int8 = 0
    var index = 0
    while index < connections {
      if canGiveUp(index, forMessage: forMessage, &peers, &context) {
        let rssi = strength(of: index, &peers)
        let isBetter =
          switch context.configuration.connectionPolicy {
          case .oldest: best.map { exchanges[index].openedAt < exchanges[$0].openedAt } ?? true
          case .weakest: best == nil || rssi < bestRSSI
          }
        if isBetter {
          best = index
          bestRSSI = rssi
        }
      }
      index &+= 1
    }
    return best
  }

  mutating func canGiveUp<Parts: DeviceParts, let targets: Int>(
    _ index: Int, forMessage: Bool, _ peers: inout Peers<Parts, targets>,
    _ context: inout CoreContext<Parts>
  )
    -> Bool
  {
    let step = exchanges[index].step
    if step == .keeping { return true }
    // A peer's connection is not protected for longer because this device reads on it as well; a connection
    // of this device that a peer uses ends soon.
    if step == .serving || exchanges[index].isPeers && step.isWorking {
      return context.now >= exchanges[index].openedAt + Self.servingGrace
    }
    return forMessage && step.isWorking
      && !peers.table[Int(exchanges[index].slot)].has(Target.awaitsMessageFlag)
  }

  /// Schedules a run for when the next connection that a peer opened may be closed.
  mutating func awaitGrace<Parts: DeviceParts>(
    _ context: inout CoreContext<Parts>
  ) {
    var index = 0
    while index < connections {
      let end = exchanges[index].openedAt + Self.servingGrace
      if exchanges[index].step != .closed, end > context.now { context.wake(by: end) }
      index &+= 1
    }
  }

  mutating func strength<Parts: DeviceParts, let targets: Int>(
    of index: Int, _ peers: inout Peers<Parts, targets>
  ) -> Int8 {
    if exchanges[index].holdsTarget { return peers.table[Int(exchanges[index].slot)].lastRSSI.rawValue }
    guard let slot = peers.table.find(TargetIdentity(exchanges[index].peer)) else { return -128 }
    return peers.table[slot].lastRSSI.rawValue
  }
}
