import HeraldCrypto
import HeraldEmbedded
import TestInputs
import Testing

/// The matching keys of some days from a secret of one repeated byte.
func matchingKeys(secretOf byte: UInt8 = 0, first: Int, last: Int) throws -> [UInt8] {
  let secret = [UInt8](repeating: byte, count: 2048)
  var keys = [UInt8](repeating: 0, count: 32 * (last - first + 1))
  var span = keys.mutableSpan
  try SimpleKeySchedule.deriveMatchingKeys(from: secret.span, first: first, last: last, into: &span)
  return keys
}

private func identifier(_ key: [UInt8], _ period: Int) -> [UInt8]? {
  SimpleKeySchedule.contactIdentifier(matchingKey: inline32(key), period: period)?.array
}

@Suite("Simple key schedule")
struct SimpleKeyScheduleTests {
  @Test("HP-41 Matching keys of the published vectors, secret of 2048 zero bytes")
  func publishedMatchingKeys() throws {
    #expect(
      try matchingKeys(first: 2000, last: 2000)
        == hexBytes("c12eb8ced309befb0c8abf12bd7958f784499254a8266f35772009629b482221"))
    #expect(
      try matchingKeys(first: 0, last: 1)
        == hexBytes("38fc2e6a58a6208cb376e79f46b6dcd646a8eef492c07bdeccde63448aea4b51")
        + hexBytes("445694f67798589de764c512ae0a95730ca724dcf410483245bc08a76eb73e59"))
  }

  @Test(
    "HP-41 Contact identifiers of the published vectors",
    arguments: [
      (0, 0, "e2cfbeb32de932c9171c658b5f57a337"), (0, 1, "d7f8ef992e35091fed00b9c47dcfe398"),
      (0, 239, "8c9a22759b2a87ff41a9391e8d390f35"), (1, 0, "2e41c6b74864db2420f646a157a2b808"),
      (10, 239, "71457b8192143e193dcb99dc3900349f"), (2000, 0, "a8e35281f2c3c97642248c4ea20301c3"),
      (2000, 239, "b9eec54cd6b0655dedbeb5d0d778b161"),
    ])
  func publishedIdentifiers(day: Int, period: Int, expected: String) throws {
    #expect(identifier(try matchingKeys(first: day, last: day), period) == hexBytes(expected))
  }

  @Test("Another secret: 2048 times 0x01")
  func otherSecret() throws {
    let key = try matchingKeys(secretOf: 1, first: 0, last: 0)
    #expect(identifier(key, 0) == hexBytes("cc92891d59bfd432c00b03567ffb207e"))
  }

  @Test("All 240 periods of a day, checked against Python's hashlib through the digest of all identifiers")
  func wholeDay() throws {
    let key = try matchingKeys(first: 10, last: 10)
    var chain = ContactIdentifierChain()
    chain.start(matchingKey: inline32(key))
    var all: [UInt8] = []
    var distinct: Set<[UInt8]> = []
    for period in 0..<240 {
      let one = chain.identifier(period: period)?.array ?? []
      all += one
      distinct.insert(one)
    }
    #expect(all.count == 240 * 16)
    let digest = SHA256.digest(of: all.span).array
    #expect(
      digest
        == hexBytes("452dc7827245c7111b1dd27ac7f415506a9771d2a0df5108256b1d6680de0200"))
    #expect(distinct.count == 240)
  }

  @Test(
    "There are no identifiers outside the 240 periods, but for the start of the chain that matchers expect")
  func outsidePeriods() throws {
    let key = try matchingKeys(first: 10, last: 10)
    var chain = ContactIdentifierChain()
    chain.start(matchingKey: inline32(key))
    for period in [-1, 240, .max, .min] {
      let found = chain.identifier(period: period)?.array
      #expect(found == nil)
    }
    #expect(identifier(key, 240) != nil)
    #expect(identifier(key, -1) == nil)
    #expect(identifier(key, 241) == nil)
    #expect(identifier(key, .max) == nil)
    #expect(identifier(key, .min) == nil)
  }

  @Test(
    "HP-41 Every row of the published table of contact identifiers",
    .enabled(if: PublishedData.has("vectors/contactIdentifier.csv")))
  func publishedTable() throws {
    let rows = try PublishedData.rows("vectors/contactIdentifier.csv")
    #expect(rows.count == 1000)
    let last = rows.compactMap { Int($0[0]) }.max() ?? 0
    let keys = try matchingKeys(first: 0, last: last)
    var chain = ContactIdentifierChain()
    var chainDay = -1
    for row in rows {
      let day = try #require(Int(row[0]))
      let period = try #require(Int(row[1]))
      let key = Array(keys[day * 32..<day * 32 + 32])
      #expect(PublishedData.base64(row[2]) == key, "matching key of day \(day)")
      if day != chainDay {
        chain.start(matchingKey: inline32(key))
        chainDay = day
      }
      let expected = PublishedData.base64(row[4])
      #expect(identifier(key, period) == expected, "day \(day) period \(period)")
      if period < 240 {
        #expect(chain.identifier(period: period)?.array == expected, "day \(day) period \(period)")
      }
    }
  }

  @Test("A window of days equals the days one by one")
  func window() throws {
    let window = try matchingKeys(first: 990, last: 1010)
    for day in [990, 1000, 1010] {
      let start = (day - 990) * 32
      let expected = Array(window[start..<start + 32])
      #expect(try matchingKeys(first: day, last: day) == expected)
    }
  }

  @Test("What cannot be derived is refused, and says why")
  func refusals() {
    let secret = [UInt8](repeating: 0, count: 2048)
    func derive(_ secret: [UInt8], _ first: Int, _ last: Int, room: Int) throws(KeyScheduleError) {
      var keys = [UInt8](repeating: 0, count: room)
      var span = keys.mutableSpan
      try SimpleKeySchedule.deriveMatchingKeys(from: secret.span, first: first, last: last, into: &span)
    }
    #expect(throws: KeyScheduleError.secretLength) { try derive([1, 2, 3], 0, 0, room: 32) }
    #expect(throws: KeyScheduleError.pastEnd) { try derive(secret, 2000, 2001, room: 64) }
    #expect(throws: KeyScheduleError.emptyWindow) { try derive(secret, 5, 4, room: 64) }
    #expect(throws: KeyScheduleError.emptyWindow) { try derive(secret, -1, 4, room: 640) }
    #expect(throws: KeyScheduleError.bufferTooSmall) { try derive(secret, 1, 2, room: 63) }
    #expect(throws: KeyScheduleError.pastEnd) { try derive(secret, 0, .max, room: 63) }
  }

  @Test("Day and period of a moment, from the first second to the last")
  func moments() throws {
    let epoch = KeyScheduleEpoch.phones
    #expect(epoch.unixSeconds == 1_600_905_600)
    #expect(try epoch.moment(at: 1_600_905_600) == moment(0, 0, 360))
    #expect(try epoch.moment(at: 1_600_905_600 + 359) == moment(0, 0, 1))
    #expect(try epoch.moment(at: 1_600_905_600 + 360) == moment(0, 1, 360))
    #expect(try epoch.moment(at: 1_600_905_600 + 86_399) == moment(0, 239, 1))
    #expect(try epoch.moment(at: 1_600_905_600 + 86_400) == moment(1, 0, 360))
    // 2026-03-17T23:59:59Z is the last second of the phones' schedule.
    #expect(try epoch.moment(at: 1_773_791_999) == moment(2000, 239, 1))
    #expect(throws: KeyScheduleError.pastEnd) { try epoch.moment(at: 1_773_792_000) }
    #expect(throws: KeyScheduleError.pastEnd) { try epoch.moment(at: .max) }
    #expect(throws: KeyScheduleError.beforeEpoch) { try epoch.moment(at: 1_600_905_599) }
    #expect(throws: KeyScheduleError.beforeEpoch) { try epoch.moment(at: 0) }
  }

  @Test("An epoch of one's own moves the schedule")
  func ownEpoch() throws {
    let epoch = KeyScheduleEpoch(unixSeconds: 1_773_792_000)
    #expect(epoch.unixSeconds == 1_773_792_000)
    #expect(try epoch.moment(at: 1_773_792_000) == moment(0, 0, 360))
    let start = KeyScheduleEpoch(unixSeconds: 0)
    #expect(try start.moment(at: 0) == moment(0, 0, 360))
    let far = KeyScheduleEpoch(unixSeconds: .max)
    #expect(far.unixSeconds == .max)
    #expect(throws: KeyScheduleError.beforeEpoch) { try far.moment(at: .max - 1) }
  }

  private func moment(_ day: Int, _ period: Int, _ left: Int) -> KeyScheduleMoment {
    KeyScheduleMoment(day: day, period: period, secondsLeft: left)
  }
}
