import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import TestInputs
import Testing

private let epoch: UInt64 = 1_600_905_600
private let day: UInt64 = 86_400

@Suite("Stored keys of days")
struct StoredKeyTests {
  private func image() -> FlashImage { FlashImage(pageSize: 1024, pageCount: 2, wordSize: 8) }

  @Test(
    "HP-41 a date that is ahead wipes no key of a day that the device has not lived through; the key of one that it has goes, also after a restart"
  )
  func dateAhead() throws {
    let image = image()
    var badge = StoredBadge(image)
    check(badge.push(storedBlob(first: 0, keys: try matchingKeys(first: 0, last: 9))) == .taken(432))
    badge.supplier.dateIs(certain: true)
    let today = badge.offered(at: epoch)
    #expect(today.count == 21)
    // Six days ahead, for less than six hours: the keys are there when the date is put right.
    badge.supplier.dateIs(certain: false)
    check(badge.offered(at: epoch + 6 * day).count == 21 && badge.offered(at: epoch + 6 * day).count == 21)
    check(badge.days(10) == Array(0...9) && badge.offered(at: epoch) == today)
    // For longer: today's key goes, and no other.
    check(badge.offered(at: epoch + 6 * day).count == 21)
    badge.supplier.dateIs(certain: true)
    check(badge.offered(at: epoch + 6 * day).count == 21 && badge.offered(at: epoch + 6 * day).count == 21)
    check(badge.days(10) == Array(1...9))
    var expected = PayloadStatus(.simple)
    expected.until = epoch + 10 * day
    expected.keyCount = 4
    check(badge.status(at: epoch + 6 * day) == expected)
    // Past the end of the window nothing is lost either, and the status says so.
    check(badge.offered(at: epoch + 60 * day).isEmpty && badge.offered(at: epoch + 60 * day).isEmpty)
    check(badge.status(at: epoch + 60 * day).state == .windowEnded)
    check(badge.status(at: epoch + 60 * day).keyCount == 0)
    check(badge.offered(at: epoch).isEmpty && badge.days(10) == [1, 2, 3, 4, 5, 7, 8, 9])
    expected.keyCount = 8
    expected.state = .keyMissing
    check(badge.status(at: epoch) == expected)
    check(badge.offered(at: epoch + day).count == 21)
    check(badge.offered(at: epoch + 2 * day).count == 21 && badge.offered(at: epoch + 2 * day).count == 21)
    check(badge.days(10) == [2, 3, 4, 5, 7, 8, 9])
    // It is off for two days. The key of the day on which it went off is marked in flash as used.
    var next = StoredBadge(image)
    next.supplier.dateIs(certain: false)
    check(next.offered(at: epoch + 4 * day).count == 21 && next.offered(at: epoch + 4 * day).count == 21)
    check(next.days(10) == [2, 3, 4, 5, 7, 8, 9])
    next.supplier.dateIs(certain: true)
    check(next.offered(at: epoch + 4 * day).count == 21 && next.offered(at: epoch + 4 * day).count == 21)
    check(next.days(10) == [3, 4, 5, 7, 8, 9])
    // Settings that change take the marks along.
    check(next.store.keep(.keepDays, value: 2))
    var last = StoredBadge(image)
    last.supplier.dateIs(certain: true)
    check(last.offered(at: epoch + 5 * day).count == 21 && last.offered(at: epoch + 5 * day).count == 21)
    check(last.days(10) == [3, 5, 7, 8, 9])
  }

  @Test(
    "power cut while a key is marked or erased: no other key is lost, and it is erased when its day is over")
  func powerOfMarks() throws {
    let image = image()
    var badge = StoredBadge(image)
    check(badge.push(storedBlob(first: 0, keys: try matchingKeys(first: 0, last: 2))) == .taken(152))
    badge.supplier.dateIs(certain: true)
    check(badge.offered(at: epoch).count == 21)
    for tearing in [FlashImage.Tearing.nothing, .some(seed: 3), .some(seed: 12), .all] {
      for steps in 0..<6 {
        let torn = image.copy()
        torn.cutPower(afterSteps: steps, tearing: tearing)
        var dying = StoredBadge(torn)
        dying.supplier.dateIs(certain: true)
        for _ in 0..<2 { _ = dying.offered(at: epoch + day) }
        torn.restorePower()
        var after = StoredBadge(torn)
        after.supplier.dateIs(certain: true)
        for _ in 0..<2 { check(after.offered(at: epoch + 2 * day).count == 21) }
        // A key that is not marked was not offered: the power went before.
        let days = after.days(3)
        #expect(days == [2] || steps == 0 && days == [1, 2], "\(tearing) after \(steps) steps")
      }
    }
  }
}

/// `#expect` for calls on values that cannot leave their scope, which the macro would capture.
private func check(
  _ condition: Bool, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(condition, comment, sourceLocation: sourceLocation)
}
