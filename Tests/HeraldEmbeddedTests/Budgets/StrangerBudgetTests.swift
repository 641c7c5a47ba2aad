import HeraldHAL
import Testing

@testable import HeraldEmbedded

/// What a table of 64 places or fewer allows.
@Suite("Stranger budget")
struct StrangerBudgetTests {
  @Test("8,192 readings of strangers of a kind are kept at once, and 128 more when a payload was read")
  func readings() {
    var budget = StrangerBudget<16>()
    func count() -> Int {
      var kept = 0
      while kept < 10_000, budget.mayMeasure(kind: 0, at: .start) { kept += 1 }
      return kept
    }
    let first = count()
    budget.met(kind: 0)
    let second = count()
    #expect(first == 8192 && second == 128)
    let isOtherKindKept = budget.mayMeasure(kind: 1, at: .start)
    #expect(isOtherKindKept)
  }

  @Test("1,024 strangers of a kind are taken in at once, and one more for each whose payload was read")
  func identities() {
    var budget = StrangerBudget<16>()
    func count() -> Int {
      var taken = 0
      while taken < 2000, budget.mayCome(7, kind: 0, at: .start) { taken += 1 }
      return taken
    }
    let first = count()
    budget.met(kind: 0)
    budget.met(kind: 0)
    budget.met(kind: 1)
    let second = count()
    #expect(first == 1024 && second == 2)
  }
}
