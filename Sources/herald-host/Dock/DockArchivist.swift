import Foundation
import HeraldArchive
import HeraldHostLink

/// Adds folders to an archive, in one thread of its own: those that wait are added together, and what they
/// change is derived when no more are expected. Thread-safe.
final class DockArchivist: @unchecked Sendable {
  /// The longest time in seconds for which contacts are not derived because devices are being collected.
  private static let longestDelay: TimeInterval = 30
  /// The time in seconds without a new folder after which they are.
  private static let quietTime: TimeInterval = 1
  /// The time in seconds after an error in which deriving is not tried again.
  private static let pause: TimeInterval = 60

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

  private let place: String
  // Used by the thread only.
  private let keys: SealedPageKeys?
  private let note: @Sendable (HostLinkError) -> Void
  private let condition = NSCondition()
  private var waiting: [Entry] = []
  private var atWork = 0
  private var isEnding = false
  private var derivesAtEnd = true
  private var hasEnded = false
  // Used by the thread only.
  private var archive: Archive?
  private var staleSince: Date?
  private var pausedUntil = Date.distantPast

  /// Opens the archive at `place`, which is made if it is not there. `note` receives errors that concern no
  /// single folder.
  /// `keys` open sealed pages.
  init(_ place: String, keys: SealedPageKeys? = nil, note: @escaping @Sendable (HostLinkError) -> Void)
    throws(HostLinkError)
  {
    self.place = place
    self.keys = keys
    self.note = note
    archive = try Archive.open(place, create: true)
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
        .partial, "the dock has ended before \(folder) was added to \(place)",
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

  /// The folders that wait; none if it is time to derive; `nil` at the end.
  private func next() -> [Entry]? {
    condition.lock()
    defer { condition.unlock() }
    while waiting.isEmpty {
      if isEnding { return nil }
      guard let staleSince, Date() >= pausedUntil else {
        _ = condition.wait(until: Date(timeIntervalSinceNow: Self.quietTime))
        continue
      }
      let isQuiet = !condition.wait(until: Date(timeIntervalSinceNow: Self.quietTime))
      guard waiting.isEmpty, !isEnding else { continue }
      if isQuiet, atWork == 0 || staleSince.timeIntervalSinceNow < -Self.longestDelay { return [] }
    }
    defer { waiting = [] }
    return waiting
  }

  private func opened() throws(HostLinkError) -> Archive {
    if let archive { return archive }
    let archive = try Archive.open(place, create: true)
    self.archive = archive
    return archive
  }

  private func add(_ batch: [Entry]) -> [Result<Set<PageName>, HostLinkError>] {
    var folders: [String] = []
    for entry in batch where !folders.contains(entry.folder) { folders.append(entry.folder) }
    do throws(HostLinkError) {
      let archive = try opened()
      let addition = try archive.add(folders: folders, keys: keys)
      if addition.newPages > 0, staleSince == nil { staleSince = Date() }
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
      pausedUntil = Date(timeIntervalSinceNow: Self.pause)
      note(
        HostLinkError(
          error.cause, "contacts could not be derived: \(error.what)",
          advice: "\(error.advice.map { "\($0); " } ?? "")it is tried again"))
    }
  }
}
