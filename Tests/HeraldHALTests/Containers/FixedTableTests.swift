import HeraldHAL
import TestInputs
import Testing

@Suite("FixedTable")
struct FixedTableTests {
  private func place<let capacity: Int>(_ insertion: FixedTable<UInt16, capacity>.Insertion) -> Int? {
    if case .inserted(let place) = insertion { place } else { nil }
  }

  @Test("An empty table gives nothing, at no place")
  func empty() {
    var table = FixedTable<UInt16, 3>(filler: 7)
    let removed = table.remove(at: 0)
    #expect(table.isEmpty && !table.isFull && removed == nil)
    #expect(table[0] == nil && table[-1] == nil && table[3] == nil)
  }

  @Test("A full table hands the element back and stays as it was")
  func full() {
    var table = FixedTable<UInt16, 2>(filler: 0)
    _ = table.insert(10)
    _ = table.insert(11)
    guard case .full(let back) = table.insert(12) else {
      Issue.record("took a third element")
      return
    }
    #expect(back == 12 && table.isFull && table[0] == 10 && table[1] == 11)
  }

  @Test("A freed place is used again, the others keep theirs")
  func reuse() {
    var table = FixedTable<UInt16, 3>(filler: 0)
    for value in UInt16(1)...3 { _ = table.insert(value) }
    let removed = table.remove(at: 1)
    #expect(removed == 2 && table[1] == nil && table.count == 2)
    let taken = place(table.insert(4))
    #expect(taken == 1 && table[0] == 1 && table[1] == 4 && table[2] == 3)
  }

  @Test("Setting a free place does nothing, setting nil removes")
  func subscripts() {
    var table = FixedTable<UInt16, 2>(filler: 0)
    table[0] = 5
    #expect(table.count == 0)
    _ = table.insert(6)
    table[0] = 7
    #expect(table[0] == 7)
    table[0] = nil
    #expect(table.isEmpty && table[0] == nil)
  }

  @Test("A table behaves like an array of optionals")
  func model() {
    var random = SplitMix64(seed: 2)
    var table = FixedTable<UInt16, 6>(filler: 0)
    var model: [UInt16?] = Array(repeating: nil, count: 6)
    for step in 0..<50_000 {
      let value = UInt16(truncatingIfNeeded: step)
      let index = Int.random(in: -1...6, using: &random)
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<50:
        let taken = place(table.insert(value))
        let expected = model.firstIndex(of: nil)
        #expect(taken == expected)
        if let expected { model[expected] = value }
      case 50..<98:
        let removed = table.remove(at: index)
        #expect(removed == (model.indices.contains(index) ? model[index] : nil))
        if model.indices.contains(index) { model[index] = nil }
      default:
        table.removeAll()
        model = Array(repeating: nil, count: 6)
      }
      guard table.count == model.count(where: { $0 != nil }), (0..<6).allSatisfy({ table[$0] == model[$0] })
      else {
        Issue.record("differs from its model at step \(step)")
        return
      }
    }
  }
}
