import Foundation
import HeraldConsole
import HeraldHostLink
import HeraldLinux

/// Collects the logs of devices as they are connected: a thread for each device, and one for the archive.
final class Dock: @unchecked Sendable {
  /// The maximum number of devices that are collected at a time; further ones wait.
  private static let mostAtOnce = 64
  /// The maximum number of these that one server exports: devices that do not answer hold up no others.
  private static let mostOfServer = 48

  /// What the dock is to do.
  struct Plan: Sendable {
    /// The folder of the folders of all devices.
    let output: String
    let trims: Bool
    let hook: DockHook?
    let clockGuard: ClockGuard
    let isOnce: Bool
  }

  private let plan: Plan
  private let link: LinkOptions
  private let watch: DeviceWatch
  private let archivist: DockArchivist
  private let screen: DockScreen
  private let stop: DockStop

  private let condition = MonotonicCondition()
  private var badges: [String: DockBadge] = [:]
  /// The connections in the order in which they were seen.
  private var order: [String] = []
  /// The connections by the serial number of the device.
  private var holders: [String: String] = [:]
  private var absent: [(location: String, error: HostLinkError)] = []
  private var running = 0
  /// When each device was collected last, by its serial number, in milliseconds since 1970.
  private var collectedAt: [String: UInt64] = [:]

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
    let clock = SystemClock()
    var steps = ClockSteps(date: PlausibleDate.now, time: clock.now.milliseconds)
    while !stop.isRequested, !Console.hasFailed {
      let presence = watch.next(after: version, by: nextTime())
      if let step = steps.step(date: PlausibleDate.now, time: clock.now.milliseconds) { follow(step) }
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
  private func nextTime() -> Deadline {
    condition.withLock {
      let latest = Deadline.after(.seconds(1))
      let due = badges.values.compactMap { $0.isRunning ? nil : $0.dueAt }.min() ?? latest
      return max(.after(.milliseconds(50)), min(due, latest))
    }
  }

  /// Tells of a step of this computer's date, and has the devices that are plugged in collected again: their
  /// clocks may follow another date.
  private func follow(_ step: ClockSteps.Step) {
    let isLong = step.milliseconds.magnitude >= 60_000
    if isLong, !plan.isOnce {
      condition.withLock {
        for (instance, badge) in badges where badge.isPresent && !badge.isRunning {
          badges[instance]?.dueAt = .after(.zero)
        }
      }
    }
    var event = DockScreen.Event(time: UTCTimestamp.json(PlausibleDate.now), event: "clock-step")
    event.stepMilliseconds = step.milliseconds
    screen.say(
      event,
      step.words + (isLong && !plan.isOnce ? "; the devices that are plugged in are collected again" : ""))
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
    let present = Dictionary(presence.locations.map { ($0.instance, $0) }) { first, _ in first }
    var said: [(event: String, badge: DockBadge)] = []
    condition.lock()
    for (instance, badge) in badges where badge.isPresent && present[instance] == nil {
      // A server may not list a device while it is in use.
      if case .usbip = badge.origin.selector, badge.isRunning { continue }
      badges[instance]?.isPresent = false
      said.append(("left", badge))
      if !badge.isRunning { forget(instance) }
    }
    for origin in presence.locations {
      if badges[origin.instance] == nil {
        badges[origin.instance] = DockBadge(origin)
        order.append(origin.instance)
        said.append(("arrived", DockBadge(origin)))
      } else {
        badges[origin.instance]?.isPresent = true
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
        event == "left" ? "\(label(of: badge))  unplugged" : nil)
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
    var atServer: [String: Int] = [:]
    for badge in badges.values where badge.isRunning { atServer[badge.server ?? "", default: 0] += 1 }
    for instance in order where running < Self.mostAtOnce && !stop.isRequested {
      guard let badge = badges[instance], badge.isPresent, !badge.isRunning, let due = badge.dueAt,
        due.hasPassed
      else { continue }
      if let server = badge.server {
        guard atServer[server, default: 0] < Self.mostOfServer else { continue }
        atServer[server, default: 0] += 1
      }
      badges[instance]?.isRunning = true
      badges[instance]?.attempts += 1
      badges[instance]?.dueAt = nil
      running += 1
      archivist.expect(1)
      let thread = Thread { [self] in collect(instance, badge.origin) }
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  // MARK: In the thread of a device

  private func collect(_ instance: String, _ origin: DeviceLocation) {
    let outcome = attempt(instance, origin)
    archivist.expect(-1)
    screen.update(instance, nil)
    let (badge, delay) = end(instance, outcome)
    let name = label(of: badge)
    switch outcome {
    case .success(let result):
      let pages = Console.count(result.newPages, "new page")
      let erased =
        result.trimmedPages > 0 ? ", \(Console.count(result.trimmedPages, "page")) erased on it" : ""
      let state = [
        result.battery.map { "battery \($0.shortWords)" }, result.room.map { "log \($0.words) free" },
      ]
      .compactMap { $0.map { ", \($0)" } }.joined()
      var row = row("done", badge)
      row.result = result
      let collected = collected()
      row.collected = collected.isEmpty ? nil : collected
      let more = result.remarks.map { "→ \($0)" } + (collected.isEmpty ? [] : [collected])
      screen.say(row, "\(name)  done: \(pages)\(erased)\(state); it can be unplugged", more)
    case .failure(let error):
      var row = row("failed", badge)
      row.error = ErrorRow(error)
      row.retrySeconds = delay.map { Int($0) }
      let again = delay.map { "; it is tried again in \(Int($0)) s if it stays plugged in" } ?? ""
      // The dock goes on: nobody has to run it again.
      let advice = (error.advice ?? "plug it in again").replacing(
        HostLinkError.spaceAdvice, with: "free space on its disk")
      screen.say(row, "\(name)  failed: \(error.what)", ["→ \(advice)\(again)"])
    }
    // A signal that has stopped the dock does not hold back the programs of what is collected.
    runHook(badge, outcome)
    condition.withLock {
      running -= 1
      condition.broadcast()
    }
    watch.wake()
  }

  /// A device with the person who wears it.
  private func label(of badge: DockBadge) -> String {
    let person = archivist.people.person(ofSerial: badge.serial, at: PlausibleDate.now)
    return person.map { "\($0) (\(badge.name))" } ?? badge.name
  }

  /// How many of the devices that are worn today were collected today, and who is missing; with `isOnce`, by
  /// this run. Empty without persons.
  func collected() -> String {
    let now = PlausibleDate.now
    let today = archivist.day(of: now)
    let serials = condition.withLock {
      Set(collectedAt.filter { plan.isOnce || archivist.day(of: $0.value) == today }.keys)
    }
    return archivist.people.summary(of: serials, verb: "collected", at: now)
  }

  private func attempt(_ instance: String, _ origin: DeviceLocation) -> Result<DockResult, HostLinkError> {
    let collection = DockCollection(
      output: plan.output, trims: plan.trims, archivist: archivist, clockGuard: plan.clockGuard, stop: stop,
      claim: { [self] serial throws(HostLinkError) in try claim(serial, for: instance) },
      report: { [self] phase, progress in tell(instance, phase, progress) })
    do {
      try stop.check()
      return .success(
        try link.withDevice(
          origin.selector,
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
      return (DockBadge(DeviceLocation(selector: .serialNumber(""), instance: instance)), nil)
    }
    badge.isRunning = false
    badge.outcome = outcome
    if case .success = outcome { collectedAt[badge.serial] = PlausibleDate.now }
    var delay: TimeInterval?
    if case .failure(let error) = outcome, badge.isPresent, !stop.isRequested {
      delay = DockBadge.delay(after: error, attempts: badge.attempts, isOnce: plan.isOnce)
      badge.dueAt = delay.map { Deadline.after(.seconds($0)) }
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
      serial: badge.serial.isEmpty ? nil : badge.serial,
      person: archivist.people.person(ofSerial: badge.serial, at: PlausibleDate.now))
  }
}
