import HeraldHAL

// The ring of pages: mounting, beginning a page, erasing, reading back.

extension FlashLog where F: ~Copyable {
  // MARK: Mounting

  /// Finds the pages in flash, and counts this start. A memory without a log gets one with `freshEpoch`,
  /// which should be a random number. Reads the header of every page and the newest page; writes nothing.
  /// Whatever the flash contains, this terminates with a working log; a memory of fewer than two pages, of
  /// pages below 256 bytes, or a `dictionary` outside 1…64 leaves it unmounted.
  public mutating func mount(freshEpoch: UInt32) {
    guard !ring.isErasing else { return }
    ring = LogRing()
    writer.begin(at: 0, uptime: .start, crc: 0)
    guard dictionary >= 1, dictionary <= LogFormat.maximumDictionary,
      ring.mount(flash.pageCount, pageSize: flash.pageSize, word: flash.wordSize, epoch: freshEpoch)
    else { return }
    writer.pageSize = ring.pageSize
    writer.word = ring.word
    guard findNewest() else { return }
    findOldest()
    walkNewest()
  }

  /// The page with the highest sequence number, its number and epoch.
  mutating func findNewest() -> Bool {
    for page in 0..<ring.pageCount {
      guard let header = header(page: page, offset: 0), header.sequence > ring.newest,
        header.sequence <= LogFormat.lastMountedSequence
      else { continue }
      ring.newest = header.sequence
      ring.epoch = header.epoch
      ring.boot = header.boot &+ 1
      ring.current = page
    }
    return ring.newest > 0
  }

  /// The lowest sequence number among the pages whose positions are consistent with the newest.
  mutating func findOldest() {
    ring.beforeOldest = ring.newest &- 1
    var page = ring.current
    var sequence = ring.newest
    for _ in 1..<ring.pageCount {
      page = page == 0 ? ring.pageCount &- 1 : page &- 1
      sequence &-= 1
      if sequence == 0 { return }
      if let header = header(page: page, offset: 0), header.sequence == sequence,
        header.epoch == ring.epoch
      {
        ring.beforeOldest = sequence &- 1
      }
    }
  }

  /// Where the newest page's last whole block ends, the start of its last segment, and whether another
  /// segment fits behind it.
  mutating func walkNewest() {
    var end = 0
    var offset = 0
    writer.recordsLeft = LogFormat.maximumRecords
    while offset <= ring.pageSize &- LogFormat.headerSize {
      if let found = header(page: ring.current, offset: offset), found.sequence == ring.newest,
        found.epoch == ring.epoch
      {
        ring.boot = found.boot &+ 1
        if offset == 0 { ring.isSealed = found.isSealed }
        end = blocksEnd(header: found, offset: offset)
        writer.recordsLeft = LogFormat.recordLimit(after: writer.recordsLeft)
        offset = LogFormat.aligned(end, to: LogFormat.segmentAlignment)
      } else {
        offset &+= LogFormat.segmentAlignment
      }
    }
    ring.closedBytes = end
    // A block that was being programmed when power was lost may reach this far and read as erased without
    // being erased.
    let longest = ring.isSealed ? LogFormat.sealedBlockSize : LogFormat.blockSize
    let behind = LogFormat.aligned(end &+ longest, to: LogFormat.segmentAlignment)
    if ring.pageSize &- behind >= 192, isErased(page: ring.current, from: behind) { ring.resume = behind }
  }

  /// Where the blocks of a segment end. Those of a sealed one are counted and not checked, as their key is
  /// gone: an incomplete block may be among them, which ends less than a block behind the last whole one.
  mutating func blocksEnd(header: LogPageHeader, offset: Int) -> Int {
    var seed = writer.encoder.readHeaderCheck()
    var position = offset &+ header.size
    let isSealed = F.canSeal && header.isSealed
    while position < ring.pageSize {
      let count = min(isSealed ? 2 : LogFormat.blockSize, ring.pageSize &- position)
      if isSealed {
        guard load(page: ring.current, offset: position, count: count),
          let size = writer.encoder.sealedBlockSize(count: count, word: header.wordSize)
        else { break }
        position &+= size
        continue
      }
      guard load(page: ring.current, offset: position, count: count),
        let block = writer.encoder.readBlock(count: count, seed: seed, word: header.wordSize)
      else { break }
      seed = block.crc
      position &+= block.size
    }
    return min(position, ring.pageSize)
  }

  /// Whether everything in a page from `offset` on reads as erased.
  mutating func isErased(page: Int, from offset: Int) -> Bool {
    var position = offset
    while position < ring.pageSize {
      let count = min(LogFormat.blockSize, ring.pageSize &- position)
      guard load(page: page, offset: position, count: count),
        writer.encoder.isErased(count: count)
      else { return false }
      position &+= count
    }
    return true
  }

  /// Reads into the writer's buffer, in which nothing may be pending.
  @inline(never)
  mutating func load(page: Int, offset: Int, count: Int) -> Bool {
    var buffer = writer.encoder.buffer.mutableSpan
    var part = buffer._mutatingExtracting(0..<count)
    do throws(FlashError) {
      try flash.read(page: page, offset: offset, into: &part)
      return true
    } catch {
      ring.flashErrors &+= 1
      return false
    }
  }

  @inline(never)
  mutating func header(page: Int, offset: Int) -> LogPageHeader? {
    guard load(page: page, offset: offset, count: LogFormat.headerSize) else { return nil }
    return writer.encoder.readHeader()
  }

  // MARK: Beginning a page

  /// Makes a page ready for records: a further segment of the newest one, or the page after it. `false` on
  /// failure; the next call tries the next page.
  mutating func open(at now: Instant, clock: WallClock) -> Bool {
    var offset = 0
    let isSealed = F.canSeal && sealer.isActive
    // What is logged until there is another key is dropped, and counted.
    guard !isSealed || sealer.hasNext(at: now) else { return false }
    // All segments of a page are sealed, or none is.
    if ring.resume > 0, ring.isSealed == isSealed {
      offset = ring.resume
      ring.resume = 0
    } else {
      let isErased = ring.isErasedAhead || erase(page: ring.following)
      ring.giveUpFollowing()
      ring.advance()
      guard isErased else { return false }
      writer.recordsLeft = LogFormat.maximumRecords
      ring.pages &+= 1
    }
    let start = LogFormat.tickStart(now)
    var header = LogPageHeader(
      sequence: ring.newest, epoch: ring.epoch, boot: ring.boot, uptime: start,
      unixMilliseconds: clock.unixMilliseconds(at: start) ?? 0, clockSource: clock.source,
      dictionaryCapacity: dictionary, wordSize: ring.word)
    header.isSealed = isSealed
    ring.isSealed = isSealed
    var crc: UInt16 = 0
    if isSealed {
      writer.encoder.write(header, at: offset, sealedBy: &sealer)
    } else {
      if F.canSeal { writer.encoder.endSeal() }
      crc = writer.encoder.write(header)
    }
    writer.position = offset
    writer.pending = 0
    ring.isOpen = true
    ring.restedAt = .never
    guard program(header.size) else { return false }
    writer.begin(at: offset &+ header.size, uptime: start, crc: crc)
    report(at: now)
    return true
  }

  /// The first record after a loss states how many events were lost.
  mutating func report(at now: Instant) {
    guard ring.unreported > 0 else { return }
    var record = LogRecordFields(.dropped(count: ring.unreported))
    if case .stored = encode(&record, bytes: Span(), at: now) {
      ring.reporting = ring.unreported
      ring.unreported = 0
      count(record)
    }
  }

  /// Reports events that were refused while the flash was not ready, for which the open page stayed open. If
  /// the record does not fit, the next page has it.
  mutating func reportRefused(at now: Instant) {
    guard ring.unreported > 0, ring.isOpen else { return }
    // The record is then the first of a block.
    commit()
    if ring.isOpen { report(at: now) }
  }

  /// Does work that would delay an `append`: erases the next page once the open one is half full. To be
  /// called when idle; it may take as long as an erasure.
  public mutating func maintain() {
    guard wantsMaintenance else { return }
    ring.isErasedAhead = erase(page: ring.following)
    ring.hasFailedAhead = !ring.isErasedAhead
    if ring.isErasedAhead { ring.giveUpFollowing() }
  }

  /// To be called before a sleep: the memory may reduce its current until it is used again.
  public mutating func rest() { flash.rest() }

  /// Whether `maintain` has work to do.
  public var wantsMaintenance: Bool {
    guard ring.isMounted, !ring.isErasedAhead, !ring.hasFailedAhead else { return false }
    return ring.isOpen ? writer.position > ring.pageSize / 2 : ring.resume == 0
  }

  /// Invalidates a page's header, so that an interrupted erasure leaves no valid page, and erases it. After
  /// such an erasure the page has no header: its first words are not programmed again.
  mutating func erase(page: Int) -> Bool {
    do throws(FlashError) {
      var bytes: [4 of UInt8] = .init(repeating: 0)
      var head = bytes.mutableSpan
      try flash.read(page: page, offset: 0, into: &head)
      var reader = ByteReader(head.span)
      if reader.u32() == LogFormat.magic { try flash.clear(page: page, offset: 0, count: 8) }
      try flash.erase(page: page)
      ring.erases &+= 1
      return true
    } catch {
      ring.flashErrors &+= 1
      return false
    }
  }

  /// Closes the log permanently: it stores and returns nothing, and cannot be mounted. `eraseNext` is to be
  /// called `pagesToErase` times; a log that is created afterwards has a new epoch.
  public mutating func beginErasing() {
    guard !ring.isErasing else { return }
    close()
    writer.pending = 0
    ring.isMounted = false
    ring.isErasing = true
    ring.pageCount = flash.pageCount
    ring.toErase = ring.pageCount
  }

  /// Whether the flash may be changed: its supply is sufficient.
  public mutating func isReady() -> Bool { flash.isReady() }

  /// Whether everything is being erased, or has been.
  public var isErasing: Bool { ring.isErasing }
  /// How many pages are still to be erased.
  public var pagesToErase: Int { ring.toErase }

  /// Erases the next page, the oldest first; `false` if the flash failed; the other pages are erased
  /// nevertheless. If interrupted, the newest part of the log remains.
  public mutating func eraseNext() -> Bool {
    guard ring.toErase > 0 else { return true }
    ring.toErase &-= 1
    ring.current = ring.following
    return erase(page: ring.current)
  }

  // MARK: Reading back

  /// The status of the log: committed bytes can be read. Reads `writer` in a mutating method: a borrow copies
  /// all of it to the stack.
  public mutating func status() -> LogStatus {
    let written = writer.position
    return ring.status(written: written)
  }

  /// Commits the log to flash, and returns its status.
  public mutating func committedStatus() -> LogStatus {
    commit()
    return status()
  }

  /// How many bytes of page `sequence` can be read: the committed part of the newest, all of an older one;
  /// `nil` if there is no such page.
  @inline(never)
  public mutating func readableBytes(sequence: UInt32) -> Int? {
    guard let page = ring.page(of: sequence) else { return nil }
    var bytes: [40 of UInt8] = .init(repeating: 0)
    var head = bytes.mutableSpan
    do throws(FlashError) {
      try flash.read(page: page, offset: 0, into: &head)
    } catch {
      ring.flashErrors &+= 1
      return nil
    }
    guard let header = LogPageHeader(head.span), header.sequence == sequence, header.epoch == ring.epoch
    else { return nil }
    if sequence == ring.newest { return ring.isOpen ? writer.position : ring.closedBytes }
    return ring.pageSize
  }

  /// Reads committed bytes of page `sequence` from `offset` on, as many as fit into `buffer`, and returns how
  /// many.
  /// - Throws: `gone` if there is no such page, `outOfRange` if `offset` is beyond its readable bytes,
  ///   `flashFailed`.
  @inline(never)
  public mutating func read(
    sequence: UInt32, offset: Int, into buffer: inout MutableSpan<UInt8>
  ) throws(LogError) -> Int {
    guard let readable = readableBytes(sequence: sequence), let page = ring.page(of: sequence) else {
      throw .gone
    }
    guard offset >= 0, offset <= readable else { throw .outOfRange }
    let count = min(buffer.count, readable &- offset)
    var part = buffer._mutatingExtracting(0..<count)
    do throws(FlashError) {
      try flash.read(page: page, offset: offset, into: &part)
    } catch {
      ring.flashErrors &+= 1
      throw .flashFailed
    }
    return count
  }
}
