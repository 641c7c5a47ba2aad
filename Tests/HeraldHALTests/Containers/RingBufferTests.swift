import HeraldHAL
import TestInputs
import Testing

@Suite("RingBuffer")
struct RingBufferTests {
  @Test("An empty queue gives nothing")
  func empty() {
    var queue = RingBuffer<UInt8, 4>(filler: 0xEE)
    #expect(queue.isEmpty && !queue.isFull && queue.count == 0)
    let popped = queue.popFirst()
    #expect(popped == nil)
    #expect(queue.first == nil && queue.last == nil && queue[0] == nil && queue[-1] == nil)
  }

  @Test("A full queue hands the element back and stays as it was")
  func full() {
    var queue = RingBuffer<UInt8, 3>(filler: 0)
    for value in UInt8(1)...3 {
      let rejected = queue.append(value)
      #expect(rejected == nil)
    }
    let isFull = queue.isFull
    #expect(isFull)
    let rejected = queue.append(9)
    #expect(rejected == 9)
    #expect(queue[0] == 1 && queue[1] == 2 && queue[2] == 3 && queue[3] == nil)
  }

  @Test("A queue of capacity 0 hands everything back")
  func noCapacity() {
    var queue = RingBuffer<UInt8, 0>(filler: 0)
    let rejected = queue.append(1)
    #expect(rejected == 1 && queue.count == 0)
  }

  @Test("Order is kept across every wrap-around")
  func wrapAround() {
    for start in 0..<7 {
      var queue = RingBuffer<Int, 7>(filler: -1)
      for _ in 0..<start {
        queue.append(0)
        _ = queue.popFirst()
      }
      for value in 0..<7 { queue.append(value) }
      for value in 0..<7 {
        let popped = queue.popFirst()
        #expect(popped == value)
      }
    }
  }

  @Test("A ring buffer behaves like an array that is cut at both ends")
  func model() {
    var random = SplitMix64(seed: 1)
    var queue = RingBuffer<UInt32, 5>(filler: 0)
    var model: [UInt32] = []
    for step in 0..<50_000 {
      let value = UInt32(step)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        let rejected = queue.append(value)
        if model.count < 5 { model.append(value) } else { #expect(rejected == value) }
      case 5..<9:
        let popped = queue.popFirst()
        #expect(popped == (model.isEmpty ? nil : model.removeFirst()))
      default:
        if step % 50 == 0 {
          queue.removeAll()
          model.removeAll()
        }
      }
      let index = Int.random(in: -1...5, using: &random)
      guard queue.count == model.count, queue.first == model.first, queue.last == model.last,
        queue[index] == (model.indices.contains(index) ? model[index] : nil)
      else {
        Issue.record("differs from its model at step \(step)")
        return
      }
    }
  }
}
