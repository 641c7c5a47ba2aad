// The examination of a device's payload and of its radio.

extension DeviceExamination {
  /// The number of remaining days of keys below which new ones are recommended.
  static let fewDays: UInt32 = 7

  /// The payload status. A locked device serves it only in a session.
  static func payload(of device: DeviceClient, _ status: DeviceLogStatus, _ now: UInt64) throws(HostLinkError)
    -> Finding
  {
    do {
      return payload(try device.payload(), hasDate: status.unixMilliseconds != nil, now)
    } catch  where error.cause == .refused {
      return Finding(
        "payload", .note, "it does not report its payload without a session",
        advice: "name its access key with --key-file"
      )
    }
  }

  /// The finding about a payload at the time `now`, in milliseconds since 1970.
  static func payload(_ payload: DevicePayload, hasDate: Bool, _ now: UInt64) -> Finding {
    let push = "`herald-host payload push` gives it one"
    guard payload.family != "none" else {
      return Finding("payload", .problem, "it advertises nothing: it has no payload", advice: push)
    }
    guard let until = payload.until else {
      return Finding("payload", .good, "it offers a payload of the family \(payload.family)")
    }
    let end = UTCTimestamp.seconds(min(until, UTCTimestamp.latest / 1000) * 1000)
    if let days = payload.daysLeft, days > 0 {
      let text =
        "it offers a payload of the family \(payload.family), for \(days) more \(days == 1 ? "day" : "days")"
      return days > fewDays
        ? Finding("payload", .good, text)
        : Finding(
          "payload", .note, "\(text): its keys end at \(end) UTC",
          advice: "`herald-host payload push` gives it new ones")
    }
    if !hasDate {
      return Finding(
        "payload", .problem,
        "it advertises nothing: it has keys for certain days, and does not know the date",
        advice: "`herald-host time sync` sets its clock")
    }
    if until <= now / 1000 {
      return Finding(
        "payload", .problem, "it advertises nothing: its keys ended at \(end) UTC",
        advice: "`herald-host payload push` gives it new ones")
    }
    return Finding(
      "payload", .problem,
      "it advertises nothing: it has no key for today; the last one is for the day before \(end) UTC",
      advice: "check its clock, and `from` in the file of its payload")
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
