// The examination of a device's payload and of its radio.

extension DeviceExamination {
  /// The number of remaining days of keys below which new ones are recommended.
  static let fewDays: UInt32 = 7

  /// The payload status. A locked device serves it only in a session.
  static func payload(of device: DeviceClient, _ status: DeviceLogStatus, _ now: UInt64) throws(HostLinkError)
    -> Finding
  {
    guard let payload = try DevicePayload.served(by: device) else {
      return Finding(
        "payload", .note, "it does not report its payload without a session",
        advice: "name its access key with --key-file"
      )
    }
    return Self.payload(payload, date: status.unixMilliseconds, now)
  }

  /// The finding about a payload at the device's date and the time `now`, in milliseconds since 1970.
  static func payload(_ payload: DevicePayload, date: UInt64?, _ now: UInt64) -> Finding {
    let what = payload.words(date: date, now: now)
    let push = "`herald-host payload push` gives it new ones"
    guard payload.family != "none" else {
      return Finding("payload", .problem, what, advice: "`herald-host payload push` gives it one")
    }
    guard let until = payload.until else { return Finding("payload", .good, what) }
    if let days = payload.daysLeft, days > 0 {
      if payload.missingDays(date: date) > 0 { return Finding("payload", .note, what, advice: push) }
      guard days <= fewDays else { return Finding("payload", .good, what) }
      let end = UTCTimestamp.seconds(min(until, UTCTimestamp.latest / 1000) * 1000)
      return Finding("payload", .note, "\(what): its keys end at \(end) UTC", advice: push)
    }
    let advice =
      switch payload.reason {
      case .noDate: "`herald-host time sync` sets its clock"
      case .noKeys, .windowEnded: push
      case .pastEnd: "agree on another epoch with who verifies the identifiers, and push a payload with it"
      case .beforeWindow: "check its clock, and `from` in the file of its payload"
      case .keyMissing: "check its clock; if that is right, \(push)"
      case nil, .offered:
        if date == nil {
          "`herald-host time sync` sets its clock"
        } else if until <= now / 1000 {
          push
        } else {
          "check its clock, and `from` in the file of its payload"
        }
      }
    return Finding("payload", .problem, what, advice: advice)
  }

  /// The finding about the radio; `nil` for a device without radio counters.
  static func radio(of device: DeviceClient, _ status: DeviceLogStatus) throws(HostLinkError) -> Finding? {
    do {
      return radio(try device.statistics(group: "hci").counters, uptime: status.uptimeMilliseconds)
    } catch  where error.cause == .refused {
      return nil
    }
  }

  /// The finding about a controller's counters, `uptime` milliseconds after the start.
  static func radio(_ counters: [(name: String, value: UInt64)], uptime: UInt64) -> Finding? {
    func counter(_ name: String) -> UInt64? { counters.first { $0.name == name }?.value }
    guard let failures = counter("failures"), let timeouts = counter("command_timeouts"),
      let errors = counter("hardware_errors"), let events = counter("events")
    else { return nil }
    let advice = "check the line to its controller and the supply; `herald-host stats` has the counters"
    if events == 0, uptime > 60_000 {
      return Finding(
        "radio", .problem,
        "its radio does not work: its controller has not responded since the device started",
        advice: advice)
    }
    func times(_ number: UInt64) -> String { number == 1 ? "once" : "\(number) times" }
    var faults: [String] = []
    if failures > 0 { faults.append("failed \(times(failures))") }
    if timeouts > 0 { faults.append("left a command without an answer \(times(timeouts))") }
    if errors > 0 { faults.append("told of an error of its hardware \(times(errors))") }
    guard !faults.isEmpty else {
      return Finding("radio", .good, "its radio has not failed since it started")
    }
    return Finding(
      "radio", .problem, "its radio \(faults.joined(separator: ", ")) since the device started",
      advice: advice)
  }
}
