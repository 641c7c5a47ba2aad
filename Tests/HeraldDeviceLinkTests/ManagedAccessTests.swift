import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

/// A board whose settings are in a flash that outlives it.
private struct PersistentBoard: ManagedBoard, ~Copyable {
  var settings: SettingsStore<MemoryFlash>
  var restarts = 0
  mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int {
    guard field == .nodeName else { return 0 }
    var writer = ByteWriter(text._mutatingExtracting(0...))
    writer.text("BADGE-7")
    return writer.count
  }
  mutating func restart(at now: Instant) { restarts += 1 }
  var entries = 0
  static var entersBootLoader: Bool { true }
  mutating func enterBootLoader(at now: Instant) { entries += 1 }
}

/// A whole device with two links, started anew on the flash of the one before.
private struct Badge: ~Copyable {
  typealias Device = ManagedNode<
    MockRadio,
    ManagedPartList<
      MemoryFlash, CountingRandom, StoredPayloadSupplier<129>, NoDelegate, HeraldGATTTable,
      PersistentBoard
    >, 4, 1, 1
  >
  let log: FlashImage
  let kept: FlashImage
  var device: Device
  var servers = [SMPServer(), SMPServer()]
  /// The sessions that hosts have on the links.
  var hosts: [TestHost?] = [nil, nil]
  // Long enough after the start that proofs are looked at.
  var now = Instant.start + .seconds(4)

  init(log: FlashImage, kept: FlashImage, seed: UInt32 = 1) {
    self.log = log
    self.kept = kept
    device = Device(
      radio: MockRadio(), flash: MemoryFlash(log), random: CountingRandom(last: seed),
      supplier: StoredPayloadSupplier(
        otherwise: FixedPayloadSupplier(country: 1, state: 0, clientIdentifier: 1)),
      delegate: NoDelegate(), board: PersistentBoard(settings: SettingsStore(flash: MemoryFlash(kept))))
    device.takeSettings(at: .start)
    round()
  }

  mutating func round() {
    now = now + .milliseconds(10)
    _ = device.continueFactoryReset(at: now)
    device.loadPayload(at: now)
    _ = device.node.poll(at: now)
  }

  /// A host sets the clock, and the device takes a new payload.
  mutating func set(_ unixSeconds: UInt64) -> Bool {
    let isSet = device.setClock(unixMilliseconds: unixSeconds * 1000, at: now)
    for _ in 0..<3 { round() }
    return isSet
  }

  /// The body of the response; of one that is not sealed in a session, as it is.
  mutating func ask(
    _ operation: UInt8, _ group: UInt8, _ command: UInt8, _ body: [UInt8], on link: Int = 0
  ) -> [UInt8] {
    let plain =
      [0x08 | operation, 0, UInt8(body.count >> 8), UInt8(body.count & 0xFF), 0, group, 0, command] + body
    let request = hosts[link]?.seal(plain) ?? plain
    var buffer = request + [UInt8](repeating: 0, count: 512 - request.count)
    var span = buffer.mutableSpan
    let count = servers[link].respond(to: &span, count: request.count, at: now, device: &device)
    let answer = Array(buffer[..<count])
    return hosts[link]?.open(answer) ?? Array(answer.dropFirst(8))
  }

  mutating func setKey(_ key: [UInt8], on link: Int = 0) -> [UInt8] {
    ask(2, 3, 0, hex("A2 64 6E616D65 6A 6163636573732F6B6579 63 76616C 5820") + key, on: link)
  }

  /// Opens a session with `key`; whether it is open.
  mutating func unlock(_ key: [UInt8], on link: Int = 0) -> Bool {
    hosts[link] = nil
    let challenge = ask(0, 72, 5, [0xA0], on: link)
    guard let place = challenge.indices.first(where: { challenge[$0] == 0x50 }) else { return false }
    let nonce = Array(challenge[(place + 1)..<(place + 17)])
    let opening = TestHost.opening(key: key, serial: "BADGE-7", deviceNonce: nonce)
    guard ask(2, 72, 5, Array(opening.dropFirst(8)), on: link).count == 41 else { return false }
    hosts[link] = TestHost(key: key, serial: "BADGE-7", deviceNonce: nonce)
    return true
  }

  mutating func isOpen(on link: Int = 0) -> Bool { ask(2, 3, 2, [0xA0], on: link) == [0xA0] }

  /// A piece of a payload blob.
  mutating func upload(_ blob: [UInt8], from offset: Int, _ count: Int, name: String = "682F7061796C6F6164")
    -> [UInt8]
  {
    let piece = Array(blob[offset..<min(blob.count, offset + count)])
    let start = offset == 0 ? hex("A4 64 6E616D65 \(name) 63 6C656E") + [0x18, UInt8(blob.count)] : [0xA2]
    return ask(
      2, 8, 0,
      start + hex("63 6F6666") + [0x18, UInt8(offset)] + hex("64 64617461") + [0x58, UInt8(piece.count)]
        + piece)
  }
}

@Suite("A whole device, locked and provisioned over its links")
struct ManagedAccessTests {
  private func log() -> FlashImage { FlashImage(pageSize: 512, pageCount: 3, wordSize: 4) }
  private func kept() -> FlashImage { FlashImage(pageSize: 1024, pageCount: 2, wordSize: 4) }
  private let locked = hex("A1 62 7263 0B")
  private let key = [UInt8](repeating: 0x5A, count: 32)
  private let other = [UInt8](repeating: 0xA5, count: 32)

  @Test(
    "a key that is set locks every link, also the one it was set on, and stays over restarts; a new one ends sessions of the former"
  )
  func lifeOfAKey() {
    let (log, kept) = (log(), kept())
    var badge = Badge(log: log, kept: kept)
    check(badge.isOpen() && badge.isOpen(on: 1))
    check(badge.setKey(key) == [0xA0])
    check(!badge.isOpen() && !badge.isOpen(on: 1) && badge.setKey(other) == locked)
    check(badge.unlock(key) && badge.isOpen() && !badge.isOpen(on: 1))
    check(badge.unlock(key, on: 1) && badge.isOpen(on: 1))
    check(badge.setKey(other, on: 1) == [0xA0], "the answer is still sealed with the former key's")
    check(!badge.isOpen() && !badge.isOpen(on: 1) && !badge.unlock(key))
    var next = Badge(log: log, kept: kept, seed: 2)
    check(!next.isOpen() && next.unlock(other) && next.isOpen())
    // Taken away.
    check(next.ask(2, 3, 1, hex("A1 64 6E616D65 6A 6163636573732F6B6579")) == [0xA0] && next.isOpen(on: 1))
    var third = Badge(log: log, kept: kept, seed: 3)
    check(third.isOpen())
    #expect(!contains(kept, key) && !contains(kept, other))
  }

  @Test("the boot loader is entered without a session only while there is no key")
  func bootLoader() {
    var badge = Badge(log: log(), kept: kept())
    // {"boot_mode": 1}; no other mode is known.
    let request = hex("A1 69 626F6F745F6D6F6465 01")
    check(badge.ask(2, 0, 5, hex("A1 69 626F6F745F6D6F6465 02")) == hex("A1 62 7263 08"))
    check(badge.ask(2, 0, 5, request) == [0xA0])
    check(badge.device.board.entries == 1 && badge.device.board.restarts == 0)
    check(badge.setKey(key) == [0xA0])
    check(badge.ask(2, 0, 5, request) == locked)
    check(badge.device.board.entries == 1)
    check(badge.unlock(key) && badge.ask(2, 0, 5, request) == [0xA0])
    check(badge.device.board.entries == 2 && badge.device.board.restarts == 0)
    check(badge.ask(2, 0, 5, hex("A1 69 626F6F745F6D6F6465 00")) == [0xA0])
    check(badge.device.board.entries == 2 && badge.device.board.restarts == 1)
  }

  @Test(
    "a device whose settings are damaged stays locked, to the owner's key if that is whole, and a reset opens it"
  )
  func damage() {
    for isKeyHurt in [false, true] {
      let (log, kept) = (log(), kept())
      var badge = Badge(log: log, kept: kept)
      check(badge.setKey(key) == [0xA0])
      let start = kept.bytes.indices.first { kept.bytes[$0...].starts(with: "HSet".utf8) } ?? 0
      kept.bytes[start + (isKeyHurt ? 40 : 20)] ^= 0x10
      for seed in [2, 3] as [UInt32] {
        var next = Badge(log: log, kept: kept, seed: seed)
        check(!next.isOpen() && next.setKey(other) == locked)
        check(next.unlock(key) == !isKeyHurt && next.isOpen() == !isKeyHurt)
      }
      var last = Badge(log: log, kept: kept, seed: 4)
      let epoch = last.device.logStatus().epoch
      check(epoch != 0 && last.device.beginFactoryReset())
      for _ in 0..<8 { last.round() }
      #expect((log.bytes + kept.bytes).allSatisfy { $0 == 0xFF })
      var new = Badge(log: log, kept: kept, seed: 5)
      check(new.isOpen() && new.device.logStatus().epoch != epoch)
    }
  }

  @Test("a device whose key was lost is erased, log first, and is open then, with nothing on it")
  func lostKey() {
    let (log, kept) = (log(), kept())
    var badge = Badge(log: log, kept: kept)
    check(badge.setKey(key) == [0xA0] && !badge.isOpen())
    let epoch = badge.device.logStatus().epoch
    check(badge.ask(0, 72, 0, [0xA0]).first == 0xA9, "its epoch is not secret")
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: epoch >> (24 - 8 * $0)) }
    check(badge.ask(2, 72, 3, hex("A1 65 65706F6368 1A") + bytes).first == 0xA3)
    for _ in 0..<3 {
      check(!badge.isOpen(), "not before it is done")
      badge.round()
    }
    for _ in 0..<3 { badge.round() }
    #expect((log.bytes + kept.bytes).allSatisfy { $0 == 0xFF })
    var next = Badge(log: log, kept: kept, seed: 2)
    check(next.isOpen() && next.device.logStatus().boot == 1)
  }

  @Test(
    "a payload is uploaded as MCUmgr uploads files, is what the device then offers, and is reported unless it is secret"
  )
  func payload() {
    let (log, kept) = (log(), kept())
    var badge = Badge(log: log, kept: kept)
    // {"family": "fixed", "data": …}: that of the image.
    let image = hex("08 0100 0000 0100000000000000")
    check(badge.ask(0, 72, 7, [0xA0]) == hex("A2 66 66616D696C79 65 6669786564 64 64617461 4D") + image)
    let payload = hex("08 3A03 0000 D202964900000000")
    let blob = hex("48506179 01 01 0d00 0000 0000 0000000000000000 0000 0000 a582f07f 0cad6fce") + payload
    func next(_ offset: UInt8) -> [UInt8] { hex("A1 63 6F6666") + (offset < 24 ? [offset] : [0x18, offset]) }
    check(badge.upload(blob, from: 0, 20) == next(20))
    check(badge.upload(blob, from: 21, 9) == next(20), "not the next one")
    // The packet's own memory has nothing of it any more.
    let piece = hex("A2 63 6F6666 14 64 64617461 54") + blob[20..<40]
    var buffer = hex("0A00") + [0, UInt8(piece.count)] + hex("0008 0000") + piece
    let count = buffer.count
    var span = buffer.mutableSpan
    let answered = badge.servers[1].respond(to: &span, count: count, at: badge.now, device: &badge.device)
    #expect(answered > 0 && !buffer.contains(blob[39]) && blob[39] > 0x20)
    check(badge.upload(blob, from: 20, 20) == next(40) && badge.upload(blob, from: 40, 20) == next(45))
    check(badge.ask(0, 72, 7, [0xA0]).suffix(13) == payload[...], "whoever asks right behind it")
    badge.round()
    check(badge.ask(0, 72, 7, [0xA0]).suffix(13) == payload[...])
    // Another name; no name; no length; a read; damage.
    check(
      badge.upload(blob, from: 0, 20, name: "642F6C6F67")
        == hex("A1 63 657272 A2 65 67726F7570 08 62 7263 03"))
    check(badge.ask(2, 8, 0, hex("A2 63 6F6666 00 64 64617461 41 00")) == hex("A1 62 7263 03"))
    check(
      badge.ask(0, 8, 0, hex("A2 64 6E616D65 682F7061796C6F6164 63 6F6666 00")).prefix(2) != hex("A2 63")[...]
    )
    var damaged = blob
    damaged[40] ^= 1
    check(badge.upload(damaged, from: 0, 45) == hex("A1 62 7263 03"))
    var restarted = Badge(log: log, kept: kept, seed: 2)
    check(restarted.ask(0, 72, 7, [0xA0]).suffix(13) == payload[...])
  }

  @Test(
    "of the simple family the status tells how many keys are in flash, until when, and why it is not offered; no bytes"
  )
  func simple() {
    var badge = Badge(log: log(), kept: kept())
    // Days 1999 and 2000 of the phones' epoch.
    let blob =
      hex("48506179 01 02 5000 3a03 0400 80e16b5f00000000 cf07 0200 b1848c4b 2747a97a") + Array(0..<32)
      + hex("cf070000 3a047892") + Array(32..<64) + hex("d0070000 22ae9b6e")
    check(badge.upload(blob, from: 0, 112).suffix(2) == [0x18, 112])
    badge.round()
    let head = hex("A4 66 66616D696C79 66 73696D706C65 65 756E74696C 1A 69B9EB00")
    let (keys, days, why) = (hex("64 6B657973"), hex("64 64617973"), hex("63 776879"))
    func told(_ keyCount: UInt8, _ last: [UInt8]) -> [UInt8] { head + keys + [keyCount] + last }
    check(badge.ask(0, 72, 7, [0xA0]) == told(2, why + [2]), "no date")
    // Noon of day 1999, and sixty days ahead: a computer with a wrong date.
    let noon = (1_600_905_600 + 1999 * 86_400 + 43_200) as UInt64
    check(badge.set(noon))
    check(badge.ask(0, 72, 7, [0xA0]) == told(2, days + [2]))
    check(badge.set(noon + 60 * 86_400))
    check(badge.ask(0, 72, 7, [0xA0]) == told(0, why + [5]), "the schedule is over")
    check(badge.set(noon + 86_400))
    check(badge.ask(0, 72, 7, [0xA0]) == told(1, days + [1]))
    check(badge.set(noon - 86_400))
    check(badge.ask(0, 72, 7, [0xA0]) == told(2, why + [3]), "before the window")
    #expect(contains(badge.kept, Array(0..<32)) && contains(badge.kept, Array(32..<64)))
    check(badge.set(noon))
    check(badge.ask(0, 72, 7, [0xA0]) == told(2, days + [2]), "put right, nothing was lost")
    // The day passes by the device's own time.
    for _ in 0..<(13 * 12) {
      badge.now = badge.now + .minutes(5)
      badge.round()
    }
    for _ in 0..<3 { badge.round() }
    #expect(!contains(badge.kept, Array(0..<32)) && contains(badge.kept, Array(32..<64)))
    check(badge.ask(0, 72, 7, [0xA0]) == told(1, days + [1]))
    check(badge.set(noon))
    check(badge.ask(0, 72, 7, [0xA0]) == told(1, why + [6]), "the key of that day is erased")
  }

  private func contains(_ image: FlashImage, _ bytes: [UInt8]) -> Bool {
    (0...(image.bytes.count - bytes.count)).contains { image.bytes[$0..<$0 + bytes.count] == bytes[...] }
  }
}
