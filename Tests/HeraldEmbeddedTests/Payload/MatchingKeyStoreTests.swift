import HeraldEmbedded
import Testing

/// `count` keys, each filled with its number, from 1 on.
private func numberedKeys(_ count: Int) -> [UInt8] {
  (1...count).flatMap { [UInt8](repeating: UInt8($0), count: 32) }
}

private func keyByte<let days: Int>(_ store: inout InlineMatchingKeys<days>, _ day: Int) -> UInt8? {
  var key: [32 of UInt8] = .init(repeating: 0)
  guard store.copyKey(ofDay: day, into: &key) else { return nil }
  return key[0] == key[31] ? key[0] : nil
}

/// Whether any byte of the value in memory is one of those given.
private func holds<let days: Int>(_ store: inout InlineMatchingKeys<days>, anyOf bytes: Set<UInt8>) -> Bool {
  withUnsafeBytes(of: &store) { memory in memory.prefix(days * 32).contains { bytes.contains($0) } }
}

@Suite("Matching keys in RAM")
struct MatchingKeyStoreTests {
  @Test("Keys come back by their day, and there are none outside the window")
  func window() throws {
    var store = InlineMatchingKeys<4>()
    #expect(keyByte(&store, 0) == nil)
    try store.provide(firstDay: 100, keys: numberedKeys(4).span)
    #expect(store.firstDay == 100)
    #expect(store.dayCount == 4)
    #expect((99...104).map { keyByte(&store, $0) } == [nil, 1, 2, 3, 4, nil])
    #expect(keyByte(&store, .max) == nil)
    #expect(keyByte(&store, .min) == nil)
  }

  @Test("A key that was used is wiped from memory when its day is over, and does not come back; others stay")
  func wiping() throws {
    var store = InlineMatchingKeys<4>()
    try store.provide(firstDay: 100, keys: numberedKeys(4).span)
    store.wipeKeys(before: .max)
    for byte in 1...4 as ClosedRange<UInt8> { #expect(holds(&store, anyOf: [byte])) }
    #expect((100...101).map { keyByte(&store, $0) } == [1, 2])
    store.wipeKeys(before: 100)
    #expect(holds(&store, anyOf: [1]))
    store.wipeKeys(before: 102)
    #expect((99...104).map { keyByte(&store, $0) } == [nil, nil, nil, 3, 4, nil])
    #expect(!holds(&store, anyOf: [1, 2]))
    #expect(holds(&store, anyOf: [3]))
    store.wipeKeys(before: 50)
    #expect(keyByte(&store, 102) == 3)
    let missing = (99...104).filter { store.isMissing($0) }
    #expect(missing == [100, 101])
    store.wipeKeys(before: .max)
    #expect(!holds(&store, anyOf: [1, 2, 3, 4]))
    #expect(store.dayCount == 4)
  }

  @Test("A new window replaces the old one as a whole")
  func replacing() throws {
    var store = InlineMatchingKeys<4>()
    try store.provide(firstDay: 100, keys: numberedKeys(4).span)
    store.wipeKeys(before: 103)
    try store.provide(firstDay: 0, keys: numberedKeys(1).span)
    #expect((0...2).map { keyByte(&store, $0) } == [1, nil, nil])
    #expect(!holds(&store, anyOf: [2, 3, 4]))
    store.wipeAll()
    #expect(store.dayCount == 0)
    #expect(keyByte(&store, 0) == nil)
    #expect(!holds(&store, anyOf: [1]))
  }

  @Test("What is refused says why and changes nothing")
  func refusals() throws {
    var store = InlineMatchingKeys<4>()
    try store.provide(firstDay: 7, keys: numberedKeys(2).span)
    func error(_ firstDay: Int, _ keys: [UInt8]) -> KeyScheduleError? {
      do throws(KeyScheduleError) {
        try store.provide(firstDay: firstDay, keys: keys.span)
        return nil
      } catch {
        return error
      }
    }
    #expect(error(0, []) == .emptyWindow)
    #expect(error(-1, numberedKeys(1)) == .emptyWindow)
    #expect(error(0, numberedKeys(5)) == .bufferTooSmall)
    #expect(error(0, Array(numberedKeys(2).dropLast())) == .keyLength)
    #expect(error(0, numberedKeys(1) + [UInt8](repeating: 0, count: 32)) == .zeroKey)
    #expect(error(2000, numberedKeys(2)) == .pastEnd)
    #expect(error(.max, numberedKeys(2)) == .pastEnd)
    #expect((6...9).map { keyByte(&store, $0) } == [nil, 1, 2, nil])
    #expect(error(1999, numberedKeys(2)) == nil)
    #expect(keyByte(&store, 2000) == 2)
  }
}
