import HeraldBluetooth
import HeraldHAL

// What is known of the codes of other systems that a peer has.

/// What becomes of a peer whose codes were read, or looked for in vain.
@usableFromInline
enum CodesEnd: UInt8, BitwiseCopyable {
  /// It is a peer of Herald's that may be owed more.
  case isOwedMore
  /// It showed Herald's service meanwhile, and is met next.
  case isMetNext
  /// It has neither Herald's service nor a code.
  case hasNothing
  /// It has a code and nothing of Herald's.
  case isNeighbour
}

extension Peers {
  /// A peer has a code that can only be had over a connection: once for each identity of a peer of Herald's,
  /// else again when that is due.
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

  /// A peer of Apple's is asked whether it has codes, once: what it advertises in the background nobody can
  /// read.
  @inlinable
  mutating func oweHiddenCode(_ place: Int) {
    if table[place].system == .iOS, !table[place].codeIsRead { table[place].owesCode = true }
  }

  /// The codes of a peer are asked for from now on.
  @inlinable
  mutating func beginCodes(_ place: Int) { table[place].codeIsRead = false }

  /// Logs and reports a code of a peer's.
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

  /// Logs and reports a code that was read over a connection, which is read again after `life`. A peer of
  /// Herald's is asked for it once.
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

  /// All codes of a peer were asked for. `wereOwed` says that they were what the exchange was about, and not
  /// looked for in the place of a Herald service.
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
      // It shows Herald's service and does not serve it, perhaps not yet: it is asked again like one that has
      // nothing.
      table[place].ignores &+= 1
      leaveAlone(place, for: HeraldConfiguration.ignoreDelay(ignores: table[place].ignores), &context)
    } else {
      table[place].ignores = 0
    }
    table.setOwesWork(place, false)
    return .isNeighbour
  }
}
