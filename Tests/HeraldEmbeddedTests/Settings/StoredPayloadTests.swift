import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import TestInputs
import Testing

private let epoch: UInt64 = 1_600_905_600
private let day: UInt64 = 86_400

/// `08 | 826 | 0 | 1234567890`
private let fixed = hexBytes("083A030000D202964900000000")

@Suite("Stored payload")
struct StoredPayloadTests {
  private func image() -> FlashImage { FlashImage(pageSize: 1024, pageCount: 2, wordSize: 8) }
  private let image1 = hexBytes("08010000000100000000000000")

  @Test("blobs, byte by byte as docs/wire-formats.md has them; the checks are by Python's zlib")
  func literal() {
    #expect(
      storedBlob(.fixed, fixed)
        == hexBytes("48506179 01 01 0d00 0000 0000 0000000000000000 0000 0000 a582f07f 0cad6fce") + fixed)
    #expect(
      storedBlob(first: 1999, keys: Array(0..<64))
        == hexBytes("48506179 01 02 5000 3a03 0400 80e16b5f00000000 cf07 0200 b1848c4b 2747a97a")
        + Array(0..<32) + hexBytes("cf070000 3a047892") + Array(32..<64) + hexBytes("d0070000 22ae9b6e"))
    #expect(
      noStoredBlob() == hexBytes("48506179 01 00 0000 0000 0000 0000000000000000 0000 0000 00000000 d13dd4eb")
    )
    #expect(
      storedBlob(.simple, fixed).isEmpty && storedBlob(.none, fixed).isEmpty && storedBlob(.bytes, []).isEmpty
    )
    #expect(storedBlob(.bytes, .init(repeating: 1, count: 511)).isEmpty)
    #expect(storedBlob(first: 2000, keys: Array(0..<64)).isEmpty && storedBlob(first: 0, keys: [1]).isEmpty)
    #expect(storedBlob(first: 0, keys: .init(repeating: 1, count: 91 * 32)).isEmpty)
  }

  @Test(
    "a pushed payload is offered at once and after a restart, and one of no family brings back that of the image"
  )
  func push() {
    let image = image()
    var badge = StoredBadge(image)
    check(badge.offered(at: nil) == image1 && badge.status(at: nil).family == .fixed)
    for pieces in [1, 7, 8, 45, 100] {
      check(badge.push(storedBlob(.fixed, fixed), pieces: pieces) == .taken(45), "\(pieces)")
      check(badge.offered(at: nil) == fixed && badge.supplier.fixedLength == 13)
      let venue = hexBytes("303A030400F3E0010010034261") + [UInt8(pieces)]
      check(badge.push(storedBlob(.venue, venue), pieces: pieces) == .taken(46))
      check(badge.offered(at: nil) == venue && badge.status(at: nil) == PayloadStatus(.venue))
    }
    var next = StoredBadge(image)
    check(next.offered(at: nil).count == 14)
    // Settings that change take it along.
    check(next.store.keep(.keepDays, value: 3) && next.store.keep(.keepDays, value: 4))
    var third = StoredBadge(image)
    check(third.offered(at: nil).count == 14 && third.store.settings.values[.keepDays] == 4)
    check(third.push(noStoredBlob()) == .taken(32) && third.offered(at: nil) == image1)
    var fourth = StoredBadge(image)
    check(fourth.offered(at: nil) == image1 && fourth.store.settings.values[.keepDays] == 4)
  }

  @Test("what is damaged, too long or none is refused, and the former payload stays")
  func refusals() throws {
    var badge = StoredBadge(image())
    check(badge.push(storedBlob(.fixed, fixed)) == .taken(45))
    let good = storedBlob(.bytes, Array(1...20))
    for bit in 0..<(good.count * 8) {
      var bad = good
      bad[bit / 8] ^= 1 << (bit % 8)
      check(badge.push(bad) == .refused, "bit \(bit)")
    }
    check(
      badge.push(storedBlob(.bytes, .init(repeating: 1, count: 130))) == .refused,
      "longer than there is memory for"
    )
    check(badge.push(good + [0]) == .refused && badge.push(Array(good.dropLast())) == .refused)
    check(badge.push(Array(good.prefix(31))) == .refused)
    check(
      badge.push(storedBlob(.bytes, .init(repeating: 1, count: 129)) + .init(repeating: 0, count: 1024))
        == .refused
    )
    var keys = storedBlob(first: 0, keys: Array(0..<64))
    keys[32] ^= 1
    check(badge.push(keys) == .refused)
    // What is not next is answered with what is; a begin begins anew, and other settings end it.
    check(badge.stage(5, 0, [1]) == .wants(0))
    let head = Array(good.prefix(40))
    let rest = Array(good.dropFirst(40))
    check(badge.stage(0, 52, head) == .wants(40))
    check(badge.stage(41, 0, rest) == .wants(40))
    check(badge.stage(0, 52, head) == .wants(40))
    check(badge.store.keep(.keepDays, value: 9))
    check(badge.stage(40, 0, rest) == .wants(0))
    check(badge.stage(0, 52, head) == .wants(40))
    check(badge.stage(40, 0, Array(good.dropFirst(39))) == .refused)
    check(badge.offered(at: nil) == fixed)
    // Of bytes that came already nothing is taken again.
    check(badge.stage(0, 52, head) == .wants(40))
    check(badge.stage(30, 0, [1, 2, 3, 4]) == .wants(40))
    check(badge.stage(40, 0, rest) == .taken(52) && badge.offered(at: nil) == Array(1...20))
    // A thousand uploads that never end.
    for _ in 0..<1000 { _ = badge.stage(0, 52, head) }
    check(badge.push(good) == .taken(52) && badge.offered(at: nil) == Array(1...20))
    badge.image.brokenPages = [0, 1]
    check(badge.push(storedBlob(.fixed, fixed)) == .failed)
    check(badge.store.noteReset() == false)
    badge.image.brokenPages = []
    check(badge.store.noteReset() && badge.push(storedBlob(.fixed, fixed)) == .failed)
  }

  @Test(
    "a blob has room between the record of the settings and the owner's key, 888 bytes of a page of 1,024"
  )
  func room() {
    var badge = StoredBadge(image())
    check(badge.stage(0, 888, [1]) == .wants(1))
    check(badge.stage(0, 889, [1]) == .refused)
  }

  @Test("keys that are whole, but those of other days than the header says, are refused")
  func otherDays() throws {
    let keys = storedBlob(first: 5, keys: Array(0..<64))
    let read = StoredPayloadHeader(keys.span)
    var header = try #require(read)
    header.firstDay = 4
    var bytes = [UInt8](repeating: 0, count: 32)
    do {
      var writer = ByteWriter(bytes.mutableSpan)
      header.write(to: &writer)
    }
    var badge = StoredBadge(image())
    check(badge.push(bytes + keys[32...]) == .refused)
    check(badge.push(keys) == .taken(112))
  }

  @Test("the payload with a key for each day changes every 360 s, the others never")
  func nextChange() throws {
    var badge = StoredBadge(image())
    let now = Instant(milliseconds: 5_000)
    check(badge.push(storedBlob(first: 0, keys: try matchingKeys(first: 0, last: 2))) == .taken(152))
    check(badge.offered(at: epoch).count == 21)
    check(badge.supplier.nextChange(after: epoch + 359, now: now) == Instant(milliseconds: 6_000))
    check(badge.supplier.nextChange(after: nil, now: now) == .never)
    check(badge.push(storedBlob(.fixed, fixed)) == .taken(45) && badge.offered(at: epoch) == fixed)
    check(badge.supplier.nextChange(after: epoch + 359, now: now) == .never)
  }

  @Test(
    "power cut at every step of a push or of a setting that changes: the old payload or the new one, the old settings or the new ones"
  )
  func power() throws {
    let image = image()
    var badge = StoredBadge(image)
    let keys = try matchingKeys(first: 10, last: 12)
    check(
      badge.push(storedBlob(first: 10, keys: keys)) == .taken(152) && badge.store.keep(.keepDays, value: 77))
    let before = badge.offered(at: epoch + 10 * day)
    #expect(before.count == 21)
    let others = try matchingKeys(first: 13, last: 16)
    for tearing in [FlashImage.Tearing.nothing, .some(seed: 3), .some(seed: 12), .all] {
      var isCut = true
      var steps = 0
      while isCut {
        let pushed = image.copy()
        pushed.cutPower(afterSteps: steps, tearing: tearing)
        var pushing = StoredBadge(pushed)
        let outcome = pushing.push(storedBlob(first: 13, keys: others))
        isCut = !pushed.hasPower
        pushed.restorePower()
        var after = StoredBadge(pushed)
        let offered = after.offered(at: epoch + 10 * day)
        let isOld = offered == before
        let isNew = after.offered(at: epoch + 13 * day).count == 21
        #expect(isOld != isNew && (isNew || outcome != .taken(192)), "\(tearing) after \(steps) steps")
        check(after.store.settings.values[.keepDays] == 77)
        #expect(hasNothingOf(isNew ? keys : others, pushed), "\(tearing) after \(steps) steps")
        steps += 1
      }
      #expect(steps > 40)
      isCut = true
      steps = 0
      while isCut {
        let set = image.copy()
        set.cutPower(afterSteps: steps, tearing: tearing)
        var setting = StoredBadge(set)
        let isKept = setting.store.keep(.keepDays, value: 5)
        isCut = !set.hasPower
        set.restorePower()
        var after = StoredBadge(set)
        check(after.offered(at: epoch + 10 * day) == before)
        let days = after.store.settings.values[.keepDays]
        #expect(days == 5 || (days == 77 && !isKept), "\(tearing) after \(steps) steps")
        steps += 1
      }
      #expect(steps > 40)
    }
  }

  /// Whether no eight bytes of `keys` are in the flash.
  private func hasNothingOf(_ keys: [UInt8], _ image: FlashImage) -> Bool {
    for place in stride(from: 0, to: keys.count, by: 8) {
      let piece = Array(keys[place..<place + 8])
      for offset in stride(from: 0, to: image.bytes.count, by: 8)
      where Array(image.bytes[offset..<offset + 8]) == piece { return false }
    }
    return true
  }

  @Test(
    "HP-41 the key of a day is fetched when the day begins and wiped in flash when it is over; a thief finds those of the days that are left"
  )
  func days() throws {
    let image = image()
    var badge = StoredBadge(image)
    let keys = try matchingKeys(first: 0, last: 2)
    check(badge.push(storedBlob(first: 0, keys: keys)) == .taken(152))
    check(badge.offered(at: nil).isEmpty, "without a date")
    badge.supplier.dateIs(certain: true)
    let first = badge.offered(at: epoch)
    // As SimplePayloadTests has it, of the all-zero secret; here the state is 4.
    #expect(first == hexBytes("10 3A03 0400 e2cfbeb32de932c9171c658b5f57a337"))
    var expected = PayloadStatus(.simple)
    expected.until = epoch + 3 * day
    expected.keyCount = 3
    check(badge.status(at: epoch) == expected)
    #expect(!hasNothingOf(Array(keys[..<32]), image))
    // At midnight the key of the new day is there before the payload is asked for; what is asked for of the
    // day before still is.
    let last = badge.offered(at: epoch + day - 1)
    _ = badge.supplier.load(from: &badge.store, at: epoch + day)
    var bytes = [UInt8](repeating: 0, count: 21)
    var room = bytes.mutableSpan
    check(badge.supplier.payload(at: epoch + day - 1, now: .start, into: &room) == 21)
    #expect(bytes == last)
    check(badge.offered(at: epoch + day) == hexBytes("10 3A03 0400 2e41c6b74864db2420f646a157a2b808"))
    _ = badge.supplier.load(from: &badge.store, at: epoch + day)
    #expect(hasNothingOf(Array(keys[..<32]), image), "wiped")
    #expect(!hasNothingOf(Array(keys[32..<64]), image))
    check(badge.offered(at: epoch).isEmpty, "a clock that is set back finds none")
    // Wiped keys stay so when settings change, and over a restart.
    check(badge.store.keep(.keepDays, value: 1))
    var next = StoredBadge(image)
    next.supplier.dateIs(certain: true)
    check(next.offered(at: epoch).isEmpty && next.offered(at: epoch + 2 * day).count == 21)
    let steps = image.steps
    _ = next.supplier.load(from: &next.store, at: epoch + 2 * day)
    // The key of the second day, four words; the first is not written again, nor the fifth, its mark.
    #expect(image.steps == steps + 4)
    _ = next.supplier.load(from: &next.store, at: epoch + 2 * day)
    #expect(image.steps == steps + 4)
    check(next.offered(at: epoch + 3 * day).isEmpty, "the window is over")
    _ = next.supplier.load(from: &next.store, at: epoch + 3 * day)
    #expect(hasNothingOf(keys, image))
    expected.keyCount = 0
    expected.state = .windowEnded
    check(next.status(at: epoch + 3 * day) == expected)
    // An uncertain date wipes nothing, whatever it is.
    var other = StoredBadge(self.image())
    check(other.push(storedBlob(first: 0, keys: keys)) == .taken(152))
    other.supplier.dateIs(certain: false)
    check(other.offered(at: epoch + 2 * day).count == 21 && other.offered(at: epoch + 90 * day).isEmpty)
    _ = other.supplier.load(from: &other.store, at: epoch + 90 * day)
    check(other.offered(at: epoch).count == 21)
  }

  @Test(
    "a header of up to 90 days is read, if its length is that of its days and the schedule has them",
    arguments: [
      (0, 1, 40, true), (0, 90, 3600, true), (0, 91, 3640, false), (0, 0, 0, false), (0, 2, 40, false),
      (0, 2, 120, false), (2000, 1, 40, true), (2000, 2, 80, false), (1911, 90, 3600, true),
      (1912, 90, 3600, false),
    ] as [(UInt16, UInt16, UInt16, Bool)])
  func headers(firstDay: UInt16, dayCount: UInt16, bodySize: UInt16, isRead: Bool) {
    var header = StoredPayloadHeader()
    header.family = .simple
    header.firstDay = firstDay
    header.dayCount = dayCount
    header.bodySize = bodySize
    var bytes = [UInt8](repeating: 0, count: 32)
    do {
      var writer = ByteWriter(bytes.mutableSpan)
      header.write(to: &writer)
    }
    let read = StoredPayloadHeader(bytes.span)
    #expect((read != nil) == isRead)
  }

  @Test("a key that is damaged in flash is not offered, and does no harm to the others")
  func damagedKey() throws {
    let image = image()
    var badge = StoredBadge(image)
    let keys = try matchingKeys(first: 0, last: 2)
    check(badge.push(storedBlob(first: 0, keys: keys)) == .taken(152))
    // The second page has it; its first key begins at 96 + 32.
    image.bytes[1024 + 128 + 3] ^= 1
    var next = StoredBadge(image)
    next.supplier.dateIs(certain: true)
    check(next.offered(at: epoch).isEmpty && next.offered(at: epoch + day).count == 21)
  }
}

/// `#expect` for calls on values that cannot leave their scope, which the macro would capture.
private func check(
  _ condition: Bool, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(condition, comment, sourceLocation: sourceLocation)
}
