import HeraldBluetooth
import HeraldHAL

/// One thing that happened, as the log keeps it. Payload bytes, where an event has them, come beside it as a
/// span.
public enum LogEvent: Equatable, BitwiseCopyable, Sendable {
  /// A peer was seen for the first time (column "detect" of `contacts.csv`).
  case detected(TargetIdentity)
  /// An RSSI was measured (column "measure").
  case measured(TargetIdentity, RSSI)
  /// A payload was read from the peer; its bytes come beside (column "read").
  case read(TargetIdentity)
  /// The peer shared the payload of another; the bytes follow (column "share").
  case shared(TargetIdentity)
  /// The peer was confirmed as a Herald device (column "detectHerald").
  case heraldDetected(TargetIdentity)
  /// The peer was not heard for so long that it counts as gone (column "delete").
  case lost(TargetIdentity)
  /// The peer advertises this transmit power, dBm; logged when it changes.
  case txPower(TargetIdentity, Int8)
  /// The peer sent a message to the application; its bytes come beside.
  case received(TargetIdentity)
  /// The peer's model was read; its UTF-8 comes beside.
  case model(TargetIdentity)
  /// The peer showed a code of a system other than Herald; its bytes come beside.
  case neighbour(TargetIdentity, NeighbourSystem)
  /// A stay near a venue beacon ended: it was heard first and last so many seconds before the record (column
  /// "visit").
  case visited(TargetIdentity, firstHeard: UInt32, lastHeard: UInt32)
  /// This device shows a code of a system other than Herald from now on; its bytes come beside.
  case ownNeighbour(NeighbourSystem)
  /// This device offers a payload from now on; its bytes come beside.
  case ownPayload
  /// Charge in percent, 0…100, and whether an external source feeds the device.
  case battery(level: UInt8, external: Bool)
  /// The device started. The reason is a `RestartCause`, or another number that the board defines; 0 is
  /// "power came on".
  case started(reason: UInt8)
  /// What is known of the fault that made the device start again; the bytes of a `RestartReport` come beside.
  case restarted
  /// The date became known, or was corrected: `unixMilliseconds` since 1970-01-01T00:00:00Z at the record's
  /// time.
  case clockSet(unixMilliseconds: UInt64, source: WallClock.Source)
  /// So many events before this one were not logged: for want of a working flash page, or because strangers
  /// brought more than they may (`HeraldCounter.strangersRefused` and `readingsRefused`).
  case dropped(count: UInt32)

  /// Whether payload bytes belong to the event.
  @inlinable
  public var hasBytes: Bool {
    switch self {
    case .read, .shared, .ownPayload, .received, .model, .neighbour, .ownNeighbour, .restarted: true
    default: false
    }
  }

  /// The most payload bytes an event can have.
  @inlinable
  public static var maximumBytes: Int { 510 }
}

/// One record read back from a page.
public struct LogRecord: Equatable, BitwiseCopyable, Sendable {
  /// What happened.
  public let event: LogEvent
  /// When, on the clock of the boot the page belongs to: a multiple of 10 ms.
  public let at: Instant
  /// How many payload bytes were put into the caller's buffer, 0…510.
  public let byteCount: Int

  /// Stated one by one.
  @inlinable
  public init(event: LogEvent, at: Instant, byteCount: Int) {
    self.event = event
    self.at = at
    self.byteCount = byteCount
  }
}

/// Why the log did not do what was asked.
public enum LogError: Error, Equatable, BitwiseCopyable, Sendable {
  /// `mount` has not been called, or found no usable memory.
  case notMounted
  /// More payload bytes than `LogEvent.maximumBytes`, or than a page of this memory holds.
  case tooLong
  /// The event could not be stored: every page that was tried failed. It is counted as dropped.
  case flashFailed
  /// No page has this sequence number: it was overwritten or is not yet written.
  case gone
  /// The offset is beyond the readable bytes of the page.
  case outOfRange
}

/// Where the log stands, as the management link reports it.
public struct LogStatus: Equatable, BitwiseCopyable, Sendable {
  /// Changes when the whole log is erased: sequence numbers of different epochs have nothing to do with each
  /// other.
  public var epoch: UInt32
  /// Sequence number of the oldest page; above `newest` when there is no page.
  public var oldest: UInt32
  /// Sequence number of the newest page, the one that is being written.
  public var newest: UInt32
  /// How many bytes of page `newest` are committed and can be read.
  public var openBytes: Int
  /// Bytes in a page.
  public var pageSize: Int
  /// How many times the device has started, this time included.
  public var boot: UInt32
  /// For how many days records are kept; 0 for as long as there is room.
  public var keptDays: UInt16

  /// Stated one by one.
  @inlinable
  public init(
    epoch: UInt32, oldest: UInt32, newest: UInt32, openBytes: Int, pageSize: Int, boot: UInt32,
    keptDays: UInt16 = 0
  ) {
    self.epoch = epoch
    self.oldest = oldest
    self.newest = newest
    self.openBytes = openBytes
    self.pageSize = pageSize
    self.boot = boot
    self.keptDays = keptDays
  }
}
