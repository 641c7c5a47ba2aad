import HeraldHAL

// Retention: expired records are erased physically.

extension FlashLog where F: ~Copyable {
  /// Erases pages older than `days`, the oldest first; nothing for 0, which keeps everything. To be called
  /// repeatedly when idle and when nothing is waiting for a commit: each call erases one page at most.
  ///
  /// A page is erased when its last record is `days` old. It accepts records for a day at most, or, so that a
  /// ring of few pages is not used up by days with few events, for four times `days` divided by the number of
  /// pages: a record may be kept longer than `days` by that time.
  ///
  /// The age of a record is the time that the device has run since, as the headers of later pages and the
  /// uptime show it (docs/log-format.md, section 6). Nothing is erased because a clock was set.
  public mutating func retain(days: UInt16, at now: Instant) {
    guard days > 0, ring.isMounted, !hasPending, !sweep() else { return }
    let day: UInt64 = 86_400_000
    let life = UInt64(wide: UInt32(days)) &* day
    guard ring.newest > ring.beforeOldest else { return }
    if ring.isOpen || ring.resume > 0 {
      let share = life &* 4 / UInt64(wide: UInt32(truncatingIfNeeded: ring.pageCount))
      if let earlier = runTime(since: ring.newest), earlier &+ now.milliseconds >= max(day, share) {
        close()
        ring.resume = 0
      }
    }
    if !ring.isOpen, now < ring.restedAt { ring.restedAt = now }
    let oldest = ring.beforeOldest &+ 1
    guard ageOfEnd(of: oldest, at: now) >= life, let page = ring.page(of: oldest) else { return }
    ring.beforeOldest = oldest
    ring.expired &+= 1
    if oldest == ring.newest { ring.closedBytes = 0 }
    tidy(page)
  }

  /// How many milliseconds ago, at least, the last record of a page was written.
  mutating func ageOfEnd(of sequence: UInt32, at now: Instant) -> UInt64 {
    if ring.agedPage != sequence {
      // Without a later page, the age shows only in that nothing was stored since it was closed.
      let rested = now < ring.restedAt ? 0 : now.milliseconds &- ring.restedAt.milliseconds
      guard let earlier = runTime(since: sequence &+ 1) else { return rested }
      ring.agedPage = sequence
      ring.earlierTime = earlier
    }
    return ring.earlierTime &+ now.milliseconds
  }

  /// How many milliseconds the device has run, at least, from the beginning of page `first`, or the next that
  /// can be read, to this start; modulo 2⁶⁴ less than zero for a page of this start. `nil` if there is none.
  @inline(never)
  mutating func runTime(since first: UInt32) -> UInt64? {
    var sum: UInt64 = 0
    var boot = ring.boot
    var uptime = Instant.never
    var next = first
    while next <= ring.newest {
      if let page = ring.page(of: next), let head = header(page: page, offset: 0), head.sequence == next,
        head.epoch == ring.epoch
      {
        if head.boot == ring.boot { return uptime == .never ? sum &- head.uptime.milliseconds : sum }
        let before = uptime == .never ? head.uptime : head.boot == boot ? min(uptime, head.uptime) : .start
        sum &+= head.uptime.milliseconds &- before.milliseconds
        boot = head.boot
        uptime = head.uptime
      }
      next &+= 1
    }
    return uptime == .never ? nil : sum
  }

  /// Checks the next page, once for each start: a page that is no part of the log was to be erased when power
  /// was lost, and is erased now. Returns whether a page was erased.
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
  /// Whether a page of the flash belongs to the log.
  mutating func isPartOfLog(_ page: Int) -> Bool {
    let back = page <= current ? current &- page : current &- page &+ pageCount
    return UInt32(truncatingIfNeeded: back) < newest &- beforeOldest
  }
}
