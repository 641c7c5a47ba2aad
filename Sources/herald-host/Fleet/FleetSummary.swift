import ArgumentParser
import HeraldConsole
import HeraldHostLink

/// What came of each of several devices, for people and for programs.
struct FleetSummary<Outcome: Sendable & Encodable>: Encodable {
  struct Row: Encodable {
    let location: String
    let serial: String
    let result: Outcome?
    let cause: String?
    let error: String?
  }

  let devices: [Row]
  let failed: Int
  private let members: [FleetMember<Outcome>]

  private enum CodingKeys: CodingKey { case devices, failed }

  init(_ members: [FleetMember<Outcome>]) {
    self.members = members
    devices = members.map { member in
      switch member.result {
      case .success(let outcome):
        Row(location: member.location, serial: member.serial, result: outcome, cause: nil, error: nil)
      case .failure(let error):
        Row(
          location: member.location, serial: member.serial, result: nil, cause: error.cause.rawValue,
          error: error.description)
      }
    }
    failed = devices.count { $0.error != nil }
  }

  /// Prints a row for each, with what `columns` says of those that worked, and complains about the others.
  func show(
    _ display: DisplayOptions, heading: [String], right: Set<Int> = [], _ columns: (Outcome) -> [String]
  ) throws {
    try display.show(self) {
      var rows = [["DEVICE", "SERIAL"] + heading]
      for member in members {
        switch member.result {
        case .success(let outcome): rows.append([member.location, member.serial] + columns(outcome))
        case .failure(let error): rows.append([member.location, member.serial, "failed: \(error.what)"])
        }
      }
      // What went wrong is as long as it is and widens no column.
      Console.printTable(rows, right: Set(right.map { $0 + 2 }))
    }
    for member in members {
      guard case .failure(let error) = member.result else { continue }
      Console.complain(HostLinkError(error.cause, "\(member.location): \(error.what)", advice: error.advice))
    }
  }

  /// Fails if one failed: with the cause that all have, else in part.
  func finish() throws {
    let errors = members.compactMap { member -> HostLinkError? in
      if case .failure(let error) = member.result { error } else { nil }
    }
    guard let first = errors.first else { return }
    let isSame = errors.count == members.count && errors.allSatisfy { $0.cause == first.cause }
    Console.note("herald-host: \(errors.count) of \(Console.count(members.count, "device")) failed")
    throw ExitCode((isSame ? first.cause : .partial).exitStatus)
  }
}
