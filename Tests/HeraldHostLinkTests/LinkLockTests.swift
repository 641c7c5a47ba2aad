import Foundation
import Synchronization
import Testing

@testable import HeraldHostLink

@Suite("Whose turn it is to use a link")
struct LinkLockTests {
  @Test("A thread that has the link can take it again; who claims it gets it when it was given back as often")
  func nested() {
    let turn = LinkLock()
    turn.take()
    turn.take()
    turn.give()
    // Nobody claims it: this gives nothing away.
    turn.giveWay()
    turn.give()
    #expect(turn.claim(within: 0))
  }

  @Test("A thread that claims the link does not get it from one that keeps it")
  func kept() {
    let turn = LinkLock()
    turn.take()
    turn.take()
    let isClaimed = Mutex(true)
    let done = DispatchSemaphore(value: 0)
    Thread {
      isClaimed.withLock { $0 = turn.claim(within: 0) }
      done.signal()
    }.start()
    done.wait()
    #expect(!isClaimed.withLock { $0 })
    // It is in the middle of opening a session.
    turn.giveWay()
  }

  @Test(
    "A thread that waits for a response gives the link to who claims it, and waits until the process ends")
  func givenWay() {
    let turn = LinkLock()
    let hasTaken = DispatchSemaphore(value: 0)
    let gotFurther = Mutex(false)
    Thread {
      turn.take()
      hasTaken.signal()
      for _ in 0..<1_000_000 {
        turn.giveWay()
        sched_yield()
      }
      gotFurther.withLock { $0 = true }
    }.start()
    hasTaken.wait()
    #expect(turn.claim(within: 60))
    #expect(!gotFurther.withLock { $0 })
  }
}
