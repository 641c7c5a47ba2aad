/// Examines a device: its response, date, payload and radio, the room in its log, its power and its settings
/// storage.
public enum DeviceExamination {
  /// The findings. A device that does not respond is a finding, and so is every other error. `owners` are the
  /// public keys for which logs are to be sealed.
  public static func findings(
    of device: DeviceClient, owners: [[UInt8]] = [], now: UInt64 = PlausibleDate.now
  ) -> [Finding] {
    do {
      let information = try device.information()
      let name = [information.firmware, information.release].filter { !$0.isEmpty }.joined(separator: " ")
      var findings = [Finding("device", .good, "it answers\(name.isEmpty ? "" : ", and is \(name)")")]
      findings.append(access(try device.access().state))
      if let finding = sealing(try device.sealing(), owners) { findings.append(finding) }
      let status = try device.logStatus()
      if let finding = debugPort(status.debugPort) { findings.append(finding) }
      let room = try device.logRoom()
      findings += log(status, capacity: room.capacity, overwritten: room.overwritten, now)
      findings.append(try payload(of: device, status, now))
      if let radio = try radio(of: device, status) { findings.append(radio) }
      if let battery = try battery(device, status) { findings.append(battery) }
      if let settings = try device.settingsHealth() { findings.append(Self.settings(settings)) }
      if let restart = try device.restart() { findings.append(Self.restart(restart)) }
      return findings
    } catch {
      return [Finding("device", .problem, error.what, advice: error.advice)]
    }
  }

  static func access(_ state: DeviceAccess.State) -> Finding {
    switch state {
    case .locked: Finding("access", .good, "it has an access key")
    case .setUp:
      Finding(
        "access", .note, "it is being set up: it has no access key, and serves no log",
        advice:
          "`herald-host provision` gives it a key; `herald-host config set access/stay-open yes` lets everybody with a cable read its log"
      )
    case .open:
      Finding(
        "access", .note, "it serves its log to everybody with a cable, as it was told",
        advice: "`herald-host provision` gives it an access key")
    }
  }

  /// `nil` where there is nothing to do about it.
  static func sealing(_ sealing: DeviceSealing, _ owners: [[UInt8]]) -> Finding? {
    switch sealing {
    case .sealed(let key) where owners.contains(key):
      Finding("sealing", .good, "its log is \(sealing.words), which is your key")
    case .sealed where owners.isEmpty:
      Finding(
        "sealing", .note, "its log is \(sealing.words), and whether that key is yours is not known here",
        advice: "`herald-host doctor --owner-key-public FILE.pub` compares them")
    case .sealed:
      Finding(
        "sealing", .problem,
        "its log is \(sealing.words), which is not your key: only its holder can read it",
        advice: "pull the log, then `herald-host config set log/owner-key FILE.pub`")
    case .unsealed:
      Finding(
        "sealing", .note, "its log is not sealed: who takes it apart reads it",
        advice: "`herald-host owner-key make FILE`, then `herald-host config set log/owner-key FILE.pub`")
    case .unknown, .unsupported: nil
    }
  }

  /// `nil` where there is nothing to do about it.
  static func debugPort(_ port: DeviceDebugPort) -> Finding? {
    switch port {
    case .closed: Finding("debug-port", .good, "its debug port is closed")
    case .open:
      Finding(
        "debug-port", .note, "its debug port is open: who has the device reads its keys by it",
        advice: "`herald-flash lock` closes it, with a debug probe")
    case .unknown: nil
    }
  }

  /// `capacity` is the capacity of the log in pages, `overwritten` the number of pages that were overwritten
  /// since the device started; each is `nil` if the device does not report it.
  static func log(_ status: DeviceLogStatus, capacity: Int?, overwritten: Int? = nil, _ now: UInt64)
    -> [Finding]
  {
    var findings: [Finding] = []
    if let date = status.unixMilliseconds {
      if let complaint = PlausibleDate.complaint(about: date, now: now) {
        findings.append(Finding("clock", .problem, complaint.what, advice: complaint.advice))
      } else {
        let drift = date > now ? date - now : now - date
        let text =
          "its clock is \(DurationText.of(seconds: drift / 1000)) \(date > now ? "ahead of" : "behind") this computer's"
        findings.append(
          drift < 60_000
            ? Finding("clock", .good, "its clock is right")
            : Finding(
              "clock", .note, text,
              advice: "check which date is right; `herald-host time sync` gives it this computer's"))
      }
    } else {
      findings.append(
        Finding(
          "clock", .problem, "its clock was not set since it started: its records have no date yet",
          advice: "`herald-host time sync` sets it"))
    }
    if status.pageCount == 0 {
      findings.append(
        Finding("log", .note, "its log has no page: nothing was logged, or its flash has failed"))
    } else {
      findings.append(room(status, capacity, overwritten))
    }
    return findings
  }

  private static func room(_ status: DeviceLogStatus, _ capacity: Int?, _ overwritten: Int?) -> Finding {
    var pages = "\(status.pageCount) \(status.pageCount == 1 ? "page" : "pages")"
    if let capacity, capacity >= status.pageCount { pages += " of \(capacity)" }
    if let overwritten, overwritten > 0 {
      return Finding(
        "log", .note,
        "its log has \(pages), and \(overwritten) \(overwritten == 1 ? "was" : "were") overwritten since it started",
        advice: "pull it more often: what nobody had pulled is lost")
    }
    if let capacity, capacity - status.pageCount <= capacity / 10 {
      return Finding(
        "log", .note, "its log has \(pages): the oldest are overwritten soon",
        advice: "`herald-host log pull --trim` makes room")
    }
    guard status.first > 1 else {
      return Finding("log", .good, "its log has \(pages), and none was ever overwritten")
    }
    let before = "those before number \(status.first)"
    return overwritten == nil
      ? Finding(
        "log", .note,
        "its log has \(pages); \(before) were erased after a pull, had their time, or were overwritten")
      : Finding(
        "log", .good, "its log has \(pages); \(before) are erased, and none was overwritten since it started")
  }

  /// The battery level from the last pages of the log; `nil` if they contain none or cannot be read.
  static func battery(_ device: DeviceClient, _ status: DeviceLogStatus) throws(HostLinkError) -> Finding? {
    let pages: [[UInt8]]
    do {
      pages = try device.newestPages(status)
    } catch  where error.cause == .refused {
      return nil
    }
    return battery(pages.compactMap { LogPage($0) }.flatMap(\.records))
  }

  static func battery(_ records: [BootRecord]) -> Finding? {
    if let (level, isExternal) = records.lazy.reversed().compactMap(\.battery).first {
      let text =
        "its battery was at \(level) %\(isExternal ? ", with external power" : "") when it looked last"
      guard level <= 20, !isExternal else { return Finding("battery", .good, text) }
      return Finding("battery", level <= 5 ? .problem : .note, text, advice: "charge it")
    }
    return nil
  }

  static func settings(_ health: DeviceSettingsHealth) -> Finding {
    if health.flashErrors > 0 {
      return Finding(
        "settings", .problem, "the flash of its settings failed \(health.flashErrors) times",
        advice: "take it out of use: it may lose its keys")
    }
    if health.damagedPages > 0 {
      return Finding(
        "settings", .problem, "its settings storage was damaged and erased; the defaults apply",
        advice:
          "provision it again; if it no longer accepts its access key, first run `herald-host factory-reset`")
    }
    return Finding("settings", .good, "its settings are valid")
  }

  static func restart(_ restart: DeviceRestart) -> Finding {
    if let limitation = restart.limitation {
      return Finding(
        "faults", .problem, "it runs with limits: \(limitation)",
        advice: "`herald-host info` has more; report it")
    }
    if restart.faults > 0 {
      return Finding(
        "faults", .note, "it had \(restart.faults) faults since power came on",
        advice: "`herald-host info` has more; report it")
    }
    return Finding("faults", .good, "it had no fault since power came on")
  }
}
