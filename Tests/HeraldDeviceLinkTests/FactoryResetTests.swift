import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

/// A board with settings in a flash of their own.
private struct PersistentBoard: ManagedBoard, ~Copyable {
  var settings: SettingsStore<MemoryFlash>
  var restarts = 0
  mutating func information(_ field: InformationField, into text: inout MutableSpan<UInt8>) -> Int { 0 }
  mutating func restart(at now: Instant) { restarts += 1 }
}

extension MockRadio: StatisticsSource {
  /// No name.
  public static var statisticsName: StaticString { "radio" }
  /// No counters.
  public static var statisticsCount: Int { 0 }
  /// No names.
  public static func statisticName(_ index: Int) -> StaticWord { "" }
  /// No values.
  public mutating func statistic(_ index: Int) -> UInt32 { 0 }
}

/// A device whose flash outlives it.
private struct KeptDevice: ~Copyable {
  typealias Device = ManagedNode<
    MockRadio,
    ManagedPartList<
      MemoryFlash, CountingRandom, FixedPayloadSupplier, NoDelegate, HeraldGATTTable,
      PersistentBoard
    >, 4, 1, 1
  >
  let log: FlashImage
  let kept: FlashImage
  var device: Device
  var server = SMPServer()
  var now = Instant.start

  init(log: FlashImage, kept: FlashImage, seed: UInt32) {
    self.log = log
    self.kept = kept
    device = Device(
      radio: MockRadio(), flash: MemoryFlash(log), random: CountingRandom(last: seed),
      supplier: FixedPayloadSupplier(country: 826, state: 0, clientIdentifier: 7), delegate: NoDelegate(),
      board: PersistentBoard(settings: SettingsStore(flash: MemoryFlash(kept))))
  }

  /// A round of the loop, as a board has it.
  mutating func round() {
    now = now + .milliseconds(10)
    let before = log.erasures.reduce(0, +) + kept.erasures.reduce(0, +)
    _ = device.continueFactoryReset(at: now)
    #expect(log.erasures.reduce(0, +) + kept.erasures.reduce(0, +) - before <= 1, "one erasure a round")
    _ = device.node.poll(at: now)
  }

  mutating func answer(_ request: [UInt8]) -> [UInt8] {
    var buffer = request + [UInt8](repeating: 0, count: 128 - request.count)
    var span = buffer.mutableSpan
    let count = server.respond(to: &span, count: request.count, at: now, device: &device)
    return Array(buffer[..<count])
  }

  var epoch: UInt32 { mutating get { device.logStatus().epoch } }
  var restarts: Int { device.board.restarts }
  var isBlank: Bool { (log.bytes + kept.bytes).allSatisfy { $0 == 0xFF } }
}

@Suite("Factory reset")
struct FactoryResetTests {
  private let status = hex("08000001 0048 0303 A0")
  private func request(_ epoch: UInt32) -> [UInt8] {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: epoch >> (24 - 8 * $0)) }
    return hex("0A00000C 0048 0303 A1 65 65706F6368 1A") + bytes
  }
  private func progress(_ done: UInt8, _ total: UInt8, _ bad: UInt8 = 0, operation: String = "09") -> [UInt8]
  {
    hex("\(operation)000010 0048 0303 A3 64 646F6E65") + [done] + hex("62 6F66") + [total] + hex("63 626164")
      + [bad]
  }

  /// A device that has logged over several pages and has a key.
  private func used() throws -> KeptDevice {
    var device = KeptDevice(
      log: FlashImage(pageSize: 512, pageCount: 3, wordSize: 4),
      kept: FlashImage(pageSize: 128, pageCount: 2, wordSize: 4), seed: 0x1234_5678)
    device.round()
    for number in 0..<9 {
      try device.device.node.core.log.append(
        .received(TargetIdentity(kind: .randomAddress, high: 1, low: 2)),
        bytes: [UInt8](repeating: UInt8(number), count: 90).span, at: device.now, clock: WallClock())
    }
    device.device.node.core.log.commit()
    var random = CountingRandom(last: 5)
    _ = device.device.board.settings.addressKey(random: &random)
    check(!device.isBlank)
    return device
  }

  @Test("erases log and settings, a page in a round, says how far it is and that it is done, and restarts")
  func whole() throws {
    var device = try used()
    let epoch = device.epoch
    check(device.answer(status) == progress(0, 0))
    // Of another log, and without saying of which.
    check(
      device.answer(request(epoch &+ 1))
        == hex("0B000012 0048 0303 A1 63 657272 A2 65 67726F7570 1848 62 7263 04"))
    check(device.answer(hex("0A000001 0048 0303 A0")) == hex("0B000005 0048 0303 A1 62 7263 03"))
    device.round()
    check(device.answer(status) == progress(0, 0))
    check(device.answer(request(epoch)) == progress(0, 4, operation: "0B"))
    for done in 1...3 {
      device.round()
      check(device.answer(status) == progress(UInt8(done), 4))
    }
    #expect(device.log.bytes.allSatisfy { $0 == 0xFF })
    // Asked again: the same reset.
    check(device.answer(request(epoch)) == progress(3, 4, operation: "0B"))
    device.round()
    device.round()
    check(device.answer(status) == progress(4, 4))
    check(device.isBlank && device.restarts == 0)
    // A host has two seconds to ask.
    for _ in 0..<100 { device.round() }
    check(device.answer(status) == progress(4, 4))
    check(device.restarts == 0)
    device.now = device.now + .seconds(1)
    device.round()
    device.round()
    check(device.isBlank && device.restarts == 1)
    // The new life: another log, and nothing to erase.
    var next = KeptDevice(log: device.log, kept: device.kept, seed: 99)
    next.round()
    check(next.answer(status) == progress(0, 0))
    check(next.epoch != epoch && next.device.logStatus().boot == 1)
    check(
      next.answer(request(epoch)) == hex("0B000012 0048 0303 A1 63 657272 A2 65 67726F7570 1848 62 7263 04"))
  }

  @Test(
    "power cut at every step: nothing is erased before the host could have had its response, and what was begun is ended"
  )
  func power() throws {
    let image = try used()
    let log = image.log
    let kept = image.kept
    for tearing in [FlashImage.Tearing.nothing, .some(seed: 11), .all] {
      for cut in 0..<14 {
        // One power for both memories: steps of the settings come first and last, those of the log in
        // between.
        var device = KeptDevice(log: log.copy(), kept: kept.copy(), seed: 1)
        device.now = .start
        _ = device.device.continueFactoryReset(at: device.now)
        device.device.node.core.log.mount(freshEpoch: 1)
        let epoch = device.epoch
        let noteSteps = 2
        let logSteps = 3 * 3
        if cut < noteSteps {
          device.kept.cutPower(afterSteps: cut, tearing: tearing)
        } else if cut < noteSteps + logSteps {
          device.log.cutPower(afterSteps: cut - noteSteps, tearing: tearing)
        } else {
          device.kept.cutPower(afterSteps: cut - logSteps, tearing: tearing)
        }
        let answer = device.answer(request(epoch))
        let isBegun = answer == progress(0, 4, operation: "0B")
        #expect(isBegun == (cut >= noteSteps))
        if cut < noteSteps {
          check(answer == hex("0B000012 0048 0303 A1 63 657272 A2 65 67726F7570 1848 62 7263 05"))
        }
        for _ in 0..<8 where device.log.hasPower && device.kept.hasPower {
          _ = device.device.continueFactoryReset(at: device.now)
        }
        device.log.restorePower()
        device.kept.restorePower()
        if !isBegun, tearing != .all { #expect(device.log.bytes == log.bytes) }
        // The next start.
        var next = KeptDevice(log: device.log, kept: device.kept, seed: 2)
        for _ in 0..<10 { _ = next.device.continueFactoryReset(at: next.now) }
        guard isBegun else { continue }
        check(next.isBlank, "\(tearing) at step \(cut)")
      }
    }
  }

  @Test("a page that cannot be erased is reported; the others are erased")
  func broken() throws {
    var device = try used()
    let epoch = device.epoch
    device.log.brokenPages = [1]
    _ = device.answer(request(epoch))
    for _ in 0..<6 { device.round() }
    check(device.answer(status) == progress(4, 4, 1))
    device.log.brokenPages = []
    let left = (0..<3).filter { page in
      device.log.bytes[(page * 512)..<(page * 512 + 512)].contains { $0 != 0xFF }
    }
    #expect(left == [1] && device.kept.bytes.allSatisfy { $0 == 0xFF })
  }

  @Test("a board that keeps nothing refuses")
  func unsupported() {
    var device = TestDevice()
    check(
      answer(request(0xCAFE_F00D), &device)
        == hex("0B000012 0048 0303 A1 63 657272 A2 65 67726F7570 1848 62 7263 05"))
  }
}
