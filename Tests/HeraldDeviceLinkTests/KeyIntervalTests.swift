import HeraldBluetooth
import HeraldDeviceLink
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

/// Whether a flash takes no words.
private final class Fault {
  var isThere = false
}

/// A flash whose pages can be erased although no word can be programmed.
private struct FailingFlash: Flash, ~Copyable {
  var base: MemoryFlash
  let fault: Fault
  var pageSize: Int { base.pageSize }
  var pageCount: Int { base.pageCount }
  var wordSize: Int { base.wordSize }
  mutating func read(page: Int, offset: Int, into buffer: inout MutableSpan<UInt8>) throws(FlashError) {
    try base.read(page: page, offset: offset, into: &buffer)
  }
  mutating func program(page: Int, offset: Int, _ bytes: Span<UInt8>) throws(FlashError) {
    guard !fault.isThere else { throw .hardware }
    try base.program(page: page, offset: offset, bytes)
  }
  mutating func clear(page: Int, offset: Int, count: Int) throws(FlashError) {
    try base.clear(page: page, offset: offset, count: count)
  }
  mutating func erase(page: Int) throws(FlashError) { try base.erase(page: page) }
}

/// How often a device that seals its log makes keys, whatever its log and its flash do.
@Suite("The interval of keys of sealed logs")
struct KeyIntervalTests {
  private typealias Device = ManagedNode<
    MockRadio,
    ManagedPartList<
      FailingFlash, CountingRandom, FixedPayloadSupplier, NoDelegate, HeraldGATTTable,
      PlainBoard
    >, 4, 1, 1
  >

  private let fault = Fault()
  private let image = FlashImage(pageSize: 256, pageCount: 64, wordSize: 4)

  private func device() -> Device {
    var device = Device(
      radio: MockRadio(), flash: FailingFlash(base: MemoryFlash(image), fault: fault),
      random: CountingRandom(last: 1),
      supplier: FixedPayloadSupplier(country: 1, state: 0, clientIdentifier: 1), delegate: NoDelegate(),
      board: PlainBoard())
    device.takeSettings(at: .start)
    let owner: [UInt8] = [9] + [UInt8](repeating: 0, count: 31)
    check(device.keepOwnerKey(owner.span))
    return device
  }

  /// Whether keys were made now; the work takes no time here.
  private func makesKeys(_ device: inout Device, at seconds: UInt64) -> Bool {
    let now = Instant(milliseconds: seconds * 1000)
    guard device.advanceSealing(at: now) else { return false }
    while device.advanceSealing(at: now) {}
    return true
  }

  /// Logs up to `count` readings, and returns how many were taken.
  private func log(_ count: Int, to device: inout Device, at seconds: UInt64) -> Int {
    for index in 0..<count {
      let target = TargetIdentity(
        kind: .randomAddress, high: 0x4000, low: UInt32(truncatingIfNeeded: index % 7))
      do throws(LogError) {
        try device.node.core.log.append(
          .measured(target, RSSI(Int8(-40 - index * 37 % 50))), at: Instant(milliseconds: seconds * 1000),
          clock: WallClock())
      } catch { return index }
    }
    return count
  }

  /// The keys of the headers that were programmed: the public key and the number of the segment.
  private func segments() -> [[UInt8]] {
    var headers: [[UInt8]] = []
    for case .word(let page, let offset, let bytes) in image.journal ?? [] {
      guard offset >= 40, offset < 76 else { continue }
      if offset == 40 { headers.append([UInt8(page)]) }
      headers[headers.count - 1] += bytes
    }
    return headers.map { Array($0.dropFirst().prefix(33)) }
  }

  @Test("A log that fills as fast as it can makes keys once an hour, and uses no place of a chain twice")
  func filled() throws {
    var device = device()
    image.journal = []
    var made: [UInt64] = []
    var taken: [Int] = []
    for seconds in stride(from: UInt64(0), to: 3 * 3600, by: 20) {
      if makesKeys(&device, at: seconds) { made.append(seconds) }
      if seconds == 0 { device.node.core.log.mount(freshEpoch: 1) }
      taken.append(log(1000, to: &device, at: seconds))
    }
    #expect(made == [0, 3600, 7200])
    // As much as it can in the first minutes, and something in each minute after that.
    #expect(taken[..<20] == .init(repeating: 1000, count: 20)[...])
    #expect(taken.contains(0))
    for minute in 0..<taken.count / 3 {
      let sum = taken[(3 * minute)..<(3 * minute + 3)].reduce(0, +)
      #expect(sum > 0, "minute \(minute)")
    }
    let segments = segments()
    #expect(segments.count > 3 * 240 && Set(segments).count == segments.count)
    #expect(Set(segments.map { Array($0.prefix(32)) }).count == 3)
    #expect(segments.allSatisfy { $0[32] < 255 })
  }

  @Test("Pages that fail do not make more keys; when they work again the device logs within a minute")
  func failing() throws {
    var device = device()
    var made: [UInt64] = []
    var firstTaken: UInt64?
    var takenMeanwhile = 0
    for seconds in stride(from: UInt64(0), to: 2 * 3600, by: 5) {
      if makesKeys(&device, at: seconds) { made.append(seconds) }
      if seconds == 0 { device.node.core.log.mount(freshEpoch: 1) }
      // All pages fail from the tenth to the thirtieth minute.
      fault.isThere = (600..<1800).contains(seconds)
      let count = log(10, to: &device, at: seconds)
      if fault.isThere {
        // The first ones are in RAM, until they have to be programmed.
        takenMeanwhile += count
      } else if seconds >= 1800, count > 0, firstTaken == nil {
        firstTaken = seconds
      }
    }
    #expect(takenMeanwhile < 200)
    // With each page that failed a key of the chain is lost.
    #expect(made == [0, 3600])
    #expect(zip(made, made.dropFirst()).allSatisfy { $1 - $0 >= 3600 })
    #expect(try #require(firstTaken) <= 1860)
  }

  @Test("Another owner's key is used at once")
  func otherOwner() throws {
    var device = device()
    var made: [UInt64] = []
    for seconds in UInt64(0)..<20 {
      if seconds == 5 || seconds == 7 {
        let owner: [UInt8] = [UInt8(seconds)] + [UInt8](repeating: 1, count: 31)
        check(device.keepOwnerKey(owner.span))
      }
      if makesKeys(&device, at: seconds) { made.append(seconds) }
      if seconds == 0 { device.node.core.log.mount(freshEpoch: 1) }
    }
    #expect(made == [0, 5, 7])
  }
}
