import Foundation
import HeraldConsole
import HeraldHostLink

/// Collects the logs of devices as they are connected: a thread for each device, and one for the archive.
final class Dock: @unchecked Sendable {
  /// The maximum number of devices that are collected at a time; further ones wait.
  private static let mostAtOnce = 64

  /// What the dock is to do.
  struct Plan: Sendable {
    /// The folder of the folders of all devices.
    let output: String
    let trims: Bool
    let hook: DockHook?
    let isOnce: Bool
  }

  private let plan: Plan
  private let link: LinkOptions
  private let watch: DeviceWatch
  private let archivist: DockArchivist
  private let screen: DockScreen
  private let stop: DockStop

  private let condition = NSCondition()
  private var badges: [String: DockBadge] = [:]
  /// The connections in the order in which they were seen.
  private var order: [String] = []
  /// The connections by the serial number of the device.
  private var holders: [String: String] = [:]
  private var absent: [(location: String, error: HostLinkError)] = []
  private var running = 0

  init(
    _ plan: Plan, link: LinkOptions, watch: DeviceWatch, archivist: DockArchivist, screen: DockScreen,
    stop: DockStop
  ) {
    self.plan = plan
    self.link = link
    self.watch = watch
    self.archivist = archivist
    self.screen = screen
    self.stop = stop
  }

  /// Runs until it is stopped or, with `isOnce`, all devices are collected, whose results it returns.
  func run() -> [FleetMember<DockResult>] {
    var version = -1
    var isTaken = false
    while !stop.isRequested {
      let presence = watch.next(after: version, by: nextTime())
      if !plan.isOnce || !isTaken, presence.version != version {
        version = presence.version
        take(presence)
        isTaken = presence.isComplete
      }
      begin()
      if plan.isOnce, isTaken, isIdle { break }
    }
    condition.lock()
    while running > 0 { condition.wait() }
    condition.unlock()
    watch.end()
    return members
  }

  /// When the main loop has to look again: at the next collection that is due, or soon.
  private func nextTime() -> Date {
    condition.withLock {
      let due = badges.values.compactMap { $0.isRunning ? nil : $0.dueAt }.min() ?? .distantFuture
      return max(Date(timeIntervalSinceNow: 0.05), min(due, Date(timeIntervalSinceNow: 1)))
    }
  }

  private var isIdle: Bool {
    condition.withLock { running == 0 && !badges.values.contains { $0.isPresent && $0.dueAt != nil } }
  }

  private var members: [FleetMember<DockResult>] {
    condition.withLock {
      order.compactMap { instance in
        guard let badge = badges[instance], let outcome = badge.outcome else { return nil }
        return FleetMember(location: badge.location, serial: badge.serial, result: outcome)
      } + absent.map { FleetMember(location: $0.location, serial: "", result: .failure($0.error)) }
    }
  }

  /// Notes which devices were connected and disconnected, and which servers do not respond.
  private func take(_ presence: DeviceWatch.Presence) {
    let present = Dictionary(presence.places.map { ($0.instance, $0) }) { first, _ in first }
    var said: [(event: String, badge: DockBadge)] = []
    condition.lock()
    for (instance, badge) in badges where badge.isPresent && present[instance] == nil {
      // A server may not list a device while it is in use.
      if case .usbip = badge.place.selector, badge.isRunning { continue }
      badges[instance]?.isPresent = false
      said.append(("left", badge))
      if !badge.isRunning { forget(instance) }
    }
    for place in presence.places {
      if badges[place.instance] == nil {
        badges[place.instance] = DockBadge(place)
        order.append(place.instance)
        said.append(("arrived", DockBadge(place)))
      } else {
        badges[place.instance]?.isPresent = true
      }
    }
    let news = presence.failures.filter { failure in
      !absent.contains { $0.location == failure.location && $0.error == failure.error }
    }
    absent = presence.failures
    condition.broadcast()
    condition.unlock()
    for (event, badge) in said {
      screen.say(
        row(event, badge),
        event == "left" ? "\(badge.name)  unplugged" : nil)
    }
    for failure in news where !plan.isOnce {
      screen.complain(
        HostLinkError(
          failure.error.cause, "\(failure.location): \(failure.error.what)", advice: failure.error.advice))
    }
  }

  /// Removes a device that has left; with `isOnce` its result is kept. The lock is held.
  private func forget(_ instance: String) {
    guard let badge = badges[instance] else { return }
    if holders[badge.serial] == instance { holders[badge.serial] = nil }
    badges[instance]?.dueAt = nil
    guard !plan.isOnce else { return }
    badges[instance] = nil
    order.removeAll { $0 == instance }
  }

  /// Begins the collections that are due.
  private func begin() {
    condition.lock()
    defer { condition.unlock() }
    let now = Date()
    for instance in order where running < Self.mostAtOnce && !stop.isRequested {
      guard let badge = badges[instance], badge.isPresent, !badge.isRunning, let due = badge.dueAt, due <= now
      else { continue }
      badges[instance]?.isRunning = true
      badges[instance]?.attempts += 1
      badges[instance]?.dueAt = nil
      running += 1
      archivist.expect(1)
      let thread = Thread { [self] in collect(instance, badge.place) }
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  // MARK: In the thread of a device

  private func collect(_ instance: String, _ place: DevicePlace) {
    let outcome = attempt(instance, place)
    archivist.expect(-1)
    screen.update(instance, nil)
    let (badge, delay) = end(instance, outcome)
    switch outcome {
    case .success(let result):
      let pages = Console.count(result.newPages, "new page")
      let erased =
        result.trimmedPages > 0 ? ", \(Console.count(result.trimmedPages, "page")) erased on it" : ""
      var row = row("done", badge)
      row.result = result
      screen.say(row, "\(badge.name)  done: \(pages)\(erased); it can be unplugged")
    case .failure(let error):
      var row = row("failed", badge)
      row.error = ErrorRow(error)
      row.retrySeconds = delay.map { Int($0) }
      let again = delay.map { "; it is tried again in \(Int($0)) s if it stays plugged in" } ?? ""
      screen.say(
        row, "\(badge.name)  failed: \(error.what)\n          → \(error.advice ?? "plug it in again")\(again)"
      )
    }
    // A signal that has stopped the dock does not hold back the programs of what is collected.
    runHook(badge, outcome)
    condition.withLock {
      running -= 1
      condition.broadcast()
    }
    watch.wake()
  }

  private func attempt(_ instance: String, _ place: DevicePlace) -> Result<DockResult, HostLinkError> {
    let collection = DockCollection(
      output: plan.output, trims: plan.trims, archivist: archivist, stop: stop,
      claim: { [self] serial throws(HostLinkError) in try claim(serial, for: instance) },
      report: { [self] phase, progress in tell(instance, phase, progress) })
    do {
      try stop.check()
      return .success(
        try link.withDevice(
          place.selector,
          wrapping: { found in
            note(found.identity.serial, nil, of: instance)
            return OpenDevice(transport: DockTransport(found.transport, stop), identity: found.identity)
          }
        ) { device, open in
          try collection.run(device, open) { serial, folder in note(serial, folder, of: instance) }
        })
    } catch let error as HostLinkError {
      return .failure(error)
    } catch {
      return .failure(HostLinkError(.storage, "\(error)"))
    }
  }

  /// Notes what has become known of a device.
  private func note(_ serial: String, _ folder: String?, of instance: String) {
    condition.withLock {
      if !serial.isEmpty { badges[instance]?.serial = serial }
      if let folder { badges[instance]?.folder = folder }
    }
  }

  /// Notes the end of a collection, and when the device is to be collected again.
  private func end(_ instance: String, _ outcome: Result<DockResult, HostLinkError>) -> (
    DockBadge, TimeInterval?
  ) {
    condition.lock()
    defer { condition.unlock() }
    guard var badge = badges[instance] else {
      return (DockBadge(DevicePlace(selector: .serialNumber(""), instance: instance)), nil)
    }
    badge.isRunning = false
    badge.outcome = outcome
    var delay: TimeInterval?
    if case .failure(let error) = outcome, badge.isPresent, !stop.isRequested {
      delay = DockBadge.delay(after: error, attempts: badge.attempts, isOnce: plan.isOnce)
      badge.dueAt = delay.map { Date(timeIntervalSinceNow: $0) }
    }
    badges[instance] = badge
    if !badge.isPresent { forget(instance) }
    condition.broadcast()
    return (badge, delay)
  }

  /// Claims a serial number for a connection: two devices with the same one would have the same folder. Waits
  /// while a device that has been unplugged is still being processed, as it may be this one.
  private func claim(_ serial: String, for instance: String) throws(HostLinkError) {
    condition.lock()
    defer { condition.unlock() }
    while let holder = holders[serial], holder != instance, let other = badges[holder] {
      guard !other.isPresent else {
        throw HostLinkError(
          .severalDevices, "the device at \(other.location) has the serial number \(serial), too",
          advice: "unplug both, and plug in one at a time")
      }
      guard other.isRunning else { break }
      condition.wait()
    }
    holders[serial] = instance
  }

  private func tell(_ instance: String, _ phase: DockPhase, _ progress: PullProgress?) {
    guard let badge = condition.withLock({ badges[instance] }) else { return }
    var text = "\(badge.name)  \(phase.words)"
    if let progress {
      let bar = ProgressLine.bar(done: progress.pages, of: progress.ofPages, width: 20)
      text = "\(bar)  \(badge.name)  \(phase.words) \(DevicePull.words(progress))"
    } else {
      var row = row("phase", badge)
      row.phase = phase
      screen.say(row, nil)
    }
    screen.update(instance, text)
  }

  private func runHook(_ badge: DockBadge, _ outcome: Result<DockResult, HostLinkError>) {
    guard let hook = plan.hook, let folder = badge.folder else { return }
    var variables = [
      "HERALD_SERIAL": badge.serial, "HERALD_FOLDER": folder, "HERALD_LOCATION": badge.location,
    ]
    switch outcome {
    case .success(let result):
      variables["HERALD_RESULT"] = "done"
      variables["HERALD_NEW_PAGES"] = String(result.newPages)
    case .failure(let error):
      variables["HERALD_RESULT"] = "failed"
      variables["HERALD_ERROR"] = error.what
    }
    do throws(HostLinkError) { try hook.run(variables) } catch {
      var row = row("hook-failed", badge)
      row.error = ErrorRow(error)
      screen.say(row, nil)
      screen.complain(HostLinkError(error.cause, "\(badge.name): \(error.what)", advice: error.advice))
    }
  }

  private func row(_ event: String, _ badge: DockBadge) -> DockScreen.Event {
    DockScreen.Event(
      time: UTCTimestamp.json(PlausibleDate.now), event: event, location: badge.location,
      serial: badge.serial.isEmpty ? nil : badge.serial)
  }
}
