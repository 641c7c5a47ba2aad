import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

/// What becomes of a lock when what is kept is damaged, or the power goes.
@Suite("Locked settings")
struct SettingsLockTests {
  private typealias Store = SettingsStore<MemoryFlash>

  private let key = Array(0x80...0x9F as ClosedRange<UInt8>)
  private let other = Array(0xA0...0xBF as ClosedRange<UInt8>)
  private let tearings: [FlashImage.Tearing] = [
    .nothing, .some(seed: 7), .some(seed: 99), .some(seed: 1234), .all,
  ]

  private func image() -> FlashImage { FlashImage(pageSize: 128, pageCount: 2, wordSize: 4) }

  /// A device that has been given a key: its settings are in the first page.
  private func locked() -> FlashImage {
    let image = image()
    check(start(image).isOpen)
    var store = Store(flash: MemoryFlash(image))
    check(store.keepAccessKey(key.span))
    #expect(Array(image.bytes[32..<64]) == key)
    return image
  }

  /// A start of a device: it reads what is there, and has an address key from then on.
  private func start(_ image: FlashImage) -> (isOpen: Bool, key: [UInt8]?, condition: SettingsCondition) {
    var random = ScriptedRandom([1, 2, 3, 4, 5, 6, 7, 8])
    var store = Store(flash: MemoryFlash(image))
    store.load()
    let condition = store.condition
    _ = store.addressKey(random: &random)
    var found = [UInt8](repeating: 0, count: 32)
    var room = found.mutableSpan
    let hasKey = store.copyAccessKey(into: &room)
    return (!store.settings.hasAccessKey, hasKey ? found : nil, condition)
  }

  @Test(
    "damage opens nothing: with any bit flipped it is locked, to the key that is found, at the next starts, too"
  )
  func bits() {
    let image = locked()
    for bit in 0..<(96 * 8) {
      let hurt = image.copy()
      hurt.bytes[bit / 8] ^= 1 << (bit % 8)
      let expected = Array(hurt.bytes[32..<64])
      #expect(start(hurt) == (false, expected, .locked), "bit \(bit)")
      #expect(start(hurt) == (false, expected, .kept), "bit \(bit)")
      #expect(hurt.bytes[0..<128].allSatisfy { $0 == 0xFF }, "the damaged page is erased")
    }
    var random = Seeded(5)
    for round in 0..<500 {
      let hurt = image.copy()
      for _ in 0..<3 {
        hurt.bytes[Int.random(in: 0..<96, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      // Twice the same bit is none.
      let condition: SettingsCondition = hurt.bytes == image.bytes ? .kept : .locked
      let expected = Array(hurt.bytes[32..<64])
      #expect(start(hurt) == (false, expected, condition), "round \(round)")
    }
  }

  @Test("what was open is open with any bit flipped, and so is what never had settings of ours")
  func open() {
    let image = image()
    check(start(image).isOpen)
    for bit in 0..<(96 * 8) {
      let hurt = image.copy()
      hurt.bytes[128 + bit / 8] ^= 1 << (bit % 8)
      #expect(start(hurt) == (true, nil, .damaged), "bit \(bit)")
    }
    var random = Seeded(6)
    for _ in 0..<200 {
      let noise = self.image()
      for index in noise.bytes.indices { noise.bytes[index] = UInt8.random(in: 0...255, using: &random) }
      #expect(start(noise) == (true, nil, .damaged))
    }
  }

  @Test("power cut at every step of what a start after damage does: it is locked to the same key, whenever")
  func healing() {
    let image = locked()
    image.bytes[20] ^= 1
    for tearing in tearings {
      var steps = 0
      while true {
        let torn = image.copy()
        torn.cutPower(afterSteps: steps, tearing: tearing)
        let before = start(torn)
        #expect(!before.isOpen)
        let isOver = torn.hasPower
        torn.restorePower()
        let after = start(torn)
        #expect(!after.isOpen && after.key == key, "\(tearing) after \(steps) steps")
        #expect(start(torn) == (false, key, .kept))
        if isOver { break }
        steps += 1
      }
      // An erasure, 24 words, and the erasure of the page that was damaged.
      #expect(steps == 26)
    }
  }

  @Test(
    "power cut at every step of setting a key, changing it and taking it away: the old state or the new one")
  func changes() {
    let changes: [(from: [UInt8]?, to: [UInt8]?)] = [(nil, key), (key, other), (key, nil)]
    for (from, to) in changes {
      for isFirst in [false, true] where from == nil || !isFirst {
        let image = from == nil ? image() : locked()
        // The very first thing that is kept is a key, if its address key could not be.
        if from == nil, !isFirst { check(start(image).isOpen) }
        for tearing in tearings {
          for steps in 0..<60 {
            let torn = image.copy()
            torn.cutPower(afterSteps: steps, tearing: tearing)
            var store = Store(flash: MemoryFlash(torn))
            let new = to ?? []
            let isDone = store.keepAccessKey(new.span)
            torn.restorePower()
            let after = start(torn)
            #expect(after.isOpen == (after.key == nil))
            #expect(after.key == to || (!isDone && after.key == from), "\(tearing) after \(steps) steps")
            #expect(start(torn) == (after.isOpen, after.key, .kept))
          }
        }
      }
    }
  }

  @Test(
    "while the flash cannot be read it is locked to everybody, and nothing is written; after that all is as before"
  )
  func unreadable() {
    for image in [locked(), self.image()] {
      let bytes = image.bytes
      image.cutPower(afterSteps: 0, tearing: .nothing)
      var none = MemoryFlash(image)
      #expect(throws: FlashError.self) { try none.erase(page: 1) }
      #expect(start(image) == (false, nil, .damaged))
      image.restorePower()
      #expect(image.bytes == bytes)
      var store = Store(flash: MemoryFlash(image))
      store.load()
      #expect(store.settings.hasAccessKey == bytes.contains(0x80))
    }
    // One page alone: it may be the one with the key.
    let image = locked()
    for (page, isOpen, condition) in [(0, false, SettingsCondition.damaged), (1, false, .kept)] {
      let bytes = image.bytes
      var store = SettingsStore(flash: HalfReadableFlash(flash: MemoryFlash(image), unreadable: page))
      store.load()
      check(store.condition == condition && !store.settings.hasAccessKey == isOpen)
      check(store.keep(.keepDays, value: 7) == (page == 1))
      if page == 0 { #expect(image.bytes == bytes) }
    }
    let open = self.image()
    check(start(open).isOpen)
    var store = SettingsStore(flash: HalfReadableFlash(flash: MemoryFlash(open), unreadable: 0))
    store.load()
    check(store.condition == .kept && !store.settings.hasAccessKey)
  }

  @Test(
    "a reset is noted without opening what is locked, wherever the power goes and whatever is in the note's place"
  )
  func resetting() {
    for isDamaged in [false, true] {
      for isTaken in [false, true] {
        let image = locked()
        if isDamaged { image.bytes[20] ^= 1 }
        if isTaken { image.bytes[125] = 0 }
        for tearing in tearings {
          for steps in 0..<6 {
            let torn = image.copy()
            torn.cutPower(afterSteps: steps, tearing: tearing)
            var store = Store(flash: MemoryFlash(torn))
            let isNoted = store.noteReset()
            torn.restorePower()
            var next = Store(flash: MemoryFlash(torn))
            let goesOn = next.isResetNoted()
            check(
              next.settings.hasAccessKey, "\(tearing) after \(steps) steps: open, with the log still there")
            check(goesOn || !isNoted)
            guard goesOn else { continue }
            // Of the erasures the last is that of the page with the note.
            check(!next.eraseNext())
            var interrupted = Store(flash: MemoryFlash(torn))
            check(interrupted.isResetNoted())
            while !interrupted.eraseNext() {}
            #expect(torn.bytes.allSatisfy { $0 == 0xFF })
          }
        }
      }
    }
  }
}

/// Flash of which one page cannot be read.
private struct HalfReadableFlash: Flash, ~Copyable {
  var flash: MemoryFlash
  let unreadable: Int
  var pageSize: Int { flash.pageSize }
  var pageCount: Int { flash.pageCount }
  var wordSize: Int { flash.wordSize }
  mutating func read(page: Int, offset: Int, into buffer: inout MutableSpan<UInt8>) throws(FlashError) {
    guard page != unreadable else { throw .hardware }
    try flash.read(page: page, offset: offset, into: &buffer)
  }
  mutating func program(page: Int, offset: Int, _ bytes: Span<UInt8>) throws(FlashError) {
    try flash.program(page: page, offset: offset, bytes)
  }
  mutating func clear(page: Int, offset: Int, count: Int) throws(FlashError) {
    try flash.clear(page: page, offset: offset, count: count)
  }
  mutating func erase(page: Int) throws(FlashError) { try flash.erase(page: page) }
}

/// `#expect` for calls on values that cannot leave their scope, which the macro would capture.
private func check(
  _ condition: Bool, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(condition, comment, sourceLocation: sourceLocation)
}
