import HeraldBluetooth
import HeraldHAL
import Testing

@testable import HeraldEmbedded

@Suite("The small machines of the core")
struct MachineTests {
  private func at(_ milliseconds: UInt64) -> Instant { Instant(milliseconds: milliseconds) }

  @Test("Ageing looks again when the next peer's time comes, and forgets one whose time has come")
  func ageing() {
    var ageing = Ageing()
    #expect(ageing.dueAt == .start)
    ageing.begin(expiry: .seconds(900), at: at(1000))
    #expect(ageing.dueAt == at(901_000))
    let result1 = ageing.isOver(.seconds(600), isEngaged: false, at: at(1000))
    #expect(!result1)
    #expect(ageing.dueAt == at(301_000))
    let result2 = ageing.isOver(.seconds(900), isEngaged: false, at: at(1000))
    #expect(result2)
    #expect(ageing.dueAt == at(301_000))
  }

  @Test("A silent peer that is engaged is looked at again after a second")
  func engaged() {
    var ageing = Ageing()
    ageing.begin(expiry: .seconds(900), at: at(5000))
    let result3 = ageing.isOver(.seconds(901), isEngaged: true, at: at(5000))
    #expect(!result3)
    #expect(ageing.dueAt == at(6000))
  }

  @Test("Surplus connections are asked to be closed at once and every two seconds, until they are")
  func surplus() {
    var surplus = SurplusConnections()
    #expect(surplus.isEmpty)
    surplus.opened(5, at: at(100))
    surplus.opened(31, at: at(100))
    surplus.opened(32, at: at(100))
    let result4 = surplus.due(at: at(100))
    #expect(result4 == 1 << 5 | 1 << 31)
    let result5 = surplus.due(at: at(2099))
    #expect(result5 == 0)
    surplus.closed(5)
    let result6 = surplus.due(at: at(2100))
    #expect(result6 == 1 << 31)
    surplus.closed(31)
    #expect(surplus.isEmpty)
  }

  @Test("The delegate is told when the sensor's state changes, and only then")
  func sensor() {
    var power = SensorSwitch()
    let result7 = power.radioChanged(.ready)
    #expect(result7 == .on)
    let result8 = power.radioChanged(.ready)
    #expect(result8 == nil)
    let result9 = power.radioChanged(.failed)
    #expect(result9 == .off)
    let result10 = power.radioChanged(.failed)
    #expect(result10 == .unavailable)
    let result11 = power.set(isOff: true)
    #expect(result11 == nil)
    let result12 = power.radioChanged(.ready)
    #expect(result12 == .off)
    let result13 = power.set(isOff: false)
    #expect(result13 == .on)
    let result14 = power.set(isOff: true)
    #expect(result14 == .off)
  }

  @Test("Many attempts at strangers exhaust the scan budget, and each payload restores a part of it")
  func scanBudget() {
    var budget = ScanBudget()
    budget.start()
    // 24,000 at the start, 4,064 for each long first attempt, 41,000 is the limit.
    for _ in 0..<4 { budget.charge(attemptOf: 8000, isFirst: true) }
    let result15 = budget.isExhausted(at: .start)
    #expect(!result15)
    #expect(budget.leastWait == 0)
    budget.charge(attemptOf: 8000, isFirst: false)
    let result16 = budget.isExhausted(at: .start)
    #expect(result16)
    #expect(budget.leastWait > 0)
    budget.credit(isFlooded: false)
    let result17 = budget.isExhausted(at: .start)
    #expect(!result17)
    // In rounds 3,128 for each attempt after a failure.
    budget.note(isInRounds: true, isSparing: false)
    for count in 1...3 {
      budget.charge(attemptOf: 8000, isFirst: false)
      let isExhausted = budget.isExhausted(at: .start)
      #expect(isExhausted == (count > 2), "\(count)")
    }
  }

  @Test("While several strangers wait it is listened more for two seconds, unless the budget is short")
  func busy() {
    var budget = ScanBudget()
    budget.scanMore(at: at(1000))
    #expect(budget.busyUntil == at(3000))
    for _ in 0..<10 { budget.charge(attemptOf: 4000, isFirst: true) }
    budget.scanMore(at: at(2000))
    #expect(budget.busyUntil == at(3000))
  }

  @Test("The radio is told to scan and to stop when that differs from what it does")
  func scanning() {
    var scanning = Scanning(ScanTiming())
    let parameters = ScanParameters(
      ownAddress: .zero, interval: .milliseconds(1125), window: .milliseconds(120), active: false)
    let result18 = scanning.stop()
    #expect(!result18)
    #expect(scanning.isNew(parameters))
    scanning.started(parameters)
    #expect(!scanning.isNew(parameters))
    let result19 = scanning.stop()
    #expect(result19)
    let result20 = scanning.stop()
    #expect(!result20)
  }

  @Test("The outbox holds one message, whose buffer is free again at its end")
  func outbox() throws {
    var pool = PayloadPool<2>()
    var outbox = Outbox()
    let message: [UInt8] = [1, 2, 3]
    try outbox.take(message.span, in: &pool, at: at(500))
    #expect(outbox.isPending)
    #expect(outbox.until == at(60_500))
    do throws(ImmediateSendError) {
      try outbox.take(message.span, in: &pool, at: at(500))
      Issue.record("a second message was taken")
    } catch {
      #expect(error == .busy)
    }
    outbox.end(in: &pool)
    #expect(!outbox.isPending)
    let result21 = pool.find(Outbox.connection, .message)
    #expect(result21 == nil)
  }
}
