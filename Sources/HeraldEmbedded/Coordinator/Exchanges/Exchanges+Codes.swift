import HeraldBluetooth
import HeraldHAL

// How an exchange uses the search for codes of other systems.

extension Exchanges {
  /// Whether an exchange continues with the codes instead of `step`: for a peer that is known to have no
  /// Herald service, and before a peer is marked as having none.
  mutating func turnsToCodes(
    _ step: ExchangeStep, _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType
  ) -> Bool {
    guard table[index].codeRequest == .none else { return false }
    switch step {
    case .findShortService:
      guard peers.table[Int(table[index].slot)].state == .neighbour else { return false }
      table[index].task = .readCodes
      return true
    case .withoutService: return serving.observesAny
    default: return false
    }
  }

  /// Continues the search for codes at its present step.
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

  /// The search for codes has ended: the exchange continues with the peer's next task, or ends.
  mutating func endCodes(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    table[index].codeRequest = .answered
    switch peers.endCodes(Int(table[index].slot), wereOwed: table[index].task == .readCodes, &context) {
    case .isOwedMore: enter(.choosing, index, &serving, &peers, &context)
    case .isMetNext: close(index, &serving, &peers, &context)
    case .hasNothing: ignore(index, &serving, &peers, &context)
    case .isNeighbour: leave(index, &serving, &peers, &context)
    }
  }
}
