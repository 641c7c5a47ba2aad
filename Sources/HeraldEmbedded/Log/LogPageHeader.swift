/// What the header of a page, or of a later segment of it, says.
public struct LogPageHeader: Equatable, BitwiseCopyable, Sendable {
  /// The page's number: one more than the page before.
  public var sequence: UInt32
  /// The log's epoch: changes when the whole log is erased.
  public var epoch: UInt32
  /// Which start-up of the device the records belong to.
  public var boot: UInt32
  /// The uptime from which the records count, a multiple of 10 ms.
  public var uptime: Instant
  /// Milliseconds since 1970-01-01T00:00:00Z at `uptime`; 0 when the date was not known.
  public var unixMilliseconds: UInt64
  /// Who had told the date.
  public var clockSource: WallClock.Source
  /// How many targets the writer distinguishes at a time, 1…64.
  public var dictionaryCapacity: Int

  /// Stated one by one.
  @inlinable
  public init(
    sequence: UInt32, epoch: UInt32, boot: UInt32, uptime: Instant, unixMilliseconds: UInt64,
    clockSource: WallClock.Source, dictionaryCapacity: Int
  ) {
    self.sequence = sequence
    self.epoch = epoch
    self.boot = boot
    self.uptime = uptime
    self.unixMilliseconds = unixMilliseconds
    self.clockSource = clockSource
    self.dictionaryCapacity = dictionaryCapacity
  }
}
