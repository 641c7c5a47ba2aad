import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import Testing

/// A store, the peers whose payloads are in it, and the peer that is to be told.
private final class StoreModel {
  var store = SharingStore()
  var table = TargetTable<64>()
  var now = Instant.start
  /// The iPhone that is told; it has the payload FE FF.
  private(set) var listener = -1

  init() { listener = meet(0xFFFF, [0xFE, 0xFF]) }

  /// A peer with this payload was heard at `second`.
  @discardableResult
  func meet(_ number: UInt32, _ payload: [UInt8], at second: UInt64 = 0) -> Int {
    let at = Instant(milliseconds: second * 1000)
    let address = DeviceAddress(high: 0x4000, low: number, kind: .random)
    let known = table.find(TargetIdentity(address))
    guard let place = known ?? table.insert(TargetIdentity(address), address: address, at: at) else {
      Issue.record("no place for \(number)")
      return 0
    }
    table.touch(place, at: at)
    table[place].system = .iOS
    table[place].payloadDigest = PayloadDigest.of(payload.span)
    store.keep(payload.span, of: place, in: &table, at: now)
    return place
  }

  /// What a peer is told at `second`, into a buffer of `room` bytes.
  func tell(_ place: Int? = nil, at second: UInt64, room: Int = 510) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xEE, count: room)
    var span = bytes.mutableSpan
    let count = store.compose(
      for: place ?? listener, in: &table, at: Instant(milliseconds: second * 1000), into: &span)
    return Array(bytes[0..<count])
  }
}

@Suite("SharingStore")
struct SharingStoreTests {
  @Test("HP-42 Payloads heard last come first; the receiver's own is not among them, and nothing is nothing")
  func order() {
    let shelf = StoreModel()
    #expect(shelf.tell(at: 1) == [])
    shelf.meet(1, [0x11, 0x12], at: 1)
    shelf.meet(2, [0x21], at: 2)
    shelf.meet(3, [0x31, 0x32, 0x33], at: 3)
    #expect(shelf.tell(at: 4) == [0x31, 0x32, 0x33, 0x21, 0x11, 0x12])
    let other = shelf.meet(1, [0x11, 0x12], at: 5)
    #expect(shelf.tell(other, at: 6) == [0x31, 0x32, 0x33, 0x21, 0xFE, 0xFF])
  }

  @Test("HP-42 What a peer has not been told of comes first, whenever it was heard; each peer by itself")
  func untoldFirst() {
    let shelf = StoreModel()
    shelf.meet(1, [0x11], at: 1)
    shelf.meet(2, [0x21], at: 20)
    #expect(shelf.tell(at: 21, room: 1) == [0x21])
    #expect(shelf.tell(at: 36, room: 1) == [0x11])
    #expect(shelf.tell(at: 51, room: 1) == [0x21])  // all told: the one heard last again
    let second = shelf.meet(9, [0x91], at: 52)
    #expect(shelf.tell(second, at: 53) == [0x21, 0x11, 0xFE, 0xFF])
    #expect(shelf.tell(at: 53) == [0x91, 0x21, 0x11])
  }

  @Test("HP-42 The first payload that does not fit ends the list, even if a later one would fit")
  func noSkipping() {
    let shelf = StoreModel()
    shelf.meet(1, [0x11], at: 1)
    shelf.meet(2, [0x21, 0x22, 0x23], at: 2)
    shelf.meet(3, [0x31, 0x32], at: 3)
    #expect(shelf.tell(at: 4, room: 4) == [0x31, 0x32])
    #expect(shelf.tell(at: 4, room: 2) == [])  // now 21 22 23 comes first
  }

  @Test("HP-42 A payload is passed on for five minutes after its owner was heard last")
  func expiry() {
    let shelf = StoreModel()
    let place = shelf.meet(1, [0x11], at: 0)
    #expect(shelf.tell(at: 300) == [0x11])
    #expect(shelf.tell(at: 301) == [])
    shelf.table.touch(place, at: Instant(milliseconds: 302_000))
    #expect(shelf.tell(at: 602) == [0x11])
  }

  @Test("HP-42 510 bytes in all: those whose owners were heard longest ago make room")
  func bytesFull() {
    let shelf = StoreModel()
    func block(_ byte: UInt8, _ count: Int) -> [UInt8] { [UInt8](repeating: byte, count: count) }
    shelf.table.remove(shelf.listener)
    shelf.meet(1, block(0x11, 200), at: 1)
    let second = shelf.meet(2, block(0x22, 200), at: 2)
    let first = shelf.meet(1, block(0x11, 200), at: 3)
    shelf.meet(3, block(0x33, 110), at: 4)
    let listener = shelf.meet(9, [], at: 5)
    #expect(shelf.tell(listener, at: 5) == block(0x33, 110) + block(0x11, 200) + block(0x22, 200))
    shelf.meet(4, [0x44], at: 6)  // 511 bytes would be too many: the second goes, all of it
    #expect(shelf.tell(listener, at: 6) == [0x44] + block(0x33, 110) + block(0x11, 200))
    shelf.meet(5, block(0x55, 510), at: 7)
    #expect(shelf.tell(listener, at: 7) == block(0x55, 510))
    #expect(shelf.table[first].payloadDigest != 0 && shelf.table[second].payloadDigest != 0)
  }

  @Test("Payloads of 0 and 511 bytes are not kept, and displace nothing")
  func lengths() {
    let shelf = StoreModel()
    shelf.meet(1, [0x11], at: 1)
    shelf.meet(2, [], at: 2)
    shelf.meet(3, [UInt8](repeating: 3, count: 511), at: 3)
    #expect(shelf.tell(at: 4) == [0x11])
  }

  @Test(
    "24 payloads have a place; a 25th takes that of the one heard longest ago, and everybody is told of it")
  func placesFull() {
    let shelf = StoreModel()
    shelf.table.remove(shelf.listener)
    let listener = shelf.meet(100, [], at: 0)
    for number in UInt8(1)...24 { shelf.meet(UInt32(number), [number], at: UInt64(number)) }
    #expect(shelf.tell(listener, at: 30) == (1...24).reversed())
    shelf.meet(25, [25], at: 25)
    shelf.meet(24, [24], at: 40)
    // 25 stands where 1 stood, of which the listener had been told; being new it goes ahead of 24, which was
    // heard later.
    #expect(shelf.tell(listener, at: 41, room: 3) == [25, 24, 23])
    #expect(shelf.tell(listener, at: 41) == [24, 25] + (2...23).reversed())
  }

  @Test("A payload shown by two peers is passed on once, for as long as the later of them is heard")
  func duplicates() {
    let shelf = StoreModel()
    shelf.meet(1, [0x11, 0x12], at: 0)
    shelf.meet(2, [0x11, 0x12], at: 200)
    #expect(shelf.tell(at: 400) == [0x11, 0x12])
  }

  @Test("A payload goes when its owner shows another, and when its owner is forgotten")
  func stale() {
    let shelf = StoreModel()
    let place = shelf.meet(1, [0x11], at: 0)
    shelf.meet(2, [0x21, 0x22], at: 1)
    shelf.meet(1, [0x13], at: 2)
    #expect(shelf.tell(at: 3) == [0x13, 0x21, 0x22])
    shelf.table.remove(place)
    #expect(shelf.tell(at: 4) == [0x21, 0x22])
    shelf.meet(3, [0x31], at: 5)  // takes the place of the forgotten one
    #expect(shelf.tell(at: 6) == [0x31, 0x21, 0x22])
  }
}
