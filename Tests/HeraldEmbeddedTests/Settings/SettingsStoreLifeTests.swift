import HeraldBluetooth
import HeraldHAL
import HeraldSimulation
import TestInputs
import Testing

@testable import HeraldEmbedded

@Suite("The life of the settings store")
struct SettingsStoreLifeTests {
  private static let payloads: [[UInt8]] = [
    storedBlob(.fixed, hexBytes("083A030000D202964900000000")), storedBlob(.bytes, Array(1...45)),
    storedBlob(.venue, hexBytes("303A030400F3E0010010034261")), noStoredBlob(),
  ]

  /// What a device has stored, as its parts and its hosts see it.
  private static func shown(_ badge: inout StoredBadge) -> String {
    var (access, owner) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
    var accessRoom = access.mutableSpan
    var ownerRoom = owner.mutableSpan
    let hasAccess = badge.store.copyAccessKey(into: &accessRoom)
    let hasOwner = badge.store.copyOwnerKey(into: &ownerRoom)
    let settings = badge.store.settings
    let values = (0..<UInt8(Setting.count)).map { Setting(rawValue: $0).map { settings.values[$0] } }
    let address = (0..<16).map { settings.addressKey.bytes[$0] }
    let noted = badge.store.isResetNoted()
    return """
      \(hasAccess ? access : []) \(hasOwner ? owner : []) \(values) \(address) \(badge.store.condition) \(noted) \
      \(badge.store.statistic(0)) \(badge.offered(at: nil)) \(badge.status(at: nil))
      """
  }

  /// One step of a history, and its result: a host changes something.
  private static func step(_ badge: inout StoredBadge, _ random: inout SplitMix64) -> String {
    let byte = UInt8(truncatingIfNeeded: random.next())
    let key = [UInt8](repeating: byte, count: random.next() % 4 == 0 ? 0 : 32)
    let setting = Setting(rawValue: UInt8(random.next() % UInt64(Setting.count))) ?? .keepDays
    let value = UInt32(random.next() % 40)
    let payload = payloads[Int(random.next() % 4)]
    let (offset, count) = (Int(random.next() % 2) * 16, Int(random.next() % 40))
    switch random.next() % 9 {
    case 0, 1, 2: return "\(badge.store.keep(setting, value: value % 7 == 0 ? nil : value))"
    case 3: return "\(badge.store.keepAccessKey(key.span))"
    case 4: return "\(badge.store.keepOwnerKey(key.span))"
    case 5: return "\(badge.push(payload))"
    // A part of a payload, of which no more may come.
    case 6: return "\(badge.stage(offset, payload.count, Array(payload.dropFirst(offset).prefix(count))))"
    case 7:
      var new = badge.store.settings
      new.addressKey = IdentityResolvingKey(.init(repeating: byte))
      return "\(badge.store.keep(new))"
    default: return shown(&badge)
    }
  }

  @Test("a device that was reset is as one of the factory, wherever the reset was interrupted")
  func reset() {
    for seed in 0..<150 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let image = FlashImage(pageSize: 512, pageCount: 2, wordSize: 4)
      var used = StoredBadge(image)
      for _ in 0..<(random.next() % 12) {
        _ = Self.step(&used, &random)
        // The power fails in the middle of a change.
        if random.next() % 6 == 0 {
          image.cutPower(afterSteps: Int(random.next() % 40), tearing: .some(seed: seed))
          _ = Self.step(&used, &random)
          image.restorePower()
          used = StoredBadge(image)
        }
      }
      let isNoted = used.store.noteReset()
      #expect(isNoted, "seed \(seed)")
      if random.next() % 2 == 0 {
        image.cutPower(afterSteps: Int(random.next() % 2), tearing: .some(seed: seed))
        while !used.store.eraseNext() {}
        image.restorePower()
        used = StoredBadge(image)
        let isOver = used.store.isResetNoted() || used.store.condition != .kept
        #expect(isOver, "seed \(seed)")
      }
      while !used.store.eraseNext() {}
      let stored = FlashImage(pageSize: 512, pageCount: 2, wordSize: 4)
      var fresh = StoredBadge(stored)
      let damaged = used.store.statistic(0)
      // Before the restart that follows nothing is left, and nothing is stored.
      if damaged == 0 {
        let (seen, expected) = (Self.shown(&used), Self.shown(&fresh))
        #expect(seen == expected, "seed \(seed)")
      }
      if random.next() % 2 == 0 { _ = Self.step(&used, &random) }
      used = StoredBadge(image)
      for number in 0..<20 {
        if random.next() % 4 == 0 {
          used = StoredBadge(image)
          fresh = StoredBadge(stored)
        }
        var copy = random
        let seen = Self.step(&used, &random)
        let expected = Self.step(&fresh, &copy)
        guard seen == expected else {
          Issue.record("seed \(seed), step \(number): \(seen) instead of \(expected)")
          return
        }
      }
    }
  }
}
