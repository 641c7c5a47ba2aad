import HeraldBluetooth
import HeraldHAL

// The state of a peer's codes of other systems.

/// The state of a peer after its codes were read, or not found.
@usableFromInline
enum CodesEnd: UInt8, BitwiseCopyable {
  /// It is a Herald peer that may need more exchanges.
  case isOwedMore
  /// It has shown Herald's service meanwhile: its first exchange is next.
  case isMetNext
  /// It has neither Herald's service nor a code.
  case hasNothing
  /// It has a code and no Herald service.
  case isNeighbour
}

extension Peers {
  /// A peer has a code that is readable over a connection only: it is read once for each identity of a Herald
  /// peer, else again when that is due.
  @inlinable
  mutating func owe(_ place: Int, _ context: inout Context) {
    let state = table[place].state
    guard table[place].isConnectable, !table[place].owesCode, state != .ignored else { return }
    if table[place].codeIsRead {
      guard state == .neighbour, context.hasCome(table[place].retryAt) else { return }
      table[place].codeIsRead = false
    }
    table[place].owesCode = true
    table.setOwesWork(place, true)
    lookForWork(from: table[place].retryAt, &context)
  }

  /// A device of Apple's is searched for codes, once: its advertisements in the background cannot be decoded.
  @inlinable
  mutating func oweHiddenCode(_ place: Int) {
    if table[place].system == .iOS, !table[place].codeIsRead { table[place].owesCode = true }
  }

  /// The codes of a peer are to be read from now on.
  @inlinable
  mutating func beginCodes(_ place: Int) { table[place].codeIsRead = false }

  /// Logs and reports a code of a peer.
  @inlinable @inline(never)
  mutating func keepCode(
    _ place: Int, _ system: NeighbourSystem, _ code: Span<UInt8>, _ context: inout Context
  ) {
    let identity = table[place].identity
    context.sink.record(.neighbour(identity, system), bytes: code)
    context.sink.delegate.didObserve(identity, system, code, at: context.now)
  }

  /// Logs and reports a number that a peer advertises.
  @inlinable
  mutating func keepAdvertised(number: Span<UInt8>, of place: Int, _ context: inout Context) {
    table[place].note(number: number, at: context.now)
    keepCode(place, .covidWatch, number, &context)
  }

  /// Logs and reports a code that was read over a connection, which is read again after `life`. It is read
  /// once from a Herald peer.
  @inlinable
  mutating func keepRead(
    _ place: Int, _ system: NeighbourSystem, _ code: Span<UInt8>, life: Interval, _ context: inout Context
  ) {
    keepCode(place, system, code, &context)
    let state = table[place].state
    let isHerald = state == .read || state == .confirmed
    if !isHerald, !table[place].codeIsRead { table[place].retryAt = context.now + life }
    table[place].codeIsRead = true
  }

  /// All codes of a peer were read or not found. `wereOwed`: they were the task of the exchange, and not
  /// searched for instead of a Herald service.
  @inlinable
  mutating func endCodes(_ place: Int, wereOwed: Bool, _ context: inout Context) -> CodesEnd {
    let isFound = table[place].codeIsRead
    table[place].owesCode = false
    table[place].codeIsRead = true
    let state = table[place].state
    if state == .read || state == .confirmed { return .isOwedMore }
    if state == .advertised, wereOwed {
      table[place].failures = 0
      table[place].retryAt = context.now
      workAt = context.now
      return .isMetNext
    }
    guard isFound else { return .hasNothing }
    table[place].state = .neighbour
    table[place].failures = 0
    if state == .advertised {
      // It advertises Herald's service and does not serve it, perhaps not yet: it is tried again like a peer
      // without any.
      table[place].ignores &+= 1
      leaveAlone(place, for: HeraldConfiguration.ignoreDelay(ignores: table[place].ignores), &context)
    } else {
      table[place].ignores = 0
    }
    table.setOwesWork(place, false)
    return .isNeighbour
  }
}
