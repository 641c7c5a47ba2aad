import HeraldHAL
import Testing

@testable import HeraldEmbedded

@Suite("Rate budget")
struct RateBudgetTests {
  private func time(_ milliseconds: UInt64) -> Instant { Instant(milliseconds: milliseconds) }

  @Test("One unit is restored in each period, however often the budget is read")
  func remainder() {
    var budget = RateBudget()
    budget.spend(10)
    // Ten times 600 ms are six paces of 1 s.
    for step in 1...10 as ClosedRange<UInt64> { _ = budget.allows(10, pace: 1000, at: time(600 * step)) }
    #expect(budget.spent == 4)
  }

  @Test("The budget allows less than the limit, and restores no more than was spent")
  func limit() {
    var budget = RateBudget()
    let isAllowed = budget.allows(2, pace: 1000, at: .start)
    budget.spend(2)
    let isAllowedAtLimit = budget.allows(2, pace: 1000, at: time(999))
    let isAllowedAfterPace = budget.allows(2, pace: 1000, at: time(1000))
    #expect(isAllowed && !isAllowedAtLimit && isAllowedAfterPace && budget.spent == 1)
    _ = budget.allows(2, pace: 1000, at: time(60_000))
    #expect(budget.spent == 0)
    budget.giveBack(3)
    #expect(budget.spent == 0)
  }
}
