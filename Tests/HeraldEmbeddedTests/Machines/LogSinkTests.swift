import HeraldBluetooth
import HeraldHAL
import Testing

@testable import HeraldEmbedded

@Suite("The sink of events, alone")
struct LogSinkTests {
  private let phone = TargetIdentity(DeviceAddress(high: 0xC0DE, low: 1, kind: .random))

  @Test("The first commit comes one period after the start, and sooner if a shorter period is set")
  func commits() {
    var context = MachineContext.started()
    #expect(context.sink.commitAt == Instant(milliseconds: 31_000))
    context.sink.commit(within: .seconds(60))
    #expect(context.sink.commitAt == Instant(milliseconds: 31_000))
    context.sink.commit(within: .seconds(5))
    #expect(context.sink.commitAt == Instant(milliseconds: 6_000))
    context.pass(milliseconds: 5_000)
    context.sink.commit(isIdle: true, next: .seconds(30), retentionDays: 14)
    #expect(context.sink.commitAt == Instant(milliseconds: 36_000))
  }

  @Test("What is recorded is in flash after a commit")
  func recorded() {
    var context = MachineContext.started()
    context.sink.record(.detected, of: phone)
    context.sink.record(reading: RSSI(-60), of: phone)
    let before = context.sink.log.flash.image.bytes.filter { $0 != 0xFF }.count
    context.sink.commit(isIdle: true, next: .seconds(30), retentionDays: 14)
    let after = context.sink.log.flash.image.bytes.filter { $0 != 0xFF }.count
    #expect(after > before)
    #expect(context.sink.counters[.logErrors] == 0)
  }
}
