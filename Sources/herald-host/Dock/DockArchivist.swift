import Foundation
import HeraldArchive
import HeraldHostLink

/// Adds folders to an archive, in one thread of its own: those that wait are added together, and what they
/// change is derived when no more are expected. A folder is used by one thread at a time: by that which
/// collects its device, or by this one. Thread-safe.
final class DockArchivist: @unchecked Sendable {
  /// The longest time in seconds for which contacts are not derived because devices are being collected.
  private static let longestDelay = Duration.seconds(30)
  /// The time in seconds without a new folder after which they are.
  private static let quietTime = Duration.seconds(1)
  /// The time in seconds after an error in which deriving is not tried again.
  private static let pause = Duration.seconds(60)

  private final class Entry {
    let folder: String
    let wantsKept: Bool
    /// Whether a thread waits for the result.
    let isAwaited: Bool
    var result: Result<Set<PageName>, HostLinkError>?

    init(_ folder: String, wantsKept: Bool = false, isAwaited: Bool) {
      self.folder = folder
      self.isAwaited = isAwaited
      self.wantsKept = wantsKept
    }
  }

  private let location: String
  private let zone: String?
  // Used by the thread only.
  private let keys: SealedPageKeys?
  private let note: @Sendable (HostLinkError) -> Void
  private let condition = MonotonicCondition()
  private var waiting: [Entry] = []
  /// The folders that a thread uses.
  private var held: Set<String> = []
  private var newestDates: [String: UInt64] = [:]
  private var assignments = Assignments()
  private var days = LocalDays.utc
  private var atWork = 0
  private var isEnding = false
  private var derivesAtEnd = true
  private var hasEnded = false
  // Used by the thread only.
  private var archive: Archive?
  private var staleSince: ContinuousClock.Instant?
  private var pausedUntil = ContinuousClock.now

  /// Opens the archive at `location`, which is made if it is not there. `note` receives errors that concern
  /// no single folder. `keys` open sealed pages. The file `people` replaces the labels of the archive. `zone`
  /// is that of a new archive.
  init(
    _ location: String, zone: String? = nil, keys: SealedPageKeys? = nil, people: String? = nil,
    note: @escaping @Sendable (HostLinkError) -> Void
  ) throws(HostLinkError) {
    (self.location, self.zone) = (location, zone)
    self.keys = keys
    self.note = note
    let archive = try Archive.open(location, create: true, zone: zone)
    do throws(HostLinkError) {
      if let people {
        let file = try PeopleFile(reading: people, days: archive.days)
        for remark in file.remarks { note(HostLinkError(.usage, remark)) }
        try archive.label(file)
        staleSince = .now
      }
      newestDates = try archive.newestDates()
      assignments = try archive.assignments()
    } catch {
      archive.discard()
      throw error
    }
    days = archive.days
    self.archive = archive
    let thread = Thread { [self] in work() }
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Notes that a device is being collected, or no longer: contacts are derived between the devices.
  func expect(_ change: Int) {
    condition.withLock {
      atWork += change
      condition.broadcast()
    }
  }

  /// Who wears which device.
  var people: Assignments { condition.withLock { assignments } }

  /// The day of a date in milliseconds since 1970-01-01T00:00:00Z, in the archive's time zone.
  func day(of date: UInt64) -> Int64 { days.day(of: Int64(clamping: date)) }

  /// The dates of the newest records that the archive has.
  func newestRecords(of serial: String) -> ClockGuard.Records {
    var dates = condition.withLock { newestDates }
    let own = dates.removeValue(forKey: serial)
    return ClockGuard.Records(ofDevice: own, ofOthers: ClockGuard.Records.common(of: Array(dates.values)))
  }

  /// Uses a folder that no other thread uses meanwhile: waits until it is added.
  func holding<Result>(_ folder: String, _ work: () throws(HostLinkError) -> Result) throws(HostLinkError)
    -> Result
  {
    condition.lock()
    while held.contains(folder) { condition.wait() }
    held.insert(folder)
    condition.unlock()
    defer { release([folder]) }
    return try work()
  }

  private func release(_ folders: some Sequence<String>) {
    condition.withLock {
      held.subtract(folders)
      condition.broadcast()
    }
  }

  /// Adds a folder, and waits for it. If `wantsKept`, returns the closed pages that are in the archive with
  /// the bytes of their files.
  /// - Throws: the reason why not all of its pages are in the archive.
  func add(_ folder: String, wantsKept: Bool) throws(HostLinkError) -> Set<PageName> {
    let entry = Entry(folder, wantsKept: wantsKept, isAwaited: true)
    condition.lock()
    waiting.append(entry)
    condition.broadcast()
    while entry.result == nil, !hasEnded { condition.wait() }
    let result = entry.result
    condition.unlock()
    guard let result else {
      throw HostLinkError(
        .partial, "the dock has ended before \(folder) was added to \(location)",
        advice: "it is added when the dock starts again")
    }
    return try result.get()
  }

  /// Adds a folder without waiting.
  func addSoon(_ folder: String) {
    condition.withLock {
      waiting.append(Entry(folder, isAwaited: false))
      condition.broadcast()
    }
  }

  /// Adds what waits, derives contacts if `derives`, and ends the thread.
  func finish(derives: Bool) {
    condition.lock()
    isEnding = true
    derivesAtEnd = derives
    condition.broadcast()
    while !hasEnded { condition.wait() }
    condition.unlock()
  }

  private func work() {
    while let batch = next() {
      if batch.isEmpty {
        derive()
      } else {
        let results = add(batch)
        release(batch.map(\.folder))
        condition.withLock {
          for (entry, result) in zip(batch, results) { entry.result = result }
          condition.broadcast()
        }
      }
    }
    if condition.withLock({ derivesAtEnd }) { derive() }
    condition.withLock {
      hasEnded = true
      condition.broadcast()
    }
  }

  /// The folders to add next, which are held; none if it is time to derive; `nil` at the end.
  private func next() -> [Entry]? {
    condition.lock()
    defer { condition.unlock() }
    while true {
      let batch = takeBatch()
      guard batch.isEmpty else { return batch }
      if isEnding, waiting.isEmpty { return nil }
      let isQuiet = !condition.wait(until: .after(Self.quietTime))
      guard waiting.isEmpty, !isEnding, let staleSince, ContinuousClock.now >= pausedUntil else { continue }
      if isQuiet, atWork == 0 || staleSince.duration(to: .now) > Self.longestDelay { return [] }
    }
  }

  /// The folders that a thread waits for, or else a single one, so that nobody waits long for a folder: those
  /// that are in use stay. The lock is held.
  private func takeBatch() -> [Entry] {
    let free = waiting.filter { !held.contains($0.folder) }
    let awaited = free.filter(\.isAwaited)
    let batch = awaited.isEmpty ? Array(free.prefix(1)) : awaited
    waiting.removeAll { entry in batch.contains { $0 === entry } }
    held.formUnion(batch.map(\.folder))
    return batch
  }

  private func opened() throws(HostLinkError) -> Archive {
    if let archive { return archive }
    let archive = try Archive.open(location, create: true, zone: zone)
    self.archive = archive
    return archive
  }

  private func add(_ batch: [Entry]) -> [Result<Set<PageName>, HostLinkError>] {
    var folders: [String] = []
    for entry in batch where !folders.contains(entry.folder) { folders.append(entry.folder) }
    do throws(HostLinkError) {
      let archive = try opened()
      let addition = try archive.add(folders: folders, keys: keys)
      if addition.newPages > 0, staleSince == nil { staleSince = .now }
      let dates = try archive.newestDates()
      condition.withLock { newestDates = dates }
      let results = batch.map { result(of: $0, addition, archive) }
      for (entry, result) in zip(batch, results) where !entry.isAwaited {
        if case .failure(let error) = result { note(error) }
      }
      return results
    } catch {
      // The next batch opens it again.
      archive = nil
      if batch.contains(where: { !$0.isAwaited }) { note(error) }
      return batch.map { _ in .failure(error) }
    }
  }

  private func result(of entry: Entry, _ addition: Archive.Addition, _ archive: Archive) -> Result<
    Set<PageName>, HostLinkError
  > {
    if let failure = addition.failures.first(where: { $0.folder == entry.folder }) {
      return .failure(failure.error)
    }
    let refused = addition.refused.filter { $0.hasPrefix(entry.folder + "/pages/") }
    if let first = refused.first {
      return .failure(
        HostLinkError(
          .partial, "\(refused.count) files are not in the archive, among them \(first)",
          advice: "each is no page, or another page of its number is in the archive already"))
    }
    guard entry.wantsKept else { return .success([]) }
    do throws(HostLinkError) { return .success(try archive.keptPages(of: entry.folder)) } catch {
      return .failure(error)
    }
  }

  private func derive() {
    guard staleSince != nil else { return }
    do throws(HostLinkError) {
      try opened().update()
      staleSince = nil
    } catch {
      archive = nil
      pausedUntil = .now + Self.pause
      let advice = error.advice?.replacing(HostLinkError.spaceAdvice, with: "free space on its disk")
      note(
        HostLinkError(
          error.cause, "contacts could not be derived: \(error.what)",
          advice: "\(advice.map { "\($0); " } ?? "")it is tried again"))
    }
  }
}
