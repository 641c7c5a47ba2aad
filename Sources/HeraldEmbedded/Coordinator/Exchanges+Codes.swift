import HeraldBluetooth
import HeraldHAL

// What an exchange makes of the search for codes of other systems.

extension Exchanges {
  /// Whether an exchange is to go on with the codes instead of `step`: for a peer that is known to have
  /// nothing of Herald's, and before one turns out to have nothing at all.
  @inlinable
  mutating func turnsToCodes(
    _ step: ExchangeStep, _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType
  ) -> Bool {
    guard table[index].question == .none else { return false }
    switch step {
    case .findShortService:
      guard peers.table[Int(table[index].place)].state == .neighbour else { return false }
      table[index].task = .readCodes
      return true
    case .withoutService: return serving.observesAny
    default: return false
    }
  }

  /// Goes on from where the search for codes stands.
  @inlinable
  mutating func follow(
    _ outcome: CodeOutcome, _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType,
    _ context: inout Context
  ) {
    switch outcome {
    case .goingOn: break
    case .ended: endCodes(index, &serving, &peers, &context)
    case .refused: fail(index, .exchangesRefused, &serving, &peers, &context)
    case .timedOut: fail(index, .exchangesTimedOut, &serving, &peers, &context)
    case .malformed: fail(index, .exchangesMalformed, &serving, &peers, &context)
    }
  }

  /// All was asked. A peer of Herald's gets what else it is owed; one that has nothing but codes is a
  /// neighbour from now on; one that has nothing is left alone.
  @inlinable
  mutating func endCodes(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    let place = Int(table[index].place)
    table[index].question = .answered
    let isFound = peers.table[place].codeIsRead
    peers.table[place].owesCode = false
    peers.table[place].codeIsRead = true
    let state = peers.table[place].state
    if state == .read || state == .confirmed {
      enter(.choosing, index, &serving, &peers, &context)
      return
    }
    if state == .advertised, table[index].task == .readCodes {
      // It turned out to show Herald's service while its codes were read: it is asked about that next.
      peers.table[place].failures = 0
      peers.table[place].retryAt = context.now
      peers.workAt = context.now
      close(index, &serving, &peers, &context)
      return
    }
    guard isFound else {
      ignore(index, &serving, &peers, &context)
      return
    }
    peers.table[place].state = .neighbour
    peers.table[place].failures = 0
    if state == .advertised {
      // It shows Herald's service and does not serve it, perhaps not yet: it is asked again like one that has
      // nothing.
      peers.table[place].ignores &+= 1
      peers.leaveAlone(
        place, for: HeraldConfiguration.ignoreDelay(ignores: peers.table[place].ignores), &context)
    } else {
      peers.table[place].ignores = 0
    }
    peers.table.setOwesWork(place, false)
    leave(index, &serving, &peers, &context)
  }
}
