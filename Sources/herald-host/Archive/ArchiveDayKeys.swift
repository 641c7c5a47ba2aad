import ArgumentParser
import Foundation
import HeraldArchive
import HeraldConsole
import HeraldHostLink

extension ArchiveCommands {
  /// `herald-host archive day-keys`
  struct DayKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "day-keys",
      abstract: "Writes the keys of some days of sealed logs, for somebody who is not their owner.",
      discussion: """
        The holder of the owner's key makes a file with the keys of the segments that have records of these days. It is accepted as --owner-key, and opens these \
        segments alone. A segment is the unit: what else is in it is opened, too. docs/log-format.md says what that is.
        Example: `herald-host archive day-keys logs --days 2026-11-20..22 --owner-key keys/ward --output for-ada`
        """)

    @Argument(help: "Folders of pulled logs, or folders with such folders.")
    var dir: [String]
    @Option(
      help: ArgumentHelp(
        "The days in this computer's time zone: 2026-11-20, or 2026-11-20..2026-11-22 or 2026-11-20..22.",
        valueName: "days"))
    var days: DaySpan
    @Option(
      help: ArgumentHelp("Only this device, by its serial number; may be repeated.", valueName: "serial"))
    var device: [String] = []
    @Option(name: .customLong("owner-key"), help: ArgumentHelp("The owner's private key.", valueName: "file"))
    var ownerKey: String
    @OptionGroup var passphrase: PassphraseOptions
    @Option(name: .shortAndLong, help: ArgumentHelp("The new file for the keys.", valueName: "file"))
    var output: String
    @OptionGroup var zone: ZoneOption
    @OptionGroup var display: DisplayOptions

    private struct Row: Encodable {
      let file: String
      let devices: [String]
      let segments: Int
      let undatedSegments: Int
    }

    func run() throws {
      let key = try OwnerKey.read(ownerKey) { () throws(HostLinkError) in
        try passphrase.existing(of: ownerKey)
      }
      if key.isOpenToOthers { OwnerOptions.warn(ownerKey) }
      var maker = LogOpeningMaker(key, days.interval(try LocalDays(zone: zone.name())))
      var missing = Set(device)
      for folder in try PageStoreSearch.folders(in: dir) {
        let store = try PageStore(path: folder, create: false)
        guard device.isEmpty || device.contains(store.device.serial) else { continue }
        missing.remove(store.device.serial)
        try maker.add(store)
      }
      guard missing.isEmpty else {
        throw HostLinkError(
          .usage, "there is no log of \(missing.sorted().joined(separator: ", "))",
          advice: "--device takes serial numbers as `herald-host info` shows them")
      }
      let opening = maker.opening()
      guard opening.segmentCount > 0 else {
        throw HostLinkError(
          .usage, "no sealed page that this key opens has records of these days; no file was made",
          advice: maker.foreign > 0
            ? "\(Console.count(maker.foreign, "page")) are sealed for another key" : nil)
      }
      try opening.write(to: output)
      if maker.undated > 0 {
        Console.note("herald-host: \(Console.count(maker.undated, "segment")) without a date are left out")
      }
      try display.show(
        Row(
          file: output, devices: opening.serials, segments: opening.segmentCount,
          undatedSegments: maker.undated)
      ) {
        Console.line(
          "\(output) opens \(Console.count(opening.segmentCount, "segment")) of \(Console.count(opening.serials.count, "device"))"
        )
      }
    }
  }
}

/// A day, or the first and last of several: `2026-11-20`, `2026-11-20..2026-11-22`, `2026-11-20..22`.
struct DaySpan: ExpressibleByArgument {
  /// Days since 1970-01-01.
  let days: ClosedRange<Int64>

  init?(argument: String) {
    let parts = argument.components(separatedBy: "..")
    guard (1...2).contains(parts.count), let first = LocalDays.day(parts[0]) else { return nil }
    let end =
      parts.count == 1 ? parts[0] : parts[1].count == 2 ? String(parts[0].prefix(8)) + parts[1] : parts[1]
    guard let last = LocalDays.day(end), last >= first else { return nil }
    days = first...last
  }

  /// The time of the records in milliseconds since 1970-01-01T00:00:00Z.
  func interval(_ zone: LocalDays) -> Range<UInt64> {
    let begin = UInt64(clamping: zone.begin(ofDay: days.lowerBound))
    return begin..<max(begin, UInt64(clamping: zone.begin(ofDay: days.upperBound + 1)))
  }
}
