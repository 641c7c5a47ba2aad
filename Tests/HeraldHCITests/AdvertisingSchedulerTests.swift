import HeraldEmbedded
import Testing

@testable import HeraldHCI

/// The scheduler's sets on the one set of a controller.
@Suite("Advertising sets that take turns")
struct AdvertisingSchedulerTests {
  typealias Scheduler = AdvertisingScheduler<2>

  /// Flags and the service UUID 0xFCF6 every 100 ms (0x00A0); flags and the name "H" every 250 ms (0x0190).
  static func twoSets() -> Scheduler {
    var scheduler = Scheduler()
    let service: [UInt8] = [2, 1, 6, 3, 3, 0xF6, 0xFC]
    let name: [UInt8] = [2, 1, 6, 2, 9, 0x48]
    scheduler.setTiming(0, interval: .milliseconds(100), share: 1, connectable: true)
    scheduler.setTiming(1, interval: .milliseconds(250), share: 1, connectable: true)
    scheduler.setData(0, service.span, scanResponse: [UInt8]().span)
    scheduler.setData(1, name.span, scanResponse: [UInt8]().span)
    scheduler.rotate(to: random("c6:05:04:03:02:01"))
    return scheduler
  }

  /// Carries the scheduler's wish out, as a node does. Returns the commands and how long it holds.
  static func show(_ scheduler: inout Scheduler, on bench: inout Bench) throws -> ([String], UInt32) {
    let plan = scheduler.next(at: bench.now, allowed: Scheduler.Allowance(connectable: true, any: true))
    if plan.changed, case .set(let set, let parameters) = plan.wish {
      try scheduler.start(set, parameters, on: &bench.radio)
    }
    return (bench.answerAll(), plan.deadline.since(bench.now).milliseconds)
  }

  @Test("Two sets with their own data and interval take turns, and a new address is shown by both")
  func turns() throws {
    let serviceData = "01082020" + "07" + "0201060303f6fc" + String(repeating: "00", count: 24)
    let nameData = "01082020" + "06" + "020106020948" + String(repeating: "00", count: 25)
    let every100 = "0106200f" + "a000a000" + "0001" + "00" + "000000000000" + "0700"
    let every250 = "0106200f" + "90019001" + "0001" + "00" + "000000000000" + "0700"
    let off = "010a200100"
    let on = "010a200101"
    var bench = Bench.ready()
    var scheduler = Self.twoSets()

    var (commands, pause) = try Self.show(&scheduler, on: &bench)
    #expect(commands == ["010520060102030405c6", every100, serviceData, on])
    #expect(pause == 400)
    bench.wait(pause)
    (commands, pause) = try Self.show(&scheduler, on: &bench)
    #expect(commands == [off, every250, nameData, on])
    #expect(pause == 1000)

    // In the middle of its turn the second set shows the new address, with its own data and interval.
    bench.wait(500)
    scheduler.rotate(to: random("c7:05:04:03:02:01"))
    (commands, pause) = try Self.show(&scheduler, on: &bench)
    #expect(commands == [off, "010520060102030405c7", on])
    #expect(pause == 500)
    // So does the first in its turn: the address was set, and is not set back.
    bench.wait(pause)
    (commands, pause) = try Self.show(&scheduler, on: &bench)
    #expect(commands == [off, every100, serviceData, on])
    #expect(pause == 400)
  }

  @Test("The same with the extended commands, whose set has an address of its own")
  func extended() throws {
    func parameters(_ interval: String) -> String {
      "01362019" + "00" + "1300" + interval + interval + "07" + "01" + "00" + "000000000000" + "00" + "7f"
        + "01" + "00" + "01" + "00" + "00"
    }
    let serviceData = "0137200b" + "00" + "03" + "01" + "07" + "0201060303f6fc"
    let nameData = "0137200a" + "00" + "03" + "01" + "06" + "020106020948"
    let off = "01392006" + "00" + "01" + "00" + "0000" + "00"
    let on = "01392006" + "01" + "01" + "00" + "0000" + "00"
    var bench = Bench.ready()
    bench.radio.session.support.isExtended = true
    bench.radio.session.support.takeCommands(ReconciliationTests.extendedCommands.span)
    var scheduler = Self.twoSets()

    var (commands, pause) = try Self.show(&scheduler, on: &bench)
    #expect(commands == [parameters("a00000"), "0135200700" + "0102030405c6", serviceData, on])
    bench.wait(pause)
    (commands, pause) = try Self.show(&scheduler, on: &bench)
    #expect(commands == [off, parameters("900100"), nameData, on])
    scheduler.rotate(to: random("c7:05:04:03:02:01"))
    (commands, pause) = try Self.show(&scheduler, on: &bench)
    #expect(commands == [off, "0135200700" + "0102030405c7", on])
    bench.wait(pause)
    (commands, pause) = try Self.show(&scheduler, on: &bench)
    #expect(commands == [off, parameters("a00000"), serviceData, on])
  }
}
