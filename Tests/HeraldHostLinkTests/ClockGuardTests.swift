import HeraldSystem
import Testing

@testable import HeraldHostLink

/// Nobody's date is believed blindly: neither this computer's nor a device's.
@Suite("Clocks of devices")
struct ClockGuardTests {
  /// 2026-11-28T09:00:00Z.
  private let now: UInt64 = 1_795_856_400_000
  private let day: UInt64 = 86_400_000

  private func rules(
    _ computer: UInt64, _ state: ClockSynchronisation = .synchronised, insists: Bool = false
  ) -> ClockGuard {
    ClockGuard(insists: insists, now: { computer }, synchronisation: { state })
  }

  private func refusal(_ verdict: ClockGuard.Verdict) -> String? {
    guard case .refused(let error) = verdict, error.cause == .notConfirmed else { return nil }
    return error.what
  }

  @Test("A difference of more than a day is refused with both dates in words")
  func apart() {
    #expect(
      refusal(rules(now - 14 * day).verdict(device: now))
        == "this computer says 14 November, the badge 28 November: 14 days apart")
    #expect(
      refusal(rules(now + 60 * day).verdict(device: now))
        == "this computer says 27 January 2027, the badge 28 November 2026: 60 days apart")
    // A few seconds less, as when a command takes its time.
    #expect(refusal(rules(now - 14 * day + 9_000).verdict(device: now))?.hasSuffix("14 days apart") == true)
    #expect(
      refusal(rules(now).verdict(device: now + day + 1))
        == "this computer says 28 November 09:00 UTC, the badge 29 November 09:00 UTC: 1 d 0 h apart")
    #expect(rules(now).verdict(device: now + day) == .sets(remark: nil))
    #expect(rules(now).verdict(device: now - day) == .sets(remark: nil))
    // Another host has given the device a date that cannot be.
    #expect(refusal(rules(now).verdict(device: .max)) != nil)
    #expect(refusal(rules(now).verdict(device: 0)) != nil)
    #expect(refusal(rules(0).verdict(device: now)) != nil)
  }

  @Test("A second is no difference, and a device without a date gets one")
  func small() {
    #expect(rules(now).verdict(device: now + 1_000) == .agrees(remark: nil))
    #expect(rules(now).verdict(device: now + 1_001) == .sets(remark: nil))
    #expect(rules(now).verdict(device: nil) == .sets(remark: nil))
    #expect(rules(now, .unknown).verdict(device: now - 5_000) == .sets(remark: nil))
  }

  @Test("A computer that NTP does not keep is no better than a device with a date")
  func unsynchronised() {
    let here = rules(now, .unsynchronised)
    #expect(here.verdict(device: now + 60_000) == .agrees(remark: nil))
    #expect(
      refusal(here.verdict(device: now - 4_200_000))
        == "this computer says 28 November 09:00 UTC, the badge 28 November 07:50 UTC: 1 h 10 min apart; this computer's clock is not synchronised by NTP"
    )
    guard case .sets(let remark?) = here.verdict(device: nil) else {
      Issue.record("a device without a date is set, with a remark")
      return
    }
    #expect(remark.contains("not synchronised"))
  }

  @Test("A date behind records that are known is refused, also for a device without one")
  func records() {
    let pulled = ClockGuard.Records(ofDevice: now)
    #expect(
      refusal(rules(now - 14 * day).verdict(device: nil, records: pulled))
        == "there are records of this device of 28 November, and this computer says 14 November")
    #expect(
      refusal(rules(now - 14 * day).verdict(device: nil, records: .init(ofOthers: now)))
        == "there are records of other devices of 28 November, and this computer says 14 November")
    // The archive is ahead of both.
    let both = refusal(rules(now - 14 * day).verdict(device: now - 28 * day, records: pulled))
    #expect(both?.contains("the badge 31 October: 14 days apart; there are records of this device") == true)
    guard case .agrees(let remark?) = rules(now - 14 * day).verdict(device: now - 14 * day, records: pulled)
    else {
      Issue.record("nothing is set, and the records are named")
      return
    }
    #expect(remark.contains("28 November"))
    // Drift is no reason.
    #expect(
      rules(now).verdict(device: now + 9_000, records: .init(ofDevice: now + 9_000)) == .sets(remark: nil))
    #expect(refusal(rules(now).verdict(device: nil, records: .init(ofDevice: now + 3_600_001))) != nil)
  }

  @Test("A device whose former clock was wrong, and is right now, is not refused for its old records")
  func past() {
    let pulled = ClockGuard.Records(ofDevice: now + 60 * day)
    guard case .sets(let remark?) = rules(now).verdict(device: now + 5_000, records: pulled) else {
      Issue.record("set, with a remark")
      return
    }
    #expect(remark.contains("27 January 2027"))
    // One fast device among others does not decide for all.
    #expect(ClockGuard.Records.common(of: [now + 60 * day, now - day, now - 2 * day]) == now - day)
    #expect(ClockGuard.Records.common(of: [now]) == now)
    #expect(ClockGuard.Records.common(of: []) == nil)
  }

  @Test("A computer whose date is before the release of this program is not believed")
  func release() {
    // 2026-10-01.
    #expect(
      refusal(rules(1_790_812_800_000).verdict(device: nil))
        == "this computer's date is before 1 November 2026, the release of this program")
    #expect(refusal(rules(1_790_812_800_000).verdict(device: 1_790_812_800_000)) != nil)
  }

  @Test("With an override the clock is set, and the objection is reported")
  func insisting() {
    let here = rules(now - 14 * day, .unsynchronised, insists: true)
    guard case .sets(let remark?) = here.verdict(device: now, records: .init(ofOthers: now)) else {
      Issue.record("set, with a remark")
      return
    }
    #expect(remark.contains("--trust-clock") && remark.contains("14 days apart"))
  }

  /// A device that takes dates, and the bodies of the requests to set one.
  private final class Taker {
    let device = FakeDevice(pages: 3)
    var given: [[UInt8]] = []

    var client: DeviceClient {
      let transport = DirectTransport { [self] packet in
        if packet[0] & 7 == 2, packet[4...5].elementsEqual([0, 0]), packet[7] == 4 {
          given.append(Array(packet.dropFirst(8)))
          return [[packet[0] + 1, 0, 0, 1] + packet[4..<8] + [0xA0]]
        }
        return device.answer(packet)
      }
      return DeviceClient(
        SMPClient(
          transport: transport, timeouts: SMPClient.Timeouts(timeout: .milliseconds(1), attempts: 1)))
    }
  }

  @Test("A refusal sends nothing, and names the device, its pages and what to do")
  func client() throws {
    let taker = Taker()
    taker.device.unix = now
    let error = #expect(throws: HostLinkError.self) {
      try rules(now - 14 * day).setClock(of: taker.client)
    }
    #expect(
      error?.what
        == "the date of this computer is not given to test: this computer says 14 November, the badge 28 November: 14 days apart"
    )
    #expect(error?.advice?.hasPrefix("pull the 3 pages of its log before its clock changes; ") == true)
    #expect(error?.advice?.contains("--trust-clock") == true && error?.cause.exitStatus == 16)
    #expect(taker.given.isEmpty)
    #expect(try rules(now + 500).setClock(of: taker.client).isSet == false && taker.given.isEmpty)
    let outcome = try rules(now + 5_000).setClock(of: taker.client)
    #expect(outcome.isSet && outcome.before == now && outcome.computer == now + 5_000)
    #expect(
      taker.given == [[0xA1, 0x68] + Array("datetime".utf8) + [0x77] + Array("2026-11-28T09:00:05.000".utf8)])
  }
}
