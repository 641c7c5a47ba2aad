import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldSimulation
import Testing

@testable import HeraldHostLink

/// The first seconds of a device that meets a peer, as it logs them.
enum LoggedMeeting {
  /// When the device starts: 2022-11-29 22:21:50, in milliseconds since 1970.
  static let start: UInt64 = 1_669_760_510_000
  static let peer = TargetIdentity(kind: .randomAddress, high: 0x7BAC, low: 0xAC34_E94A)
  /// What the peer offers: a fixed payload, AADSAp in short.
  static let payload: [UInt8] = [0x08, 0x3A, 0x03, 0x00, 0x00, 0xD2, 0x02, 0x96, 0x49, 0, 0, 0, 0]
}

extension FlashLog where F == MemoryFlash {
  /// A log on erased flash: eight pages of 1 KB.
  static func fresh(epoch: UInt32 = 7) -> Self {
    var log = Self(flash: MemoryFlash(pageSize: 1024, pageCount: 8, wordSize: 4))
    log.mount(freshEpoch: epoch)
    return log
  }

  /// Appends an event at a time since the start of the device, in milliseconds.
  mutating func append(_ event: LogEvent, _ bytes: [UInt8] = [], at milliseconds: UInt64, _ clock: WallClock)
    throws
  {
    try append(event, bytes: bytes.span, at: Instant(milliseconds: milliseconds), clock: clock)
  }

  /// Appends what the device does in the first three seconds: it starts and offers `own`, hears the peer,
  /// gets the date from a host, and reads the peer's payload. Returns its clock.
  mutating func appendMeeting(offering own: [UInt8]) throws -> WallClock {
    let peer = LoggedMeeting.peer
    var clock = WallClock()
    try append(.started(reason: 0), at: 0, clock)
    try append(.ownPayload, own, at: 10, clock)
    try append(.detected(peer), at: 1000, clock)
    let date = LoggedMeeting.start + 2000
    clock.set(unixMilliseconds: date, at: Instant(milliseconds: 2000), source: .host)
    try append(.clockSet(unixMilliseconds: date, source: .host), at: 2000, clock)
    try append(.measured(peer, RSSI(-47)), at: 2500, clock)
    try append(.txPower(peer, 8), at: 2510, clock)
    try append(.read(peer), LoggedMeeting.payload, at: 3000, clock)
    return clock
  }

  /// Keeps every page in a page folder, the newest as one that may grow.
  mutating func store(in folder: PageStore) throws {
    let epoch = committedStatus().epoch
    for page in try committedPages() {
      #expect(PageInspection.inspect(page.bytes, epoch: epoch, sequence: page.sequence) == .good)
      try folder.store(
        page.bytes, as: PageName(epoch: epoch, sequence: page.sequence, isOpen: page.isOpen))
    }
  }
}
