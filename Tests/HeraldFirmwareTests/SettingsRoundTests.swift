import HeraldBluetooth
import HeraldDeviceLink
import HeraldEmbedded
import HeraldFirmware
import HeraldHAL
import HeraldHCI
import HeraldSimulation
import Testing

/// An idle link.
private struct QuietLinks: ManagementLinks {
  mutating func serve<Device: ManagedDevice & ~Copyable>(at now: Instant, device: inout Device) -> Instant {
    .never
  }
}

@Suite("Settings in the main loop")
struct SettingsRoundTests {
  private let events = Events()
  private let words = Words()

  private func log(pages: Int = 3) -> FlashImage {
    FlashImage(pageSize: 1024, pageCount: pages, wordSize: 4)
  }
  private let kept = FlashImage(pageSize: 128, pageCount: 2, wordSize: 4)

  private func device(_ log: FlashImage, _ kept: FlashImage, seed: UInt32 = 0) -> TestNode {
    events.now = 0
    return TestNode(
      radio: HCIRadio(transport: SilentTransport(events: events)), flash: MemoryFlash(log),
      random: CountedRandom(count: seed),
      supplier: FixedPayloadSupplier(country: 1, state: 2, clientIdentifier: 3), delegate: NoDelegate(),
      board: Firmware(
        hardware: TestHardware(events: events), memory: words.memory, settings: MemoryFlash(kept), hint: nil))
  }

  private func run(_ device: inout TestNode, rounds: Int) {
    var links = QuietLinks()
    for _ in 0..<rounds { device.round(serving: &links) }
  }

  private func bytes(_ key: IdentityResolvingKey) -> [UInt8] { (0..<16).map { key.bytes[$0] } }

  private func counter(_ name: String, of device: inout TestNode) -> UInt32? {
    for index in 0..<TestNode.statisticsCount(group: 3)
    where "\(TestNode.statisticName(group: 3, index))" == name {
      return device.statistic(group: 3, index)
    }
    return nil
  }

  @Test func theIdentityKeyIsMadeOnceAndStaysOverRestarts() {
    let log = log()
    var first = device(log, kept, seed: 7)
    run(&first, rounds: 3)
    let made = bytes(first.node.core.key)
    #expect(Array(kept.bytes[128 + 16..<128 + 32]) == made)
    var second = device(log, kept, seed: 99)
    run(&second, rounds: 3)
    #expect(bytes(second.node.core.key) == made)
    // One the program was given stays.
    var given = device(log, kept)
    given.node.core.key.bytes[0] = 5
    run(&given, rounds: 3)
    #expect(bytes(given.node.core.key) == [5] + Array(repeating: 0, count: 15))
  }

  @Test func theRetentionThatAHostSetStaysOverRestartsAndPowerCutsLeaveOldOrNew() {
    let log = log()
    var first = device(log, kept)
    run(&first, rounds: 2)
    check(first.logStatus().keptDays == 14 && first.keep(.keepDays, value: 90, at: .start))
    check(first.logStatus().keptDays == 90)
    for tearing in [FlashImage.Tearing.nothing, .some(seed: 5), .all] {
      for steps in 0..<51 {
        let torn = kept.copy()
        var writing = device(log.copy(), torn)
        run(&writing, rounds: 2)
        let key = bytes(writing.node.core.key)
        torn.cutPower(afterSteps: steps, tearing: tearing)
        let isKept = writing.keep(.keepDays, value: 30, at: .start)
        #expect(isKept == (writing.logStatus().keptDays == 30))
        torn.restorePower()
        var next = device(log.copy(), torn)
        run(&next, rounds: 2)
        let days = next.logStatus().keptDays
        #expect(days == 30 || (days == 90 && !isKept), "\(tearing) after \(steps) steps")
        #expect(bytes(next.node.core.key) == key)
      }
    }
  }

  @Test func damagedSettingsAreCountedAndTheDeviceStarts() {
    let log = log()
    var first = device(log, kept, seed: 7)
    run(&first, rounds: 2)
    check(first.keep(.keepDays, value: 90, at: .start))
    let before = bytes(first.node.core.key)
    kept.bytes[20] ^= 0x10
    var second = device(log, kept, seed: 99)
    run(&second, rounds: 3)
    check(counter("settings_damaged", of: &second) == 1 && counter("settings_errors", of: &second) == 0)
    check(second.logStatus().keptDays == 14 && second.logStatus().boot == 2)
    #expect(bytes(second.node.core.key) != before)
    kept.brokenPages = [0, 1]
    check(!second.keep(.keepDays, value: 3, at: .start) && counter("settings_errors", of: &second) == 1)
    check(second.logStatus().keptDays == 14)
  }

  @Test func aFactoryResetIsEndedWheneverThePowerGoes() {
    let log = log()
    var used = device(log, kept, seed: 7)
    run(&used, rounds: 5)
    check(used.keep(.keepDays, value: 90, at: .start))
    used.node.core.log.commit()
    // A note of two words in the settings, three pages of the log, two pages of settings.
    for tearing in [FlashImage.Tearing.nothing, .some(seed: 11), .all] {
      for cut in 0..<7 {
        let logImage = log.copy()
        let keptImage = kept.copy()
        var device = device(logImage, keptImage)
        run(&device, rounds: 2)
        if cut < 2 {
          keptImage.cutPower(afterSteps: cut, tearing: tearing)
        } else if cut < 5 {
          logImage.cutPower(afterSteps: cut - 2, tearing: tearing)
        } else {
          keptImage.cutPower(afterSteps: cut - 3, tearing: tearing)
        }
        let isBegun = device.beginFactoryReset()
        #expect(isBegun == (cut >= 2))
        for _ in 0..<8 where logImage.hasPower && keptImage.hasPower {
          let before = (logImage.erasures + keptImage.erasures).reduce(0, +)
          run(&device, rounds: 1)
          #expect((logImage.erasures + keptImage.erasures).reduce(0, +) - before <= 1, "an erasure a round")
        }
        logImage.restorePower()
        keptImage.restorePower()
        let restarts = events.restarts
        var next = self.device(logImage, keptImage, seed: 50)
        run(&next, rounds: 1)
        let goesOn = next.factoryReset().total > 0
        #expect(goesOn || cut < 2 || cut == 6, "\(tearing) at \(cut)")
        guard goesOn else {
          // Either as it was, or as new: a last page that was half erased is nobody's.
          check(next.logStatus().keptDays == (cut < 2 ? 90 : 14))
          continue
        }
        run(&next, rounds: 7)
        #expect((logImage.bytes + keptImage.bytes).allSatisfy { $0 == 0xFF }, "\(tearing) at \(cut)")
        run(&next, rounds: 50)
        #expect(events.restarts > restarts)
        #expect((logImage.bytes + keptImage.bytes).allSatisfy { $0 == 0xFF })
        // The new life.
        var fresh = self.device(logImage, keptImage, seed: 1)
        run(&fresh, rounds: 3)
        check(fresh.factoryReset().total == 0 && fresh.logStatus().boot == 1)
        check(fresh.logStatus().keptDays == 14 && !fresh.node.core.key.isNone)
      }
    }
  }

  @Test func aDeviceThatErasesForMinutesMakesProgress() {
    let log = log(pages: 200)
    var device = device(log, kept)
    run(&device, rounds: 2)
    check(device.beginFactoryReset())
    // A second for each page, and never a rest.
    events.busy = 1_000
    run(&device, rounds: 200)
    check(device.factoryReset().done == 200)
    #expect(events.now > 200_000)
    check(counter("watchdog_withheld", of: &device) == 0)
  }
}

/// `#expect` for calls on values that cannot leave their scope, which the macro would capture.
private func check(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(condition, sourceLocation: sourceLocation)
}
