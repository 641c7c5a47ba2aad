import HeraldHAL
import Testing

@testable import HeraldEmbedded

@Suite("The arrival of a crowd")
struct CrowdArrivalTests {
  private func note(_ count: Int, _ crowd: inout CrowdArrival) {
    for _ in 0..<count { crowd.note() }
  }

  @Test("Six payloads in one round are a crowd, once")
  func six() {
    var crowd = CrowdArrival()
    note(5, &crowd)
    var starts = crowd.takeStart(at: .start)
    #expect(!starts)
    note(1, &crowd)
    starts = crowd.takeStart(at: .start)
    #expect(starts)
    starts = crowd.takeStart(at: .start)
    #expect(!starts)
  }

  @Test("Among many peers that are known, half as many payloads are no crowd")
  func known() {
    var crowd = CrowdArrival()
    crowd.note(known: 100)
    note(49, &crowd)
    var starts = crowd.takeStart(at: .start)
    #expect(!starts)
    note(1, &crowd)
    starts = crowd.takeStart(at: .start)
    #expect(starts)
  }

  @Test("Payloads of different rounds are no crowd")
  func rounds() {
    var crowd = CrowdArrival()
    note(5, &crowd)
    crowd.beginRound()
    note(5, &crowd)
    let starts = crowd.takeStart(at: .start)
    #expect(!starts)
  }

  @Test("Any number of payloads is counted")
  func many() {
    var crowd = CrowdArrival()
    note(1000, &crowd)
    let starts = crowd.takeStart(at: .start)
    #expect(starts)
  }

  @Test("There are four starts in succession, then one in 15 minutes")
  func limit() {
    var crowd = CrowdArrival()
    var starts = 0
    for second in 0..<(4 * 3600) {
      note(6, &crowd)
      if crowd.takeStart(at: .start + .seconds(UInt32(second))) { starts += 1 }
    }
    // 16 quarters of an hour, the first of which is complete at its end.
    #expect(starts == 4 + 15)
  }
}
