import HeraldBluetooth
import HeraldCrypto
import HeraldHAL

/// The data of a device besides its log: identity, settings of a host, and the payload it offers, in two
/// pages of flash of their own (docs/herald-host.md).
///
/// All of it is in one page, written to the other page when something changes, the record at its front last,
/// so that it is valid whenever power is lost. A page that holds neither settings nor is erased is damaged:
/// it is counted and erased, and if no valid page is left the defaults apply, except for an access key: if
/// there was one there still is, with the bytes that are found, and if that cannot be determined there is one
/// that no host has. No start depends on any of it.
///
/// A factory reset is recorded at the end of a page, before anything is erased; that page is erased last.
public struct SettingsStore<F: Flash & ~Copyable>: StatisticsSource, ~Copyable {
  var flash: F
  private(set) var hasLoaded = false
  /// The index of the active page, and the number of pages activated before it.
  private(set) var current = 0
  private var generation: UInt32 = 0
  private var damaged: UInt32 = 0
  private var flashErrors: UInt32 = 0
  /// The number of pages erased by a factory reset.
  private var erased = 0
  /// The settings.
  public private(set) var settings = DeviceSettings()
  /// The result of reading.
  public private(set) var condition = SettingsCondition.fresh
  /// Bytes of the stored payload.
  private(set) var payloadSize = 0
  /// CRC-32 of the owner's key.
  private var ownerCheck: UInt32 = 0
  /// The payload that is being staged (SettingsPayload.swift).
  var staging = PayloadStaging()
  /// Whether the payload has not been requested since it was stored.
  var hasNewPayload = true

  /// The settings in `flash`, all of whose pages belong to them: at least two of 104 bytes or more.
  public init(flash: consuming F) { self.flash = flash }

  /// Reads the settings, once. Whatever the flash contains, this terminates, with settings or with the
  /// defaults; it erases damaged pages, and secrets left by an interrupted change.
  public mutating func load() {
    guard !hasLoaded else { return }
    hasLoaded = true
    for page in 0..<flash.pageCount {
      var record = SettingsRecord()
      guard read(&record, of: page) else { continue }
      guard condition != .kept || record.generation > generation else { continue }
      settings = record.settings
      generation = record.generation
      payloadSize = Int(record.payloadSize)
      ownerCheck = record.ownerCheck
      current = page
      condition = .kept
    }
    for page in 0..<flash.pageCount where condition != .kept || page != current {
      var record = SettingsRecord()
      let isSettings = read(&record, of: page)
      tidy(page, isSettings: isSettings)
    }
  }

  /// Stores other settings. `false` if the flash failed, or once everything is to be erased; the former ones
  /// are then kept. A payload that is being staged is dropped: the page it is staged in is needed.
  public mutating func keep(_ new: DeviceSettings) -> Bool {
    load()
    return write(new, accessKey: Span(), stagedPayload: nil)
  }

  /// Stores a number that a host has set, `nil` to remove it. `false` if the setting does not allow it or it
  /// could not be stored.
  public mutating func keep(_ setting: Setting, value: UInt32?) -> Bool {
    load()
    var new = settings
    guard new.values.set(setting, to: value) else { return false }
    if new.values[setting] == settings.values[setting] { return true }
    return keep(new)
  }

  /// Stores another access key of 32 bytes, or removes it if `bytes` is empty. `false` for other lengths, or
  /// if it could not be stored.
  public mutating func keepAccessKey(_ key: Span<UInt8>) -> Bool {
    load()
    guard key.count == 0 || key.count == SettingsRecord.accessKeySize else { return false }
    var new = settings
    new.values.note(.accessKey, key.count > 0)
    return write(new, accessKey: key, stagedPayload: nil)
  }

  /// Copies the access key to `key`, which has 32 bytes. `false` if there is none, or the flash fails.
  public mutating func copyAccessKey(into key: inout MutableSpan<UInt8>) -> Bool {
    load()
    guard settings.hasAccessKey, isKeyKnown, key.count == SettingsRecord.accessKeySize else { return false }
    return read(current, SettingsRecord.accessKeyOffset, &key)
  }

  /// Stores another public key of the owner, 32 bytes, or removes it if `bytes` is empty. `false` for other
  /// lengths, for a key of low order, with which everybody could open what is sealed, or if it could not be
  /// stored.
  public mutating func keepOwnerKey(_ key: Span<UInt8>) -> Bool {
    load()
    guard key.count == 0 || !X25519.isLowOrder(key) else { return false }
    var new = settings
    new.values.note(.ownerKey, key.count > 0)
    return write(new, accessKey: Span(), stagedPayload: nil, ownerKey: key)
  }

  /// Copies the owner's public key to `key`, which has 32 bytes. `false` if there is none, it is damaged, or
  /// the flash fails.
  public mutating func copyOwnerKey(into key: inout MutableSpan<UInt8>) -> Bool {
    load()
    return settings.hasOwnerKey && key.count == SettingsRecord.ownerKeySize
      && read(current, ownerKeyOffset, &key) && CRC32.of(key.span) == ownerCheck
  }

  /// The key from which the device's addresses are generated: the stored one, or a new one, which is then
  /// stored.
  public mutating func addressKey<Source: RandomSource & ~Copyable>(
    random: inout Source
  ) -> IdentityResolvingKey {
    load()
    if settings.addressKey.isNone {
      var new = settings
      new.addressKey = IdentityResolvingKey.make(random: &random)
      // A key that cannot be stored is used for this start.
      if !keep(new) { return new.addressKey }
    }
    return settings.addressKey
  }

  // MARK: Writing

  /// Whether an access key, if there is one, is in the active page.
  private var isKeyKnown: Bool { condition == .kept || condition == .locked }

  /// The inactive page.
  var other: Int { current == 0 ? 1 : 0 }

  /// Whether anything may be written: once a reset is recorded, other settings would replace the page with
  /// its record, or be found by a later holder of the device. The caller has loaded the settings, which needs
  /// more stack than is available here.
  @inline(never)
  mutating func mayWrite() -> Bool { flash.pageCount > 1 && erased == 0 && notedPage() == nil }

  /// Writes the other page: the payload, if it is not staged there already, then the record, with the access
  /// key that is given, or the stored one, or zeros if there is to be none. The former page is then set to
  /// zero.
  @inline(never)
  mutating func write(
    _ new: DeviceSettings, accessKey: Span<UInt8>, stagedPayload: Int?, ownerKey: Span<UInt8> = Span()
  ) -> Bool {
    // The page that is to be written may be the one that is unreadable now.
    guard mayWrite(), isKeyKnown || accessKey.count > 0 || !new.hasAccessKey else { return false }
    let page = other
    let size = stagedPayload ?? payloadSize
    if stagedPayload == nil {
      staging = PayloadStaging()
      guard erase(page), copyPayload(to: page) else { return false }
    }
    guard let check = writeOwnerKey(new, ownerKey, to: page),
      writeRecord(new, accessKey, payloadSize: size, ownerCheck: check, to: page)
    else { return false }
    let former = current
    let hadOwnerKey = settings.hasOwnerKey
    let formerSize = condition == .kept ? SettingsRecord.size &+ Self.aligned(payloadSize) : 0
    let wasDamaged = condition == .locked
    settings = new
    generation &+= 1
    current = page
    condition = .kept
    payloadSize = size
    ownerCheck = check
    if formerSize > 0 { clear(former, 0, formerSize) }
    if hadOwnerKey { clear(former, ownerKeyOffset, SettingsRecord.ownerKeySize) }
    if wasDamaged { erase(former) }
    return true
  }

  /// Writes the owner's key, the one that is given, or the stored one, and returns its checksum, 0 for none;
  /// `nil` if it is damaged or the flash failed.
  @inline(never)
  private mutating func writeOwnerKey(
    _ new: DeviceSettings, _ ownerKey: Span<UInt8>, to page: Int
  ) -> UInt32? {
    guard new.hasOwnerKey else { return 0 }
    var bytes: [32 of UInt8] = .init(repeating: 0)
    var room = bytes.mutableSpan
    if ownerKey.count == SettingsRecord.ownerKeySize {
      for index in 0..<ownerKey.count { room[index] = ownerKey[index] }
    } else {
      guard copyOwnerKey(into: &room) else { return nil }
    }
    return program(page, ownerKeyOffset, room.span) ? CRC32.of(room.span) : nil
  }

  @inline(never)
  private mutating func writeRecord(
    _ new: DeviceSettings, _ accessKey: Span<UInt8>, payloadSize: Int, ownerCheck: UInt32, to page: Int
  ) -> Bool {
    var bytes: [96 of UInt8] = .init(repeating: 0)
    var room = bytes.mutableSpan
    defer { room.wipe() }
    if new.hasAccessKey {
      let offset = SettingsRecord.accessKeyOffset
      if accessKey.count == SettingsRecord.accessKeySize {
        for index in 0..<accessKey.count { room[offset &+ index] = accessKey[index] }
      } else {
        var key = room._mutatingExtracting(offset..<(offset &+ SettingsRecord.accessKeySize))
        guard read(current, offset, &key) else { return false }
      }
    }
    var record = SettingsRecord()
    record.settings = new
    record.generation = generation &+ 1
    record.payloadSize = UInt16(truncatingIfNeeded: payloadSize)
    record.ownerCheck = ownerCheck
    record.write(to: &room)
    // Its beginning last: a page without it was never complete, and no key was lost with it.
    return program(page, 8, room.span.extracting(8...)) && program(page, 0, room.span.extracting(0..<8))
  }

  // MARK: Factory reset

  /// Records that everything is to be erased: from now on a start continues with that. `false` if the flash
  /// failed.
  public mutating func noteReset() -> Bool {
    if isResetNoted() { return true }
    guard flash.pageCount > 0 else { return false }
    if writeNote(current) { return true }
    // The location of the record is not empty. The active page stays: without its access key the device would
    // be open, with the log still present.
    return erase(other) && writeNote(other)
  }

  /// Whether a reset is recorded and not yet complete.
  public mutating func isResetNoted() -> Bool {
    load()
    return notedPage() != nil
  }

  private mutating func notedPage() -> Int? {
    for page in 0..<flash.pageCount where hasNote(page) { return page }
    return nil
  }

  /// Erases the next page, the one with the record last. Returns whether all are erased, also when the flash
  /// fails.
  public mutating func eraseNext() -> Bool {
    let count = flash.pageCount
    guard erased < count else { return true }
    let last = notedPage() ?? current
    erased &+= 1
    erase((last &+ erased) % count)
    if erased == count {
      settings = DeviceSettings()
      condition = .fresh
      generation = 0
      payloadSize = 0
      staging = PayloadStaging()
      hasNewPayload = true
    }
    return erased == count
  }

  // MARK: Flash

  /// Reads the record of a page; `false` if it has none, or cannot be read.
  @inline(never)
  private mutating func read(_ record: inout SettingsRecord, of page: Int) -> Bool {
    var bytes: [96 of UInt8] = .init(repeating: 0)
    var room = bytes.mutableSpan
    defer { room.wipe() }
    return read(page, 0, &room) && record.read(room.span) && Int(record.payloadSize) <= payloadRoom
  }

  /// Handles an inactive page, with settings or without: one that is neither erased nor zeroed is erased, as
  /// it may contain part of a key. It is damaged if its front is neither settings nor erased nor zeroed.
  @inline(never)
  private mutating func tidy(_ page: Int, isSettings: Bool) {
    var isDamaged = false
    var isClean = true
    var offset = 0
    while offset < noteOffset {
      var bytes: [8 of UInt8] = .init(repeating: 0)
      var room = bytes.mutableSpan
      guard read(page, offset, &room) else {
        if condition == .fresh { condition = .damaged }
        // It may contain a key.
        if condition != .kept { settings.values.note(.accessKey, true) }
        return
      }
      for index in 0..<8 where room[index] != 0 && room[index] != 0xFF {
        isClean = false
        if offset < SettingsRecord.size { isDamaged = !isSettings }
      }
      room.wipe()
      offset &+= 8
    }
    if isDamaged {
      damaged &+= 1
      if condition == .fresh { condition = .damaged }
      if condition == .damaged, hadAccessKey(page) {
        // It stays until other settings contain its key.
        condition = .locked
        current = page
        settings.values.note(.accessKey, true)
        return
      }
    }
    // The record of a reset stays until the reset has erased it.
    if !isClean, !hasNote(page) { erase(page) }
  }

  @inline(never)
  private mutating func hadAccessKey(_ page: Int) -> Bool {
    var bytes: [96 of UInt8] = .init(repeating: 0)
    var room = bytes.mutableSpan
    defer { room.wipe() }
    return read(page, 0, &room) && SettingsRecord.hadAccessKey(room.span)
  }

  /// The location of the record of a reset.
  var noteOffset: Int { flash.pageSize &- 8 }
  /// The location of the owner's key.
  var ownerKeyOffset: Int { noteOffset &- SettingsRecord.ownerKeySize }

  private mutating func hasNote(_ page: Int) -> Bool {
    var bytes: [8 of UInt8] = .init(repeating: 0)
    var room = bytes.mutableSpan
    guard read(page, noteOffset, &room) else { return false }
    for index in 0..<8 where room[index] != Self.note(index) { return false }
    return true
  }

  private mutating func writeNote(_ page: Int) -> Bool {
    var bytes: [8 of UInt8] = .init(repeating: 0)
    for index in 0..<8 { bytes[index] = Self.note(index) }
    return program(page, noteOffset, bytes.span)
  }

  /// "HEraseAl": not a likely pattern of damage.
  private static func note(_ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: (index < 4 ? 0x6172_4548 as UInt32 : 0x6C41_6573) &>> UInt32(8 &* (index & 3)))
  }

  @inline(never)
  mutating func read(_ page: Int, _ offset: Int, _ buffer: inout MutableSpan<UInt8>) -> Bool {
    do throws(FlashError) { try flash.read(page: page, offset: offset, into: &buffer) } catch {
      flashErrors &+= 1
      return false
    }
    return true
  }

  @inline(never)
  mutating func program(_ page: Int, _ offset: Int, _ bytes: Span<UInt8>) -> Bool {
    do throws(FlashError) { try flash.program(page: page, offset: offset, bytes) } catch {
      flashErrors &+= 1
      return false
    }
    return true
  }

  @discardableResult @inline(never)
  mutating func clear(_ page: Int, _ offset: Int, _ count: Int) -> Bool {
    do throws(FlashError) { try flash.clear(page: page, offset: offset, count: count) } catch {
      flashErrors &+= 1
      return false
    }
    return true
  }

  @discardableResult @inline(never)
  mutating func erase(_ page: Int) -> Bool {
    do throws(FlashError) { try flash.erase(page: page) } catch {
      flashErrors &+= 1
      return false
    }
    return true
  }
}

extension SettingsStore where F: ~Copyable {
  /// "settings".
  public static var statisticsName: StaticString { "settings" }
  /// How many counters there are.
  public static var statisticsCount: Int { 2 }
  /// The name of counter `index`.
  public static func statisticName(_ index: Int) -> StaticWord {
    StaticWord(index, of: "damaged_pages flash_errors")
  }
  /// The value of counter `index`: pages found damaged at this start, flash operations that failed.
  public mutating func statistic(_ index: Int) -> UInt32 {
    index == 0 ? damaged : index == 1 ? flashErrors : 0
  }
}
