import HeraldEmbedded
import Testing

@testable import HeraldHostLink

@Suite("Doctor: whether a device is on the air")
struct AirExaminationTests {
  /// 2026-11-22T10:00:00Z.
  private let now: UInt64 = 1_795_341_600_000

  private func finding(
    _ family: String, until: UInt64? = nil, keys: UInt32? = nil, days: UInt32? = nil,
    why: SimplePayloadStatus? = nil, hasDate: Bool = true
  ) -> Finding {
    DeviceExamination.payload(
      DevicePayload(family: family, until: until, keyCount: keys, daysLeft: days, reason: why, bytes: nil),
      date: hasDate ? now : nil, now)
  }

  @Test("a device that advertises nothing is a problem, each for its reason")
  func payload() {
    #expect(finding("fixed").verdict == .good)
    #expect(finding("none").what == "it advertises nothing: it has no payload")
    #expect(finding("none").verdict == .problem)
    let tomorrow = now / 1000 + 86_400
    #expect(finding("simple", until: tomorrow, hasDate: false).what.contains("does not know the date"))
    #expect(finding("simple", until: now / 1000).what.contains("its keys ended at 2026-11-22 10:00:00 UTC"))
    #expect(finding("simple", until: tomorrow).what.contains("no key for today"))
    for found in [
      finding("simple", until: tomorrow, hasDate: false), finding("simple", until: 1),
      finding("simple", until: tomorrow), finding("simple", until: .max),
    ] {
      #expect(found.verdict == .problem && found.advice != nil)
    }
    #expect(finding("simple", until: tomorrow, days: 1).verdict == .note)
    #expect(finding("simple", until: tomorrow, days: 7).verdict == .note)
    #expect(finding("simple", until: tomorrow, days: 8).verdict == .good)
  }

  @Test("what a device says of its keys is told: how many there are, and why it offers nothing")
  func keys() {
    let end = now / 1000 + 90 * 86_400
    let whole = finding("simple", until: end, keys: 90, days: 90)
    #expect(whole.verdict == .good)
    #expect(whole.what == "it offers a payload of the family simple, for 90 more days")
    let gap = finding("simple", until: end, keys: 29, days: 29)
    #expect(gap.verdict == .note && gap.advice != nil)
    #expect(
      gap.what
        == "it offers a payload of the family simple, for 29 more days; of the days until 2027-02-20 10:00:00 UTC 61 have no key"
    )
    #expect(
      finding("simple", until: end, keys: 29, why: .keyMissing).what
        == "it advertises nothing: its key of today is erased or damaged; it has 29 keys of later days, until 2027-02-20 10:00:00 UTC"
    )
    let reasons: [(SimplePayloadStatus, String)] = [
      (.noKeys, "it has no keys"), (.noDate, "it has keys for certain days, and does not know the date"),
      (.beforeWindow, "is still to come by its clock"),
      (.windowEnded, "its keys ended at 2027-02-20 10:00:00"),
      (.pastEnd, "ended 2001 days after its epoch"),
    ]
    for (why, words) in reasons {
      let found = finding("simple", until: end, keys: 0, why: why)
      #expect(found.verdict == .problem && found.advice != nil && found.what.contains(words))
    }
  }

  @Test("failures of the radio and commands without answers are problems")
  func radio() {
    func radio(
      _ events: UInt64, _ timeouts: UInt64, _ failures: UInt64, _ errors: UInt64, uptime: UInt64 = 61_000
    )
      -> Finding?
    {
      DeviceExamination.radio(
        [
          ("events", events), ("command_timeouts", timeouts), ("failures", failures),
          ("hardware_errors", errors),
        ], uptime: uptime)
    }
    #expect(radio(9, 0, 0, 0)?.verdict == .good)
    #expect(radio(0, 0, 0, 0, uptime: 60_000)?.verdict == .good)
    #expect(radio(0, 0, 0, 0)?.what.contains("does not work") == true)
    #expect(
      radio(9, 2, 1, 0)?.what
        == "its radio failed once, left a command without an answer 2 times since the device started")
    #expect(radio(9, 2, 0, 0)?.verdict == .problem)
    #expect(radio(9, 0, 0, 1)?.verdict == .problem)
    #expect(DeviceExamination.radio([("events", 1)], uptime: 1) == nil)
  }
}
