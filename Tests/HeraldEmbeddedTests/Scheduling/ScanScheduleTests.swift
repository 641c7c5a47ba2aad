import HeraldEmbedded
import HeraldHAL
import Testing

private func milliseconds(_ value: UInt64) -> Instant { Instant(milliseconds: value) }
private func seconds(_ value: UInt64) -> Instant { Instant(milliseconds: 1000 * value) }

@Suite("Scan schedule")
struct ScanScheduleTests {
  @Test("Scans from the start and without a rest by default")
  func always() {
    var schedule = ScanSchedule(ScanTiming())
    #expect(schedule.next(at: .start, blocked: false).scan)
    #expect(schedule.next(at: milliseconds(3_600_000), blocked: false).scan)
  }

  @Test("HP-24 A rest longer than the guarantee allows is cut")
  func rests() {
    var schedule = ScanSchedule(ScanTiming(on: .seconds(4), off: .minutes(5)))
    var now: UInt64 = 0
    var lastOn: UInt64 = 0
    while now < 600_000 {
      let plan = schedule.next(at: milliseconds(now), blocked: false)
      if plan.scan {
        lastOn = now
      } else {
        #expect(plan.deadline.milliseconds - lastOn <= 34_000)
      }
      #expect(plan.deadline > milliseconds(now))
      now = plan.deadline.milliseconds
    }
  }

  @Test("HP-24 Attempts that block the radio one after another leave a scan in every 30 s")
  func attempts() {
    var schedule = ScanSchedule(ScanTiming())
    var now: UInt64 = 0
    var lastScanEnd: UInt64 = 0
    var attempts = 0
    while now < 3_600_000 {
      // Attempt for as long as allowed (8 s at most), whenever allowed.
      if let limit = schedule.attemptLimit(at: milliseconds(now)), now > 0 {
        _ = schedule.next(at: milliseconds(now), blocked: true)
        now = min(limit.milliseconds, now + 8_000)
        attempts += 1
        continue
      }
      #expect(now - lastScanEnd <= 30_000)
      let plan = schedule.next(at: milliseconds(now), blocked: false)
      #expect(plan.scan)
      now = min(plan.deadline.milliseconds, now + 2_000)
      _ = schedule.next(at: milliseconds(now), blocked: false)
      lastScanEnd = now
    }
    #expect(attempts > 300)
  }

  /// Scans for 4 s, rests for 20: has scanned from 10 s to 14 s and begins again at 34 s.
  private func secondScan() -> ScanSchedule {
    var schedule = ScanSchedule(ScanTiming(on: .seconds(4), off: .seconds(20)))
    for (moment, scan, deadline) in [(10, true, 14), (14, false, 34), (34, true, 38)]
      as [(
        UInt64, Bool, UInt64
      )]
    {
      let plan = schedule.next(at: seconds(moment), blocked: false)
      #expect(plan.scan == scan && plan.deadline == seconds(deadline), "\(moment) s")
    }
    return schedule
  }

  @Test("HP-24 After a scan that was cut short the rest ends 29 s after the last scan that counts")
  func guarantee() {
    var schedule = secondScan()
    let blocked = schedule.next(at: seconds(35), blocked: true)
    #expect(!blocked.scan && blocked.deadline == .never)
    // A rest of 20 s would end at 56 s.
    let resting = schedule.next(at: seconds(36), blocked: false)
    #expect(!resting.scan && resting.deadline == seconds(43))
    let early = schedule.next(at: seconds(42), blocked: false)
    let due = schedule.next(at: seconds(43), blocked: false)
    #expect(!early.scan && due.scan && due.deadline == seconds(47))
  }

  @Test("No attempt to connect begins in the first two seconds of a scan, and later ones last 29 s at most")
  func attemptInScan() {
    var schedule = secondScan()
    let first = schedule.attemptLimit(at: seconds(35))
    let second = schedule.attemptLimit(at: seconds(36))
    #expect(first == nil && second == seconds(65))
  }

  @Test("While resting, an attempt begins if two seconds are left of the 29 since the last scan")
  func lateAttempts() {
    var schedule = ScanSchedule(ScanTiming(on: .seconds(4), off: .seconds(29)))
    _ = schedule.next(at: seconds(10), blocked: false)
    _ = schedule.next(at: seconds(14), blocked: false)
    let last = schedule.attemptLimit(at: seconds(41))
    let late = schedule.attemptLimit(at: milliseconds(41_001))
    #expect(last == seconds(43) && late == nil)
  }
}
