import HeraldBluetooth

/// The connections that may be open at once, by their index.
struct ACLConnections<let connections: Int>: ~Copyable {
  var all: [connections of ACLConnection]

  /// No connection is open.
  init() { all = .init(repeating: ACLConnection()) }

  /// The connection at an index.
  subscript(index: Int) -> ACLConnection {
    @inline(__always) mutating get { all[index] }
    @inline(__always) _modify { yield &all[index] }
  }

  /// The index of the connection with this handle, −1 if there is none.
  mutating func indexOf(_ handle: ConnectionHandle) -> Int {
    var index = 0
    while index < connections {
      if all[index].life != .free, all[index].handle == handle { return index }
      index &+= 1
    }
    return -1
  }

  /// The first index in this state, −1 if there is none.
  @inline(never)
  mutating func firstIndex(_ life: ACLConnection.Life) -> Int {
    var index = 0
    while index < connections {
      if all[index].life == life { return index }
      index &+= 1
    }
    return -1
  }

  /// Whether the end of a connection is awaited.
  mutating func isClosing() -> Bool { firstIndex(.closed) >= 0 || firstIndex(.due) >= 0 }

  /// Whether a connection that is `.due` has not ended. Those that are `.closed` are due from now on.
  @inline(never)
  mutating func expire() -> Bool {
    let isExpired = firstIndex(.due) >= 0
    var index = 0
    while index < connections {
      if all[index].life == .closed { all[index].life = .due }
      index &+= 1
    }
    return isExpired
  }

  /// How many connections there are.
  mutating func summary() -> ConnectionSummary {
    var open = 0
    var index = 0
    while index < connections {
      if all[index].life != .free { open &+= 1 }
      index &+= 1
    }
    return ConnectionSummary(open: open, free: connections &- open)
  }

  /// Whether the shared buffer is not used by another connection.
  @inline(never)
  mutating func hasSpare(_ index: Int) -> Bool {
    for other in 0..<connections
    where other != index && all[other].life == .open && all[other].l2cap.slots[1].use != .free {
      return false
    }
    return true
  }

  /// The slot for a PDU of this host on a connection; −1 if there is none at present.
  @inline(never)
  mutating func slotToSend(_ index: Int) -> Int {
    all[index].l2cap.slotToSend(hasSpare: hasSpare(index), isWaiting: all[index].inFlight > 0)
  }

  /// Every slot is free: the controller was reset.
  mutating func freeAll() {
    var index = 0
    while index < connections {
      all[index].life = .free
      index &+= 1
    }
  }

  /// One entry of Number Of Completed Packets: how many buffers of the controller are free again. Counts
  /// above the number in flight are ignored.
  mutating func completed(_ entry: CompletedPackets) -> UInt16 {
    let index = indexOf(entry.handle)
    guard index >= 0 else { return 0 }
    let count = min(entry.count, all[index].inFlight)
    all[index].inFlight &-= count
    return count
  }
}
