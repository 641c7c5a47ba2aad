import HeraldHAL
import TestInputs
import Testing

@testable import HeraldEmbedded

@Suite("Key of one day")
struct DayKeyStoreTests {
  @Test("A key is there on its day alone, and is wiped from memory when the day is over")
  func wiping() {
    var store = DayKeyStore()
    store.begin(firstDay: 10, dayCount: 3)
    store.take(.init(repeating: 0xA5), isThere: true, ofDay: 11)
    var key: [32 of UInt8] = .init(repeating: 0)
    let isThereBefore = store.copyKey(ofDay: 10, into: &key)
    store.wipeKeys(before: 11)
    let isThere = store.copyKey(ofDay: 11, into: &key)
    #expect(!isThereBefore && isThere)
    #expect(key.array == [UInt8](repeating: 0xA5, count: 32))
    store.wipeKeys(before: 12)
    let isThereAfter = store.copyKey(ofDay: 11, into: &key)
    let isInMemory = withUnsafeBytes(of: &store) { $0.contains(0xA5) }
    #expect(!isThereAfter && !isInMemory)
    let (isWipeDue, daysOver) = (store.isWipeDue, store.daysOver)
    #expect(isWipeDue && daysOver == 2)
    store.noteWiped()
    store.wipeKeys(before: 12)
    let isDueAgain = store.isWipeDue
    #expect(!isDueAgain)
  }
}
