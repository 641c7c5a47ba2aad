import HeraldHAL
import Testing

@testable import HeraldLinkLayer

@Suite("Payloads between the execution levels")
struct PayloadQueueTests {
  private func bytes(_ payload: DataPayload) -> [UInt8] { (0..<Int(payload.count)).map { payload.bytes[$0] } }

  private func append(_ number: UInt8, to queue: inout OutgoingPayloads) -> Bool {
    let payload = [number, 7]
    return queue.append(payload.span, isStart: number & 1 == 1)
  }

  @Test("Three payloads wait to be transmitted; the interrupt sees them when they are published")
  func outgoing() {
    var queue = OutgoingPayloads()
    for number in 1...3 as ClosedRange<UInt8> { #expect(append(number, to: &queue)) }
    #expect(!append(4, to: &queue))
    #expect(queue.count == 3 && queue.waiting == 0)
    queue.publish()
    #expect(queue.waiting == 3 && bytes(queue.first) == [1, 7] && queue.first.isStart)
    queue.removeFirst()
    #expect(queue.count == 2 && queue.waiting == 2 && bytes(queue.first) == [2, 7] && !queue.first.isStart)
    // The place of the first is free before the second was transmitted.
    #expect(append(4, to: &queue))
    #expect(!append(5, to: &queue))
    #expect(queue.count == 3 && queue.waiting == 2)
  }

  @Test(
    "A thousand payloads pass in order, whatever number of them waits", arguments: 1...3 as ClosedRange<Int>)
  func order(depth: Int) {
    var queue = OutgoingPayloads()
    var next: UInt8 = 0
    for number in 0..<1000 {
      while Int(queue.count) < depth {
        #expect(append(next, to: &queue))
        next &+= 1
      }
      queue.publish()
      #expect(Int(queue.waiting) == depth)
      #expect(bytes(queue.first) == [UInt8(truncatingIfNeeded: number), 7])
      queue.removeFirst()
    }
  }

  @Test("Six received payloads are stored; a place is used again when it was released")
  func incoming() {
    var queue = IncomingPayloads()
    var next: UInt8 = 0
    func receive() {
      let pdu = [2, 2, next, 9]
      queue.append(pdu.span, isStart: next & 1 == 0, of: 3)
      next &+= 1
    }
    for number in 0..<500 {
      while !queue.isFull { receive() }
      #expect(Int(next) == (number + 6) & 0xFF)
      guard let payload = queue.take() else {
        Issue.record("nothing")
        return
      }
      #expect(bytes(payload) == [UInt8(truncatingIfNeeded: number), 9])
      #expect(payload.connection == 3 && payload.isStart == (number & 1 == 0))
      #expect(queue.isFull)
      queue.release()
      #expect(!queue.isFull)
    }
    for _ in 0..<5 { #expect(queue.take() != nil) }
    #expect(queue.take() == nil && queue.isEmpty)
    queue.release()
    receive()
    queue.removeAll()
    #expect(queue.isEmpty && queue.take() == nil)
  }
}
