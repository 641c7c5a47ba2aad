/// What a device keeps beside its log: who it is, in two pages of flash of their own or more (docs/settings.md).
///
/// The settings are in one page, written anew in the other when they change, so that they are there whenever the power goes. A page that
/// holds neither settings nor nothing is damaged: it is counted and erased, and if none is left the defaults apply. No start depends on them.
///
/// A factory reset is noted at the end of a page, before anything is erased; that page is the last one to be.
public struct SettingsStore<F: Flash & ~Copyable>: StatisticsSource, ~Copyable {
  private var flash: F
  private var hasLoaded = false
  /// The page that counts, and how many there were before it.
  private var current = 0
  private var generation: UInt32 = 0
  private var damaged: UInt32 = 0
  private var flashErrors: UInt32 = 0
  /// How many pages a factory reset has erased.
  private var erased = 0
  /// What is kept.
  public private(set) var settings = DeviceSettings()
  /// What was found.
  public private(set) var condition = SettingsCondition.fresh

  /// The settings in `flash`, all of whose pages belong to them: at least two of 48 bytes or more.
  public init(flash: consuming F) { self.flash = flash }

  /// Reads the settings, once. Whatever the flash contains, this ends, with settings or with the defaults; it erases what is damaged.
  public mutating func load() {
    guard !hasLoaded else { return }
    hasLoaded = true
    for page in 0..<flash.pageCount {
      switch content(of: page) {
      case .blank: break
      case .settings(let found, let number):
        guard condition != .kept || number > generation else { continue }
        settings = found
        generation = number
        current = page
        condition = .kept
      case .damaged:
        damaged &+= 1
        if condition == .fresh { condition = .damaged }
        // What is left of a key in it is to go as well. A note of a reset stays, until that has erased it.
        if !hasNote(page) { erase(page) }
      case .unreadable:
        if condition == .fresh { condition = .damaged }
      }
    }
  }

  /// Keeps other settings. `false` if the flash failed, or once everything is to be erased; those that were kept are there then.
  public mutating func keep(_ new: DeviceSettings) -> Bool {
    // Before the reset they would take the page with its note, and after it they would be found by whoever has the device next.
    guard erased == 0, !isResetNoted() else { return false }
    let page = current == 0 ? 1 : 0
    var bytes: [40 of UInt8] = .init(repeating: 0)
    var room = bytes.mutableSpan
    new.write(to: &room, generation: generation &+ 1)
    defer { room.wipe() }
    guard erase(page), program(page, 0, room.span) else { return false }
    let former = current
    let hadFormer = condition == .kept
    settings = new
    generation &+= 1
    current = page
    condition = .kept
    if hadFormer {
      do throws(FlashError) { try flash.clear(page: former, offset: 0, count: DeviceSettings.size) } catch {
        flashErrors &+= 1
      }
    }
    return true
  }

  /// The key that the device's addresses are made with: the one that is kept, or a new one, which is kept from now on.
  public mutating func addressKey<Source: RandomSource & ~Copyable>(
    random: inout Source
  ) -> IdentityResolvingKey {
    load()
    if settings.addressKey.isNone {
      var new = settings
      new.addressKey = IdentityResolvingKey.make(random: &random)
      // One that cannot be kept does for this start.
      if !keep(new) { return new.addressKey }
    }
    return settings.addressKey
  }

  /// Keeps for how many days records of the log are kept. `false` if that could not be written.
  public mutating func keepRetention(days: UInt16) -> Bool {
    load()
    if settings.retentionDays == days { return true }
    var new = settings
    new.retentionDays = days
    return keep(new)
  }

  // MARK: Factory reset

  /// Notes that everything is to be erased: from now on a start goes on with that. `false` if the flash failed.
  public mutating func noteReset() -> Bool {
    if isResetNoted() { return true }
    if writeNote(current) { return true }
    // There was something where the note goes.
    return erase(current) && writeNote(current)
  }

  /// Whether that has been noted, and not yet been done.
  public mutating func isResetNoted() -> Bool {
    load()
    for page in 0..<flash.pageCount where hasNote(page) { return true }
    return false
  }

  /// Erases the next page, the one with the note last. Returns whether it is done, which it is also when the flash fails.
  public mutating func eraseNext() -> Bool {
    let count = flash.pageCount
    guard erased < count else { return true }
    erased &+= 1
    erase((current &+ erased) % count)
    if erased == count {
      settings = DeviceSettings()
      condition = .fresh
      generation = 0
    }
    return erased == count
  }

  // MARK: Flash

  private enum Content {
    case blank
    case settings(DeviceSettings, UInt32)
    case damaged
    case unreadable
  }

  private mutating func content(of page: Int) -> Content {
    var bytes: [40 of UInt8] = .init(repeating: 0)
    var room = bytes.mutableSpan
    guard read(page, 0, &room) else { return .unreadable }
    defer { room.wipe() }
    if let (settings, generation) = DeviceSettings.read(room.span) { return .settings(settings, generation) }
    // Erased, or replaced by another page.
    let first = room[0]
    var isUniform = first == 0 || first == 0xFF
    for index in 0..<room.count where room[index] != first { isUniform = false }
    return isUniform ? .blank : .damaged
  }

  /// Where the note goes.
  private var noteOffset: Int { flash.pageSize &- 8 }

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

  /// "HEraseAl": damage does not look so.
  private static func note(_ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: (index < 4 ? 0x6172_4548 as UInt32 : 0x6C41_6573) &>> UInt32(8 &* (index & 3)))
  }

  private mutating func read(_ page: Int, _ offset: Int, _ buffer: inout MutableSpan<UInt8>) -> Bool {
    do throws(FlashError) { try flash.read(page: page, offset: offset, into: &buffer) } catch {
      flashErrors &+= 1
      return false
    }
    return true
  }

  private mutating func program(_ page: Int, _ offset: Int, _ bytes: Span<UInt8>) -> Bool {
    do throws(FlashError) { try flash.program(page: page, offset: offset, bytes) } catch {
      flashErrors &+= 1
      return false
    }
    return true
  }

  @discardableResult
  private mutating func erase(_ page: Int) -> Bool {
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
  public static func statisticName(_ index: Int) -> StaticString {
    switch index {
    case 0: "damaged_pages"
    case 1: "flash_errors"
    default: ""
    }
  }
  /// The value of counter `index`: pages found damaged at this start, flash operations that failed.
  public mutating func statistic(_ index: Int) -> UInt32 {
    index == 0 ? damaged : index == 1 ? flashErrors : 0
  }
}
