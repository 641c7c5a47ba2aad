import ArgumentParser
import HeraldConsole
import HeraldHostLink

/// `herald-host stats`
struct Stats: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows every counter of a device, or of many at once.",
    discussion:
      """
      With several devices the table has a column for each; the first row has their serial numbers.

      Example: `herald-host stats --nonzero`
      """)

  @OptionGroup var fleet: FleetOptions
  @Flag(help: "Leave out counters that are 0, of several devices those that are 0 on all.")
  var nonzero = false
  @OptionGroup var display: DisplayOptions

  /// The counters by group and name.
  private typealias Counters = [String: [String: UInt64]]

  func run() throws {
    guard fleet.isSingle else { return try runMany() }
    try fleet.link.withDevice(fleet.single()) { device, _ in
      let groups = Self.chosen(try device.statistics(), nonzero: nonzero)
      try display.show(Self.counters(groups)) {
        var rows: [[String]] = []
        for group in groups {
          for (index, counter) in group.counters.enumerated() {
            rows.append([index == 0 ? group.name : "", counter.name, String(counter.value)])
          }
        }
        Console.printTable(rows, right: [2])
      }
    }
  }

  private static func chosen(_ groups: [DeviceStatistics], nonzero: Bool) -> [DeviceStatistics] {
    guard nonzero else { return groups }
    return groups.map(\.nonzero).filter { !$0.counters.isEmpty }
  }

  private static func counters(_ groups: [DeviceStatistics]) -> Counters {
    var all: Counters = [:]
    for group in groups {
      all[group.name] = Dictionary(group.counters.map { ($0.name, $0.value) }) { first, _ in first }
    }
    return all
  }

  private func runMany() throws {
    let nonzero = nonzero
    let members = Fleet(try fleet.muster(), link: fleet.link).run { _, device, _, _ in
      Self.chosen(try device.statistics(), nonzero: nonzero)
    }
    if !display.json, !display.quiet { Self.printColumns(members) }
    let all = members.map { member in
      FleetMember(
        location: member.location, serial: member.serial, result: member.result.map { Self.counters($0) })
    }
    try FleetSummary(all).report(display, isSingle: false, heading: ["COUNTERS"], right: [0]) { groups in
      [String(groups.values.reduce(0) { $0 + $1.count })]
    }
  }

  /// A row for each counter, a column for each device.
  private static func printColumns(_ members: [FleetMember<[DeviceStatistics]>]) {
    let found = members.compactMap {
      member -> (name: String, counters: Counters, groups: [DeviceStatistics])? in
      guard case .success(let groups) = member.result else { return nil }
      return (member.serial.isEmpty ? member.location : member.serial, counters(groups), groups)
    }
    var rows = [["", ""] + found.map(\.name)]
    // In the order of the first device that has the counter.
    var order: [(group: String, names: [String])] = []
    for device in found {
      for group in device.groups {
        let index = order.firstIndex { $0.group == group.name } ?? order.count
        if index == order.count { order.append((group.name, [])) }
        for counter in group.counters where !order[index].names.contains(counter.name) {
          order[index].names.append(counter.name)
        }
      }
    }
    for (group, names) in order {
      for (index, name) in names.enumerated() {
        rows.append(
          [index == 0 ? group : "", name]
            + found.map { device in device.counters[group]?[name].map { String($0) } ?? "-" })
      }
    }
    Console.printTable(rows, right: Set(2..<found.count + 2))
  }
}
