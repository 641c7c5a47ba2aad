import HeraldHAL

// The payload that is stored behind the settings, in their page: staged in the other page, checked there, and
// activated by the record that is written to its front. Only the device reads it.

/// The progress of staging a payload. All zero bits while there is none.
struct PayloadStaging: BitwiseCopyable {
  /// The payload's total length in bytes, 0 for none.
  var total = 0
  /// How many were received.
  var count = 0
  /// The bytes that do not fill a word yet.
  var rest: [8 of UInt8] = .init(repeating: 0)
}

/// The result of staging bytes.
public enum PayloadStagingOutcome: Equatable, BitwiseCopyable, Sendable {
  /// The bytes were stored, or were not the next ones; the value is the next offset expected.
  case wants(UInt32)
  /// All bytes were received, and the payload has replaced the former one.
  case taken(UInt32)
  /// The data is not a valid payload for this device; the former one stays.
  case refused
  /// The flash failed, or a factory reset is in progress; the former one stays.
  case failed
}

extension SettingsStore: PayloadStorage where F: ~Copyable {
  /// The maximum length of a blob.
  var payloadRoom: Int { max(0, ownerKeyOffset &- SettingsRecord.size) }

  static func aligned(_ count: Int) -> Int { (count &+ 7) & ~7 }

  // MARK: Staging

  /// Stages bytes of a blob of `total` bytes, which begins again at offset 0; `total` is used only there.
  /// Bytes other than the next ones are skipped. When all have been received they are checked: a constant
  /// payload has `longest` bytes at most.
  public mutating func stagePayload(offset: Int, total: Int, _ bytes: Span<UInt8>, longest: Int)
    -> PayloadStagingOutcome
  {
    load()
    guard mayWrite() else { return .failed }
    if offset == 0 {
      guard total >= StoredPayloadHeader.size, total <= payloadRoom, total <= 0xFFFF else { return .refused }
      staging = PayloadStaging()
      guard erase(other) else { return .failed }
      staging.total = total
    }
    guard staging.total > 0, offset == staging.count else {
      return .wants(UInt32(truncatingIfNeeded: staging.count))
    }
    guard bytes.count <= staging.total &- staging.count else {
      staging = PayloadStaging()
      return .refused
    }
    for index in 0..<bytes.count {
      guard stage(bytes[index]) else {
        staging = PayloadStaging()
        return .failed
      }
    }
    guard staging.count == staging.total else { return .wants(UInt32(truncatingIfNeeded: staging.count)) }
    return takeStaged(longest: longest)
  }

  private mutating func stage(_ byte: UInt8) -> Bool {
    let position = staging.count & 7
    staging.rest[position] = byte
    staging.count &+= 1
    let isLast = staging.count == staging.total
    guard position == 7 || isLast else { return true }
    // Bytes after the end stay erased.
    if position < 7 { for index in (position &+ 1)..<8 { staging.rest[index] = 0xFF } }
    let offset = SettingsRecord.size &+ (staging.count &- 1) & ~7
    let word = staging.rest
    return program(other, offset, word.span)
  }

  private mutating func takeStaged(longest: Int) -> PayloadStagingOutcome {
    let total = staging.total
    staging = PayloadStaging()
    guard let header = payloadHeader(in: other), header.blobSize == total, isWhole(header, in: other),
      header.family == .simple || Int(header.bodySize) <= longest
    else { return .refused }
    let size = header.family == .none ? 0 : total
    guard write(settings, accessKey: Span(), stagedPayload: size) else { return .failed }
    hasNewPayload = true
    return .taken(UInt32(truncatingIfNeeded: total))
  }

  /// Whether the body in `page` matches the header, and each of its keys the day.
  private mutating func isWhole(_ header: StoredPayloadHeader, in page: Int) -> Bool {
    var check = CRC32()
    var offset = 0
    var day = Int(header.firstDay)
    while offset < Int(header.bodySize) {
      var entry = StoredDayKey()
      defer { entry.wipe() }
      var room = entry.bytes.mutableSpan
      guard read(page, SettingsRecord.size &+ StoredPayloadHeader.size &+ offset, &room) else { return false }
      for index in 0..<40 where offset &+ index < Int(header.bodySize) { check.add(room[index]) }
      if header.family == .simple, !entry.isUnused() || !entry.isKey(of: day) { return false }
      offset &+= 40
      day &+= 1
    }
    return check.value == header.bodyCheck
  }

  /// Copies the stored payload to another page.
  @inline(never)
  mutating func copyPayload(to page: Int) -> Bool {
    var offset = 0
    while offset < payloadSize {
      var bytes: [8 of UInt8] = .init(repeating: 0)
      var room = bytes.mutableSpan
      defer { room.wipe() }
      guard read(current, SettingsRecord.size &+ offset, &room),
        program(page, SettingsRecord.size &+ offset, room.span)
      else { return false }
      offset &+= 8
    }
    return true
  }

  // MARK: Reading

  /// The header of a payload that was stored since the last call; `nil` if it is unchanged, or nothing was
  /// loaded yet. The empty header if there is none, or it is damaged.
  public mutating func takeNewPayload() -> StoredPayloadHeader? {
    guard hasLoaded, hasNewPayload else { return nil }
    hasNewPayload = false
    guard payloadSize > 0, let header = payloadHeader(in: current), header.blobSize == payloadSize,
      header.family == .simple || isWhole(header, in: current)
    else { return StoredPayloadHeader() }
    return header
  }

  private mutating func payloadHeader(in page: Int) -> StoredPayloadHeader? {
    var bytes: [32 of UInt8] = .init(repeating: 0)
    var room = bytes.mutableSpan
    guard read(page, SettingsRecord.size, &room) else { return nil }
    return StoredPayloadHeader(room.span)
  }

  /// Reads bytes behind the header. `false` if they do not exist, or the flash fails.
  @inline(never)
  public mutating func readPayload(offset: Int, into bytes: inout MutableSpan<UInt8>) -> Bool {
    let start = StoredPayloadHeader.size &+ offset
    guard offset >= 0, payloadSize > 0, start &+ bytes.count <= payloadSize else { return false }
    return read(current, SettingsRecord.size &+ start, &bytes)
  }

  /// Copies the key of day `index` of the window, which is day `day` of the schedule, and marks it as used,
  /// so that it is erased when its day is over, also after a restart. `false` if it is erased or damaged.
  public mutating func copyDayKey(_ index: Int, day: Int, into key: inout [32 of UInt8]) -> Bool {
    var entry = StoredDayKey()
    defer { entry.wipe() }
    guard read(index, &entry), entry.isKey(of: day) else { return false }
    if entry.isUnused() { clearDayKey(index, StoredDayKey.keySize, StoredDayKey.markSize) }
    for position in 0..<32 { key[position] = entry.bytes[position] }
    return true
  }

  /// Whether the key of day `index` of the window, which is day `day` of the schedule, is neither erased nor
  /// damaged.
  public mutating func hasDayKey(_ index: Int, day: Int) -> Bool {
    var entry = StoredDayKey()
    defer { entry.wipe() }
    return read(index, &entry) && entry.isKey(of: day)
  }

  /// Sets those of the keys of the first `count` days to zero that were used, or are damaged: bits can be
  /// cleared without an erasure. No word is programmed more than twice.
  public mutating func wipeDayKeys(_ count: Int) {
    var index = 0
    while index < count {
      var entry = StoredDayKey()
      // There are no keys beyond the window.
      guard read(index, &entry) else { return }
      if !entry.isUnused(), !entry.isWiped() { clearDayKey(index, 0, StoredDayKey.keySize) }
      entry.wipe()
      index &+= 1
    }
  }

  @inline(never)
  private mutating func read(_ index: Int, _ entry: inout StoredDayKey) -> Bool {
    var room = entry.bytes.mutableSpan
    return index >= 0 && readPayload(offset: index &* StoredPayloadHeader.daySize, into: &room)
  }

  private mutating func clearDayKey(_ index: Int, _ offset: Int, _ count: Int) {
    let start = SettingsRecord.size &+ StoredPayloadHeader.size &+ index &* StoredPayloadHeader.daySize
    clear(current, start &+ offset, count)
  }
}
