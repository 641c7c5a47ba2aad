import HeraldHAL

// Retention: expired records are erased physically.

extension FlashLog where F: ~Copyable {
  /// Erases pages older than `days`, the oldest first; nothing for 0, which keeps everything. To be called
  /// repeatedly when idle and when nothing is waiting for a commit: each call erases one page at most, and
  /// most calls only check.
  ///
  /// A page is erased when its last record is `days` old. It accepts records for a day at most, or, so that a
  /// ring of few pages is not used up by days with few events, for four times `days` divided by the number of
  /// pages: a record may be kept longer than `days` by that time.
  ///
  /// The age of a record follows from later records. The date counts only if a host set it, both today and
  /// then; uptimes of this start always count; records of an earlier start are at least as old as this one. A
  /// page whose start never had the date is therefore kept until the next page that has one, or for `days` of
  /// uptime, and is never erased too early.
  @inlinable
  public mutating func retain(days: UInt16, at now: Instant, clock: WallClock) {
    guard days > 0, ring.isMounted, !hasPending, !sweep() else { return }
    let day: UInt64 = 86_400_000
    let life = UInt64(wide: UInt32(days)) &* day
    guard ring.newest > ring.beforeOldest else { return }
    if ring.isOpen || ring.resume > 0 {
      let share = life &* 4 / UInt64(wide: UInt32(truncatingIfNeeded: ring.pageCount))
      if let head = header(page: ring.current, offset: 0),
        ring.age(of: head, at: now, clock: clock).age >= max(day, share)
      {
        close()
        ring.resume = 0
      }
    }
    if !ring.isOpen, now < ring.restedAt { ring.restedAt = now }
    let oldest = ring.beforeOldest &+ 1
    guard ageOfEnd(of: oldest, at: now, clock: clock) >= life, let page = ring.page(of: oldest) else {
      return
    }
    ring.beforeOldest = oldest
    ring.expired &+= 1
    if oldest == ring.newest { ring.closedBytes = 0 }
    tidy(page)
  }

  /// How many milliseconds ago, at least, the last record of a page was written.
  @inlinable
  mutating func ageOfEnd(of sequence: UInt32, at now: Instant, clock: WallClock) -> UInt64 {
    var least: UInt64 = 0
    var next = sequence &+ 1
    while next <= ring.newest {
      if let page = ring.page(of: next), let head = header(page: page, offset: 0), head.sequence == next,
        head.epoch == ring.epoch
      {
        let found = ring.age(of: head, at: now, clock: clock)
        least = max(least, found.age)
        // Every page after it is younger.
        if found.isExact { return least }
      }
      next &+= 1
    }
    // No later record shows the age; only that nothing was stored since it was closed.
    return max(least, now < ring.restedAt ? 0 : now.milliseconds &- ring.restedAt.milliseconds)
  }

  /// Checks the next page, once for each start: a page that is no part of the log was to be erased when power
  /// was lost, and is erased now. Returns whether a page was erased.
  @inlinable
  mutating func sweep() -> Bool {
    guard ring.swept < ring.pageCount else { return false }
    let page = ring.swept
    ring.swept &+= 1
    guard !ring.isPartOfLog(page), !isErased(page: page, from: 0) else { return false }
    tidy(page)
    return true
  }

  /// Erases a page that is no longer part of the log. If that fails it is tried again after the next check of
  /// all pages.
  @inlinable
  mutating func tidy(_ page: Int) {
    guard erase(page: page) else {
      ring.swept = 0
      return
    }
    if page == ring.following {
      ring.isErasedAhead = true
      ring.giveUpFollowing()
    }
  }
}

extension LogRing {
  /// How many milliseconds ago a page with this header was begun: exactly, or at least.
  @usableFromInline
  mutating func age(
    of header: LogPageHeader, at now: Instant, clock: WallClock
  ) -> (age: UInt64, isExact: Bool) {
    var then = header.uptime.milliseconds
    var today = now.milliseconds
    if header.boot != boot {
      // A beacon is not authenticated: its date does not cause an erasure.
      guard header.clockSource == .host, clock.source == .host, let date = clock.unixMilliseconds(at: now)
      else {
        return (today, false)
      }
      then = header.unixMilliseconds
      today = date
    }
    return (today > then ? today &- then : 0, true)
  }

  /// Whether a page of the flash belongs to the log.
  @usableFromInline
  mutating func isPartOfLog(_ page: Int) -> Bool {
    let back = page <= current ? current &- page : current &- page &+ pageCount
    return UInt32(truncatingIfNeeded: back) < newest &- beforeOldest
  }
}
