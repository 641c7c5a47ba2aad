import HeraldBluetooth
import HeraldHAL

// How an exchange uses the search for codes of additional services.

extension Exchanges {
  /// Whether an exchange continues with the codes instead of `step`: for a peer that is known to have no
  /// Herald service, and before a peer is marked as having none.
  mutating func turnsToCodes(
    _ step: ExchangeStep, _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType
  ) -> Bool {
    guard table[index].codeRequest == .none else { return false }
    switch step {
    case .findShortService:
      guard peers.table[Int(table[index].slot)].state == .observed else { return false }
      table[index].task = .readCodes
      return true
    case .withoutService: return serving.searchesCodes
    default: return false
    }
  }

  /// Begins the search for codes. If none are observed any more, as the service was switched off after the
  /// code was owed, the connection is closed.
  mutating func requestCodes(
    _ index: Int, _ serving: inout ServingType, _ peers: inout PeersType, _ context: inout Context
  ) {
    switch serving.askForCodes(&table[index], &peers, &context) {
    case .goingOn: break
    case .ended:
      table[index].codeRequest = .answered
      _ = peers.endCodes(Int(table[index].slot), wereOwed: true, &context)
      close(index, &serving, &peers, &context)
    default: fail(index, .exchangesMalformed, &serving, &peers, &context)
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
    case .isObserved: leave(index, &serving, &peers, &context)
    }
  }
}
