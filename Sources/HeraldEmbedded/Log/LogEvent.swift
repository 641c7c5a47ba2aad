import HeraldBluetooth
import HeraldHAL

/// One event in the log. Payload bytes, where an event has them, are passed separately as a span.
public enum LogEvent: Equatable, BitwiseCopyable, Sendable {
  /// A peer was received for the first time (column "detect" of `contacts.csv`).
  case detected(TargetIdentity)
  /// An RSSI was measured (column "measure").
  case measured(TargetIdentity, RSSI)
  /// A payload was read from the peer; its bytes are passed separately (column "read").
  case read(TargetIdentity)
  /// The peer shared the payload of another; the bytes follow (column "share").
  case shared(TargetIdentity)
  /// The peer was confirmed as a Herald device (column "detectHerald").
  case heraldDetected(TargetIdentity)
  /// The peer was not received within the expiry time (column "delete").
  case lost(TargetIdentity)
  /// The peer advertises this transmit power, dBm; logged when it changes.
  case txPower(TargetIdentity, Int8)
  /// The peer sent a message to the application; its bytes are passed separately.
  case received(TargetIdentity)
  /// The peer's model was read; its UTF-8 is passed separately.
  case model(TargetIdentity)
  /// A code of an additional service was observed of the peer; its bytes are passed separately.
  case observed(TargetIdentity, ServiceNumber)
  /// A stay near a venue beacon ended: it was received first and last this many seconds before the record
  /// (column "visit").
  case visited(TargetIdentity, firstReceived: UInt32, lastReceived: UInt32)
  /// This device offers a code of an additional service from now on; its bytes are passed separately.
  case ownCode(ServiceNumber)
  /// This device offers a payload from now on; its bytes are passed separately.
  case ownPayload
  /// Charge in percent, 0…100, and whether an external source powers the device.
  case battery(level: UInt8, external: Bool)
  /// The device is worn or lies, by its motion sensor, or its sensor no longer indicates either.
  case motion(MotionState)
  /// The device started. The reason is a `RestartCause`, or another number that the board defines; 0 is
  /// "power came on".
  case started(reason: UInt8)
  /// The report of the fault that caused the restart; the bytes of a `RestartReport` are passed separately.
  case restarted
  /// The date was set, or was corrected: `unixMilliseconds` since 1970-01-01T00:00:00Z at the record's time.
  case clockSet(unixMilliseconds: UInt64, source: WallClock.Source)
  /// This many events before this one were not logged: because no flash page worked, or because a budget of
  /// strangers was used up (`HeraldCounter.strangersRefused` and `readingsRefused`).
  case dropped(count: UInt32)

  /// Whether payload bytes belong to the event.
  public var hasBytes: Bool {
    switch self {
    case .read, .shared, .ownPayload, .received, .model, .observed, .ownCode, .restarted: true
    default: false
    }
  }

  /// The most payload bytes an event can have.
  public static var maximumBytes: Int { 510 }
}

/// One record read back from a page.
public struct LogRecord: Equatable, BitwiseCopyable, Sendable {
  /// The event.
  public let event: LogEvent
  /// The time, on the clock of the boot to which the page belongs: a multiple of 10 ms.
  public let at: Instant
  /// How many payload bytes were copied to the caller's buffer, 0…510.
  public let byteCount: Int

  /// Initialises each member.
  public init(event: LogEvent, at: Instant, byteCount: Int) {
    self.event = event
    self.at = at
    self.byteCount = byteCount
  }
}

/// The reason why a log operation failed.
public enum LogError: Error, Equatable, BitwiseCopyable, Sendable {
  /// `mount` has not been called, or no usable memory was found.
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

/// The status of the log, as the management link reports it.
public struct LogStatus: Equatable, BitwiseCopyable, Sendable {
  /// Changes when the whole log is erased: sequence numbers of different epochs are unrelated.
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
  /// For how many days records are kept; 0: as long as there is room.
  public var keptDays: UInt16

  /// Initialises each member.
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
