import ArgumentParser
import HeraldConsole
import HeraldHostLink

/// The results of an operation on several devices, for display and for JSON output.
struct FleetSummary<Outcome: Sendable & Encodable>: Encodable {
  struct Row: Encodable {
    let location: String
    let serial: String
    let result: Outcome?
    let error: ErrorRow?
  }

  let devices: [Row]
  let failed: Int
  /// A line below the table; `nil` if there is none.
  let summary: String?
  private let members: [FleetMember<Outcome>]

  private enum CodingKeys: CodingKey { case devices, failed, summary }

  init(_ members: [FleetMember<Outcome>], summary: String? = nil) {
    self.members = members
    self.summary = summary
    devices = members.map { member in
      switch member.result {
      case .success(let outcome):
        Row(location: member.location, serial: member.serial, result: outcome, error: nil)
      case .failure(let error):
        Row(location: member.location, serial: member.serial, result: nil, error: ErrorRow(error))
      }
    }
    failed = devices.count { $0.error != nil }
  }

  /// Prints a row for each device, with `columns` for successful ones, and the errors of the others, and
  /// throws if there are any. As JSON, if `isSingle`, it prints only the result, and throws the error of the
  /// device.
  func report(
    _ display: DisplayOptions, isSingle: Bool, heading: [String], right: Set<Int> = [],
    _ columns: (Outcome) -> [String]
  ) throws {
    if isSingle, members.count == 1 {
      let result = try members[0].result.get()
      if display.json { return try display.show(result) {} }
    }
    try show(display, heading: heading, right: right, columns)
    if let summary { display.say(summary) }
    try finish()
  }

  private func show(
    _ display: DisplayOptions, heading: [String], right: Set<Int>, _ columns: (Outcome) -> [String]
  ) throws {
    try display.show(self) {
      var rows = [["DEVICE", "SERIAL"] + heading]
      for member in members {
        switch member.result {
        case .success(let outcome): rows.append([member.location, member.serial] + columns(outcome))
        case .failure(let error): rows.append([member.location, member.serial, "failed: \(error.what)"])
        }
      }
      // Error texts do not widen a column.
      Console.printTable(rows, right: Set(right.map { $0 + 2 }))
    }
    for member in members {
      guard case .failure(let error) = member.result else { continue }
      Console.complain(HostLinkError(error.cause, "\(member.location): \(error.what)", advice: error.advice))
    }
  }

  /// Throws if a device failed: with the cause if it is common to all, else as `.partial`.
  private func finish() throws {
    let errors = members.compactMap { member -> HostLinkError? in
      if case .failure(let error) = member.result { error } else { nil }
    }
    guard let first = errors.first else { return }
    let isSame = errors.count == members.count && errors.allSatisfy { $0.cause == first.cause }
    Console.note("herald-host: \(errors.count) of \(Console.count(members.count, "device")) failed")
    throw ExitCode((isSame ? first.cause : .partial).exitStatus)
  }
}
