import Testing

@testable import HeraldSimulation

@Suite("Queue of the air's events")
struct AirQueueTests {
  private func taken(_ times: [UInt64]) -> [Int32] {
    var queue = AirQueue()
    for (index, time) in times.enumerated() {
      queue.add(AirEvent(time: time, order: 0, kind: .poll, channel: 0, index: Int32(index), token: 0))
    }
    return times.map { _ in queue.takeNext().index }
  }

  @Test("Events happen in the order of their times, those of one time in the order in which they were added")
  func order() {
    #expect(taken([5, 5, 5, 5, 5]) == [0, 1, 2, 3, 4])
    #expect(taken([9, 3, 9, 1, 3, 9, 1]) == [3, 6, 1, 4, 0, 2, 5])
  }
}
