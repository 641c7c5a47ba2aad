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

  /// All was asked: the exchange goes on with what else the peer is owed, or ends.
  @inlinable
  mutating func endCodes(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    table[index].question = .answered
    switch peers.endCodes(Int(table[index].place), wereOwed: table[index].task == .readCodes, &context) {
    case .isOwedMore: enter(.choosing, index, &serving, &peers, &context)
    case .isMetNext: close(index, &serving, &peers, &context)
    case .hasNothing: ignore(index, &serving, &peers, &context)
    case .isNeighbour: leave(index, &serving, &peers, &context)
    }
  }
}
