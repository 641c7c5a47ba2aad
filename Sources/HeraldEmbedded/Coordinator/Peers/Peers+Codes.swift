import HeraldBluetooth
import HeraldHAL

// The state of a peer's codes of additional services.

/// The state of a peer after its codes were read, or not found.
enum CodesEnd: UInt8, BitwiseCopyable {
  /// The peer is a Herald peer that may need more exchanges.
  case isOwedMore
  /// The peer has shown Herald's service meanwhile: its first exchange is next.
  case isMetNext
  /// The peer has neither Herald's service nor a code.
  case hasNothing
  /// The peer has a code and no Herald service.
  case isObserved
}

extension Peers {
  /// A peer has a code that is readable over a connection only: it is read once for each identity of a Herald
  /// peer, else again when that is due.
  mutating func owe(_ slot: Int, _ context: inout Context) {
    let state = table[slot].state
    guard table[slot].isConnectable, !table[slot].owesCode, state != .ignored else { return }
    if table[slot].codeIsRead {
      guard state == .observed, context.hasCome(table[slot].retryAt) else { return }
      table[slot].codeIsRead = false
    }
    table[slot].owesCode = true
    table.setOwesWork(slot, true)
    lookForWork(from: table[slot].retryAt, &context)
  }

  /// A device of Apple's is searched for codes, once: its advertisements in the background cannot be decoded.
  mutating func oweHiddenCode(_ slot: Int) {
    if table[slot].system == .iOS, !table[slot].codeIsRead { table[slot].owesCode = true }
  }

  /// The codes of a peer are to be read from now on.
  mutating func beginCodes(_ slot: Int) { table[slot].codeIsRead = false }

  /// Logs and reports a code of a peer.
  @inline(never)
  mutating func keepCode(
    _ slot: Int, _ service: ServiceNumber, _ code: Span<UInt8>, _ context: inout Context
  ) {
    let identity = table[slot].identity
    context.sink.record(.targetBytes, of: identity, service: service, bytes: code)
    context.sink.delegate.didObserve(identity, service, code, at: context.now)
  }

  /// Logs and reports a code that a peer advertises.
  mutating func keepAdvertised(
    _ code: Span<UInt8>, of service: ServiceNumber, _ slot: Int, _ context: inout Context
  ) {
    table[slot].note(code: code, at: context.now)
    keepCode(slot, service, code, &context)
  }

  /// Logs and reports a code that was read over a connection, which is read again after `life`. It is read
  /// once from a Herald peer.
  mutating func keepRead(
    _ slot: Int, _ service: ServiceNumber, _ code: Span<UInt8>, life: Interval, _ context: inout Context
  ) {
    keepCode(slot, service, code, &context)
    let state = table[slot].state
    let isHerald = state == .read || state == .confirmed
    if !isHerald, !table[slot].codeIsRead { table[slot].retryAt = context.now + life }
    table[slot].codeIsRead = true
  }

  /// All codes of a peer were read or not found. `wereOwed`: they were the task of the exchange, and not
  /// searched for instead of a Herald service.
  mutating func endCodes(_ slot: Int, wereOwed: Bool, _ context: inout Context) -> CodesEnd {
    let isFound = table[slot].codeIsRead
    table[slot].owesCode = false
    table[slot].codeIsRead = true
    let state = table[slot].state
    if state == .read || state == .confirmed { return .isOwedMore }
    if state == .advertised, wereOwed {
      table[slot].failures = 0
      table[slot].retryAt = context.now
      workAt = context.now
      return .isMetNext
    }
    guard isFound else { return .hasNothing }
    table[slot].state = .observed
    table[slot].failures = 0
    if state == .advertised {
      // It advertises Herald's service and does not serve it, perhaps not yet: it is tried again like a peer
      // without any.
      table[slot].ignores &+= 1
      leaveAlone(slot, for: HeraldConfiguration.ignoreDelay(ignores: table[slot].ignores), &context)
    } else {
      table[slot].ignores = 0
    }
    table.setOwesWork(slot, false)
    return .isObserved
  }
}
