import HeraldHAL

/// The pages of the log, and its counters: the part of `FlashLog` that depends on neither the flash nor the
/// capacity.
struct LogRing: BitwiseCopyable {
  var isMounted = false
  /// Whether a page has a header of this start-up and accepts records.
  var isOpen = false
  var pageSize = 0
  var pageCount = 0
  var word = 0
  var epoch: UInt32 = 0
  var boot: UInt32 = 0
  /// Sequence number of the newest page, 0 before there is one.
  var newest: UInt32 = 0
  /// Sequence number of the oldest page less one, so that the idle state is all zero bits.
  var beforeOldest: UInt32 = 0
  /// The flash page of `newest`; without one, the page before the first.
  var current = 0
  /// Where in the newest page a further segment can begin after a restart; 0 if nowhere.
  var resume = 0
  /// Whether the newest page is sealed.
  var isSealed = false
  /// Committed bytes of the newest page, while it is not open.
  var closedBytes = 0
  /// Whether the page after the newest is erased.
  var isErasedAhead = false
  /// Whether erasing it ahead has failed; `append` decides then.
  var hasFailedAhead = false
  /// Lost events that no record states yet.
  var unreported: UInt32 = 0
  /// Lost events in a record that is not yet committed.
  var reporting: UInt32 = 0

  /// Whether everything is being erased, and how many pages are left of that.
  var isErasing = false
  var toErase = 0
  /// How many pages of the flash have been checked for an interrupted erasure.
  var swept = 0
  /// The newest page that a host has on its disk, and all before it; 0 while none was acknowledged.
  var acknowledged: UInt32 = 0
  /// Since when the newest page accepts no more records, as observed by `retain`; `.never` before that.
  var restedAt = Instant.start
  /// The page whose age was determined last by that of a later one, 0 before that.
  var agedPage: UInt32 = 0
  /// What its age is more than the uptime, in ms modulo 2⁶⁴.
  var earlierTime: UInt64 = 0

  /// The status of the log, `written` bytes of the newest page being committed while it is open.
  func status(written: Int) -> LogStatus {
    LogStatus(
      epoch: epoch, oldest: beforeOldest &+ 1, newest: newest, openBytes: isOpen ? written : closedBytes,
      pageSize: pageSize, boot: boot)
  }

  var records: UInt32 = 0
  var readings: UInt32 = 0
  var commits: UInt32 = 0
  var pages: UInt32 = 0
  var erases: UInt32 = 0
  var overwritten: UInt32 = 0
  var expired: UInt32 = 0
  var trimmed: UInt32 = 0
  var dropped: UInt32 = 0
  var flashErrors: UInt32 = 0

  init() {}

  /// Becomes the ring of so many pages, in which nothing has been found yet. `false` if a log does not fit.
  mutating func mount(_ pages: Int, pageSize: Int, word: Int, epoch: UInt32) -> Bool {
    guard pages >= 2, pageSize >= 256, pageSize % 8 == 0, word == 1 || word == 2 || word == 4 || word == 8
    else { return false }
    isMounted = true
    self.pageSize = pageSize
    pageCount = pages
    self.word = word
    self.epoch = epoch
    current = pages &- 1
    boot = 1
    return true
  }

  /// The page that comes after the newest. `mutating`, like all functions that read a stored ring: a borrow
  /// would copy it.
  var following: Int { mutating get { current &+ 1 >= pageCount ? 0 : current &+ 1 } }

  /// The page that has, or had, this sequence number; `nil` if it is older than the ring's capacity or not
  /// yet written.
  @inline(never)
  mutating func page(of sequence: UInt32) -> Int? {
    guard isMounted, sequence > beforeOldest, sequence <= newest else { return nil }
    let back = newest &- sequence
    guard let distance = Int(exactly: back), distance < pageCount else { return nil }
    let page = current &- distance
    return page < 0 ? page &+ pageCount : page
  }

  /// The page after the newest is about to be erased: the oldest records are lost if it holds them.
  mutating func giveUpFollowing() {
    let length = UInt32(truncatingIfNeeded: pageCount)
    guard newest &+ 1 > length else { return }
    let gone = newest &+ 1 &- length
    if gone > beforeOldest {
      overwritten &+= gone &- beforeOldest
      beforeOldest = gone
    }
  }

  /// The following page becomes the newest.
  mutating func advance() {
    current = following
    newest &+= 1
    resume = 0
    closedBytes = 0
    isErasedAhead = false
    hasFailedAhead = false
  }

  /// Some events were not stored.
  mutating func drop(_ count: UInt32) {
    unreported &+= count
    dropped &+= count
  }
}

extension FlashLog where F: ~Copyable {
  /// The number of pages; 0 if the log could not be opened.
  public var capacity: Int { mutating get { ring.isMounted ? ring.pageCount : 0 } }

  /// "log".
  public static var statisticsName: StaticString { "log" }
  /// How many counters there are.
  public static var statisticsCount: Int { 11 }
  /// The name of counter `index`.
  public static func statisticName(_ index: Int) -> StaticWord {
    StaticWord(
      index,
      of: """
        records readings commits pages erases overwritten_pages dropped flash_errors expired_pages trimmed_pages
        capacity
        """)
  }
  /// The value of counter `index`: records stored, readings among them, blocks programmed because of
  /// `commit`, pages begun, pages erased, pages dropped to make room, events lost, flash operations that
  /// failed, pages erased because of their age, pages erased because a host has acknowledged them; and the
  /// number of pages, which is constant.
  public mutating func statistic(_ index: Int) -> UInt32 {
    switch index {
    case 0: ring.records
    case 1: ring.readings
    case 2: ring.commits
    case 3: ring.pages
    case 4: ring.erases
    case 5: ring.overwritten
    case 6: ring.dropped
    case 7: ring.flashErrors
    case 8: ring.expired
    case 9: ring.trimmed
    case 10: UInt32(truncatingIfNeeded: ring.pageCount)
    default: 0
    }
  }
}
