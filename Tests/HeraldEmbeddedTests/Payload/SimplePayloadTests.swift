import HeraldEmbedded
import HeraldHAL
import TestInputs
import Testing

private let epoch: UInt64 = 1_600_905_600
private let day: UInt64 = 86_400

private typealias Supplier = SimplePayloadSupplier<InlineMatchingKeys<4>>

/// A supplier for the UK with the keys of some days of the all-zero secret.
private func supplier(first: Int, last: Int) throws -> Supplier {
  var supplier = Supplier(store: InlineMatchingKeys())
  supplier.configure(country: 826, state: 0)
  let keys = try matchingKeys(first: first, last: last)
  try supplier.store.provide(firstDay: first, keys: keys.span)
  supplier.keysChanged()
  return supplier
}

@Suite("Simple payload")
struct SimplePayloadTests {
  @Test("HP-40 HP-41 21 bytes: type and version, country, state, contact identifier")
  func wireForm() throws {
    var supplier = try supplier(first: 0, last: 1)
    let first = offered(by: &supplier, at: epoch)
    #expect(first == hexBytes("10 3A03 0000 e2cfbeb32de932c9171c658b5f57a337"))
    #expect(first.count == supplier.fixedLength)
    #expect(
      offered(by: &supplier, at: epoch + day) == hexBytes("10 3A03 0000 2e41c6b74864db2420f646a157a2b808"))
    supplier.configure(country: 0x1234, state: 0x5678)
    #expect(
      offered(by: &supplier, at: epoch + day, room: 21)
        == hexBytes("10 3412 7856 2e41c6b74864db2420f646a157a2b808"))
    #expect(offered(by: &supplier, at: epoch + day, room: 20).isEmpty)
  }

  @Test("The payload changes every six minutes and not in between, forwards and backwards within the day")
  func rotation() throws {
    var supplier = try supplier(first: 0, last: 0)
    let zero = hexBytes("10 3A03 0000 e2cfbeb32de932c9171c658b5f57a337")
    let one = hexBytes("10 3A03 0000 d7f8ef992e35091fed00b9c47dcfe398")
    #expect(offered(by: &supplier, at: epoch) == zero)
    #expect(offered(by: &supplier, at: epoch + 359) == zero)
    #expect(offered(by: &supplier, at: epoch + 360) == one)
    #expect(offered(by: &supplier, at: epoch + 719) == one)
    #expect(offered(by: &supplier, at: epoch + 359) == zero)
    #expect(
      offered(by: &supplier, at: epoch + day - 1)
        == hexBytes("10 3A03 0000 8c9a22759b2a87ff41a9391e8d390f35"))
  }

  @Test(
    "HP-41 An uncertain date wipes no keys; a certain one wipes those that were used, also if it is earlier")
  func uncertainDate() throws {
    var supplier = try supplier(first: 0, last: 2)
    let zero = hexBytes("10 3A03 0000 e2cfbeb32de932c9171c658b5f57a337")
    supplier.dateIs(certain: false)
    #expect(offered(by: &supplier, at: epoch + 2 * day).count == 21)
    #expect(offered(by: &supplier, at: epoch + 400 * day).isEmpty)
    #expect(offered(by: &supplier, at: epoch + day - 1).count == 21)
    supplier.dateIs(certain: true)
    #expect(offered(by: &supplier, at: epoch) == zero)
    #expect(offered(by: &supplier, at: epoch + day).count == 21)
    #expect(offered(by: &supplier, at: epoch).isEmpty)
  }

  @Test("HP-41 A date that becomes certain on the same day wipes the used keys of the days before it")
  func certainSameDay() throws {
    var supplier = try supplier(first: 0, last: 1)
    supplier.dateIs(certain: false)
    #expect(offered(by: &supplier, at: epoch).count == 21)
    #expect(offered(by: &supplier, at: epoch + day).count == 21)
    var key: [32 of UInt8] = .init(repeating: 0)
    let isKept = supplier.store.copyKey(ofDay: 0, into: &key)
    #expect(isKept)
    supplier.dateIs(certain: true)
    #expect(offered(by: &supplier, at: epoch + day + 1).count == 21)
    let isThere = supplier.store.copyKey(ofDay: 0, into: &key)
    #expect(!isThere)
  }

  @Test("The status counts the keys that there are: a day whose key is wiped is none, and is the reason")
  func countedKeys() throws {
    var supplier = try supplier(first: 0, last: 3)
    var store = SettingsStore(flash: NoFlash())
    func told(_ unixSeconds: UInt64?) -> [UInt64] {
      let status = supplier.payloadStatus(at: unixSeconds, in: &store)
      return [UInt64(status.state.rawValue), UInt64(status.keyCount ?? 99), (status.until ?? 0) &- epoch]
    }
    #expect(told(epoch) == [0, 4, 4 * day])
    #expect(offered(by: &supplier, at: epoch + day).count == 21)
    #expect(offered(by: &supplier, at: epoch + 3 * day).count == 21)
    #expect(told(epoch + 3 * day) == [0, 1, 4 * day])
    // The date is put right: the keys of the days between are there.
    #expect(offered(by: &supplier, at: epoch).count == 21)
    #expect(told(epoch) == [0, 3, 4 * day])
    #expect(told(epoch + day) == [6, 2, 4 * day])
    #expect(offered(by: &supplier, at: epoch + day).isEmpty)
    #expect(told(nil) == [2, 2, 4 * day])
    #expect(told(epoch - 1) == [3, 2, 4 * day])
    #expect(told(epoch + 4 * day) == [4, 0, 4 * day])
    #expect(told(epoch + 2001 * day) == [5, 0, 4 * day])
  }

  @Test("The supplier returns the time of the next change")
  func nextChange() throws {
    let supplier = try supplier(first: 0, last: 0)
    let now = Instant(milliseconds: 5_000)
    #expect(supplier.nextChange(after: epoch, now: now) == Instant(milliseconds: 365_000))
    #expect(supplier.nextChange(after: epoch + 359, now: now) == Instant(milliseconds: 6_000))
    #expect(supplier.nextChange(after: nil, now: now) == .never)
    #expect(supplier.nextChange(after: epoch + 2001 * day, now: now) == .never)
  }

  @Test("Without a date it is not offered")
  func noDate() throws {
    var supplier = try supplier(first: 0, last: 0)
    #expect(offered(by: &supplier, at: nil).isEmpty)
    #expect(supplier.status(at: nil) == .noDate)
    #expect(offered(by: &supplier, at: epoch).count == 21)
  }

  @Test("Without keys it is not offered")
  func noKeys() {
    var supplier = Supplier(store: InlineMatchingKeys())
    #expect(offered(by: &supplier, at: epoch).isEmpty)
    #expect(supplier.status(at: epoch) == .noKeys)
  }

  @Test("HP-41 Before and after the window it is not offered; no payload is repeated, none is all zeros")
  func outsideWindow() throws {
    var supplier = try supplier(first: 10, last: 12)
    #expect(offered(by: &supplier, at: epoch + 10 * day - 1).isEmpty)
    #expect(supplier.status(at: epoch + 10 * day - 1) == .beforeWindow)
    #expect(supplier.status(at: epoch - 1) == .beforeWindow)
    #expect(supplier.status(at: epoch + 10 * day) == .offered)
    #expect(offered(by: &supplier, at: epoch + 10 * day).count == 21)
    #expect(supplier.status(at: epoch + 13 * day - 1) == .offered)
    #expect(offered(by: &supplier, at: epoch + 13 * day - 1).count == 21)
    #expect(offered(by: &supplier, at: epoch + 13 * day).isEmpty)
    #expect(supplier.status(at: epoch + 13 * day) == .windowEnded)
  }

  @Test("HP-41 The last day of the schedule is offered, the day after it refused by name")
  func scheduleEnd() throws {
    var supplier = try supplier(first: 1999, last: 2000)
    #expect(
      offered(by: &supplier, at: epoch + 2000 * day)
        == hexBytes("10 3A03 0000 a8e35281f2c3c97642248c4ea20301c3"))
    #expect(offered(by: &supplier, at: epoch + 2001 * day).isEmpty)
    #expect(supplier.status(at: epoch + 2001 * day) == .pastEnd)
    let keys = [UInt8](repeating: 1, count: 64)
    var store = InlineMatchingKeys<4>()
    #expect(throws: KeyScheduleError.pastEnd) { try store.provide(firstDay: 2000, keys: keys.span) }
  }

  @Test("A re-based epoch starts the days anew")
  func rebasedEpoch() throws {
    var supplier = try supplier(first: 0, last: 1)
    supplier.configure(country: 826, state: 0, epoch: KeyScheduleEpoch(unixSeconds: 1_773_792_000))
    #expect(supplier.status(at: 1_773_792_000) == .offered)
    #expect(
      offered(by: &supplier, at: 1_773_792_000)
        == hexBytes("10 3A03 0000 e2cfbeb32de932c9171c658b5f57a337"))
  }

  @Test("Yesterday's key and all that came from it are gone once today's payload was asked for")
  func forgetting() throws {
    var supplier = try supplier(first: 0, last: 1)
    #expect(offered(by: &supplier, at: epoch).count == 21)
    #expect(offered(by: &supplier, at: epoch + day).count == 21)
    var key: [32 of UInt8] = .init(repeating: 0)
    let isThere = supplier.store.copyKey(ofDay: 0, into: &key)
    #expect(!isThere)
    let yesterdays = Array(try matchingKeys(first: 0, last: 0)[0..<8])
    let isInMemory = withUnsafeBytes(of: &supplier) { memory in
      (0..<memory.count - 8).contains { memory[$0..<$0 + 8].elementsEqual(yesterdays) }
    }
    #expect(!isInMemory)
    #expect(offered(by: &supplier, at: epoch).isEmpty, "a clock set back a day finds no key")
    #expect(offered(by: &supplier, at: epoch + day).count == 21)
  }

  @Test("When the payload is no longer offered, nothing made from the keys is kept")
  func forgettingAtTheEnd() throws {
    var supplier = try supplier(first: 0, last: 0)
    let last = offered(by: &supplier, at: epoch)
    #expect(offered(by: &supplier, at: epoch + day).isEmpty)
    let isInMemory = withUnsafeBytes(of: &supplier) { memory in
      (0..<memory.count - 16).contains { memory[$0..<$0 + 16].elementsEqual(last.dropFirst(5)) }
    }
    #expect(!isInMemory)
  }
}
