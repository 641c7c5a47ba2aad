import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL

/// The log of a made-up badge, written by the device's own encoder into a `MemoryFlash`: what fills folders
/// and archives where there is no device.
///
/// Times are milliseconds of the caller's, from any origin: those of the device count from its last start.
public struct BadgeLog: ~Copyable {
  /// The flash, as a device would have it after losing power; complete after `commit`.
  public let image: FlashImage
  /// The number of readings.
  public private(set) var readings = 0
  private var log: FlashLog<MemoryFlash, 64>
  private let epoch: UInt32
  private var clock = WallClock()
  private var startedAt: UInt64 = 0
  /// The address under which each peer was last received, and when; kept for `receive`.
  private var peers: [Int: (address: TargetIdentity, at: UInt64)] = [:]

  /// An empty log in a ring of flash pages, to be started.
  public init(epoch: UInt32, pageSize: Int = 4096, pageCount: Int) {
    self.epoch = epoch
    image = FlashImage(pageSize: pageSize, pageCount: pageCount, wordSize: 4)
    log = FlashLog(flash: MemoryFlash(image))
  }

  /// Switches the badge on; it knows no peer. With `date`, milliseconds since 1970-01-01T00:00:00Z, a host
  /// sets its date at that moment, otherwise it has none.
  public mutating func start(at time: UInt64, date: UInt64? = nil) throws {
    log.commit()
    log.mount(freshEpoch: epoch)
    clock = WallClock()
    startedAt = time
    peers.removeAll()
    if let date { clock.set(unixMilliseconds: date, at: .start, source: .host) }
    try append(.started(reason: 0), at: time)
    if let date { try append(.clockSet(unixMilliseconds: date, source: .host), at: time) }
  }

  /// Sets the date as a host does.
  public mutating func setDate(_ date: UInt64, at time: UInt64) throws {
    clock.set(unixMilliseconds: date, at: instant(time), source: .host)
    try append(.clockSet(unixMilliseconds: date, source: .host), at: time)
  }

  /// Adds an event, and the bytes that belong to it.
  public mutating func append(_ event: LogEvent, _ bytes: [UInt8] = [], at time: UInt64) throws {
    try log.append(event, bytes: bytes.span, at: instant(time), clock: clock)
    if case .measured = event { readings += 1 }
  }

  /// Adds a reading of the peer with this number of the caller's: before it, if the peer's address is
  /// another than before, its detection and the read of its payload.
  public mutating func receive(
    _ peer: Int, from address: TargetIdentity, payload: [UInt8], rssi: Int, at time: UInt64
  ) throws {
    if peers[peer]?.address != address {
      try append(.detected(address), at: time)
      try append(.read(address), payload, at: time)
    }
    peers[peer] = (address, time)
    try append(.measured(address, RSSI(Int8(clamping: rssi))), at: time)
  }

  /// Adds the loss of each peer that was not received for `expiry` milliseconds before `time`; it is
  /// detected again when it returns.
  public mutating func loseSilentPeers(at time: UInt64, expiry: UInt64 = 900_000) throws {
    let silent = peers.filter { $0.value.at + expiry <= time }
    for (peer, last) in silent.sorted(by: { ($0.value.at, $0.key) < ($1.value.at, $1.key) }) {
      peers[peer] = nil
      try append(.lost(last.address), at: time)
    }
  }

  /// Makes everything so far safe from a loss of power.
  public mutating func commit() { log.commit() }

  /// All pages, the oldest first, as a host would pull them.
  public mutating func pages() throws -> [MemoryLogPage] {
    log.commit()
    return try log.committedPages()
  }

  private func instant(_ time: UInt64) -> Instant { Instant(milliseconds: time - min(time, startedAt)) }
}
