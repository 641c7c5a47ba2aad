import HeraldHostLink
import Synchronization
import Testing

@testable import HeraldArchive

@Suite("Work on all processors, whose results are taken in order")
struct ParallelMapTests {
  private func error(_ number: Int) -> HostLinkError { HostLinkError(.usage, "\(number)", advice: "") }

  @Test("The results come in the order of the elements, however long each takes")
  func order() throws {
    var taken: [Int] = []
    try parallelMap(Array(0..<500)) { number throws(HostLinkError) in
      // The earlier, the longer.
      var sum = 0
      for step in 0..<(500 - number) * 20 { sum &+= step }
      return sum > 0 ? number * 2 : 0
    } taking: { result throws(HostLinkError) in
      taken.append(result)
    }
    #expect(taken == (0..<500).map { $0 * 2 })
  }

  @Test("The error of the first element that has one is thrown, after the results of those before it")
  func failingElement() {
    var taken: [Int] = []
    let thrown = #expect(throws: HostLinkError.self) {
      try parallelMap(Array(0..<100)) { number throws(HostLinkError) in
        if number >= 40 { throw error(number) }
        return number
      } taking: { result throws(HostLinkError) in
        taken.append(result)
      }
    }
    #expect(thrown?.what == "40" && taken == Array(0..<40))
  }

  @Test("An error of what takes the results ends the work; nothing runs after it")
  func failingTaker() {
    let running = Atomic(0)
    var taken = 0
    let thrown = #expect(throws: HostLinkError.self) {
      try parallelMap(Array(0..<100)) { number throws(HostLinkError) in
        running.add(1, ordering: .relaxed)
        defer { running.subtract(1, ordering: .relaxed) }
        return number
      } taking: { result throws(HostLinkError) in
        if result == 7 { throw error(7) }
        taken += 1
      }
    }
    #expect(thrown?.what == "7" && taken == 7 && running.load(ordering: .relaxed) == 0)
  }

  @Test("No elements, no results")
  func none() throws {
    try parallelMap([Int]()) { number throws(HostLinkError) in
      number
    } taking: { _ throws(HostLinkError) in
      Issue.record("a result")
    }
  }
}
