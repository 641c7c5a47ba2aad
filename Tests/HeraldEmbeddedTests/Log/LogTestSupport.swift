import HeraldSimulation
import TestInputs

@testable import HeraldEmbedded
@testable import HeraldHAL

/// A record with its payload and boot, as a plain value to compare.
struct PlainRecord: Equatable {
  var event: LogEvent
  var milliseconds: UInt64
  var payload: [UInt8] = []
  var boot: UInt32 = 1
}

/// Everything a page holds.
struct PlainPage {
  var header: LogPageHeader
  var records: [PlainRecord]
  var ending: LogPageDecoder.Ending
  var boots: [UInt32]
}

/// The owner of sealed logs in tests, and the serial number of their device.
enum TestOwner {
  static let secret = [UInt8](1...32)
  static let serial = Array("SEAL-0001".utf8)
  static let opener = SealedPageOpener(secret: secret.span)
  /// The same that has opened a page of the keys below, and so computed their secret: many tests open many.
  static let warmOpener = warmed()
  private static func warmed() -> SealedPageOpener {
    let image = FlashImage(pageSize: 1024, pageCount: 4, wordSize: 4)
    var log = FlashLog<MemoryFlash, 8>.mounted(on: image, isSealed: true)
    do throws(LogError) {
      try log.add(.battery(level: 1, external: false), at: 0)
    } catch {
      return opener
    }
    log.commit()
    var warm = opener
    var output = [UInt8](repeating: 0, count: SealedPage.room(for: 1024))
    var room = output.mutableSpan
    _ = warm.open(Array(image.bytes[..<1024]).span, serial: serial.span, into: &room)
    return warm
  }
  /// The keys of the device, made once.
  static let sealer = sealer(secret: [UInt8](33...64))

  /// Keys made from these random bytes.
  static func sealer(secret: [UInt8], at now: Instant = .start) -> LogSealer {
    var sealer = LogSealer()
    let owner = opener.publicKey.array
    sealer.begin(secret: secret.span)
    for isLast in [false, true] {
      while !sealer.advance() {}
      let isMade = sealer.advance(owner: owner.span, serial: serial.span, at: now)
      precondition(isMade == isLast)
    }
    return sealer
  }

  /// A sealed page as if it had not been sealed; `nil` if nothing of it can be opened.
  static func opened(
    _ page: [UInt8], serial: [UInt8] = serial, by opener: SealedPageOpener = warmOpener
  ) -> [UInt8]? {
    var opener = opener
    var output = [UInt8](repeating: 0, count: SealedPage.room(for: page.count))
    var room = output.mutableSpan
    let outcome = opener.open(page.span, serial: serial.span, into: &room)
    return outcome.opened > 0 ? Array(output[..<outcome.count]) : nil
  }
}

func decode(page sealed: [UInt8]) -> PlainPage? {
  var bytes = sealed
  if LogPageHeader(sealed.span)?.isSealed == true {
    guard let opened = TestOwner.opened(sealed) else { return nil }
    bytes = opened
  }
  guard var decoder = LogPageDecoder(bytes.span) else { return nil }
  var payload = [UInt8](repeating: 0, count: LogEvent.maximumBytes)
  var page = PlainPage(header: decoder.header, records: [], ending: .reading, boots: [])
  while true {
    var span = payload.mutableSpan
    guard let record = decoder.next(payload: &span) else { break }
    page.records.append(
      PlainRecord(
        event: record.event, milliseconds: record.at.milliseconds,
        payload: Array(payload[0..<record.byteCount]), boot: decoder.header.boot))
  }
  page.ending = decoder.ending
  return page
}

extension FlashLog where F == MemoryFlash {
  /// Where the log stands, without bringing anything to flash.
  var standing: LogStatus { ring.status(written: writer.position) }

  /// A mounted log on an image.
  static func mounted(
    on image: FlashImage, freshEpoch: UInt32 = 0x1234_5678, isSealed: Bool = false
  ) -> Self {
    var log = Self(flash: MemoryFlash(image))
    if isSealed { log.makeTestKeys() }
    log.mount(freshEpoch: freshEpoch)
    return log
  }

  /// Gives it the keys of a sealed log: the same pair at each start, as with a random source that repeats.
  mutating func makeTestKeys() { sealer = TestOwner.sealer }

  /// Adds an event with a payload as an array; every other reading as the coordinator adds them.
  mutating func add(
    _ event: LogEvent, _ payload: [UInt8] = [], at milliseconds: UInt64, clock: WallClock = WallClock()
  ) throws(LogError) {
    if case .measured(let target, let rssi) = event, milliseconds / 10 % 2 == 0,
      take(reading: rssi, of: target, at: Instant(milliseconds: milliseconds))
    {
      return
    }
    try append(event, bytes: payload.span, at: Instant(milliseconds: milliseconds), clock: clock)
  }

  /// Why an event is refused, if it is.
  mutating func refusal(_ event: LogEvent, _ payload: [UInt8] = [], at milliseconds: UInt64) -> LogError? {
    do throws(LogError) {
      try add(event, payload, at: milliseconds)
      return nil
    } catch {
      return error
    }
  }

  /// Why a reading is refused, if it is.
  mutating func readRefusal(_ sequence: UInt32, _ offset: Int) -> LogError? {
    var buffer = [UInt8](repeating: 0, count: 8)
    var span = buffer.mutableSpan
    do throws(LogError) {
      _ = try read(sequence: sequence, offset: offset, into: &span)
      return nil
    } catch {
      return error
    }
  }

  /// The readable bytes of a page, read in odd pieces.
  mutating func pageBytes(_ sequence: UInt32, piece: Int = 977) -> [UInt8]? {
    guard let size = readableBytes(sequence: sequence) else { return nil }
    var bytes: [UInt8] = []
    while bytes.count < size {
      var part = [UInt8](repeating: 0, count: piece)
      var span = part.mutableSpan
      guard let count = try? read(sequence: sequence, offset: bytes.count, into: &span), count > 0 else {
        return nil
      }
      bytes += part[0..<count]
    }
    return bytes
  }

  /// All pages there are, oldest first.
  mutating func pages() -> [PlainPage] {
    let status = standing
    guard status.oldest <= status.newest else { return [] }
    var pages: [PlainPage] = []
    for sequence in status.oldest...status.newest {
      if let bytes = pageBytes(sequence), let page = decode(page: bytes) { pages.append(page) }
    }
    return pages
  }

  /// All records there are, oldest first.
  mutating func records() -> [PlainRecord] { pages().flatMap(\.records) }
}

/// Numbers that look random and are the same each time.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

func target(_ number: UInt32, _ kind: TargetIdentity.Kind = .randomAddress) -> TargetIdentity {
  TargetIdentity(
    kind: kind, high: UInt16(truncatingIfNeeded: number &* 40503), low: number &* 2_654_435_761)
}
