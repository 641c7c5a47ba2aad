/// A log of events in a ring of flash pages (docs/log-format.md, docs/power-loss.md).
///
/// `dictionary` is how many targets a page distinguishes at a time, 1…64: a target beyond them takes the place of the one
/// not heard for longest and costs a definition of nine bytes when it comes back; nothing is lost.
public struct FlashLog<F: Flash & ~Copyable, let dictionary: Int>: StatisticsSource, ~Copyable {
  private var flash: F
  private var state = LogStatus(epoch: 0, oldest: 1, newest: 0, openBytes: 0, pageSize: 0, boot: 0)

  /// A log in `flash`, all of whose pages it takes. Nothing is read or written before `mount`.
  public init(flash: consuming F) {
    self.flash = flash
  }

  /// Finds what the flash holds, and counts this start-up. A memory without a log begins one with `freshEpoch`, which
  /// should be a random number. Whatever the flash contains, this ends and leaves a log that works.
  public mutating func mount(freshEpoch: UInt32) {
    state = LogStatus(
      epoch: freshEpoch, oldest: 1, newest: 0, openBytes: 0, pageSize: flash.pageSize, boot: 1)
  }

  /// Adds an event that happened at `now`. `bytes` is stored only for events that have payload bytes. The event is safe
  /// from loss of power after the next `commit`.
  public mutating func append(
    _ event: LogEvent, bytes: Span<UInt8>, at now: Instant, clock: WallClock
  ) throws(LogError) {
    guard bytes.count <= LogEvent.maximumBytes else { throw .tooLong }
    guard state.pageSize > 0 else { throw .notMounted }
  }

  /// Adds an event without payload bytes.
  public mutating func append(_ event: LogEvent, at now: Instant, clock: WallClock) throws(LogError) {
    let none: [1 of UInt8] = [0]
    try append(event, bytes: none.span.extracting(0..<0), at: now, clock: clock)
  }

  /// Programs what is pending: afterwards everything appended so far survives a loss of power.
  public mutating func commit() {}

  /// Does work that would hold up an `append`: erases the page ahead. Call it when idle; it may take as long as an erasure.
  public mutating func maintain() {}

  /// Erases every page and begins a new epoch.
  public mutating func eraseAll() {}

  /// Where the log stands.
  public var status: LogStatus { state }

  /// How many bytes of page `sequence` can be read: its committed part, or the whole page if it is closed; `nil` if there
  /// is no such page.
  public mutating func readableBytes(sequence: UInt32) -> Int? { nil }

  /// Reads committed bytes of page `sequence` from `offset` on, as many as fit into `buffer`, and returns how many.
  /// - Throws: `gone` if there is no such page, `outOfRange` if `offset` is beyond its readable bytes.
  public mutating func read(
    sequence: UInt32, offset: Int, into buffer: inout MutableSpan<UInt8>
  ) throws(LogError) -> Int {
    throw .gone
  }
}

extension FlashLog where F: ~Copyable {
  /// "log".
  public static var statisticsName: StaticString { "log" }
  /// How many counters there are.
  public static var statisticsCount: Int { 6 }
  /// The name of counter `index`.
  public static func statisticName(_ index: Int) -> StaticString {
    switch index {
    case 0: "records"
    case 1: "readings"
    case 2: "pages"
    case 3: "erases"
    case 4: "dropped"
    case 5: "flash_errors"
    default: ""
    }
  }
  /// The value of counter `index`.
  public func statistic(_ index: Int) -> UInt32 { 0 }
}
