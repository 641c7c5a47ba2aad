import Foundation
import HeraldSimulation

/// An hour of made-up advertisements, a thousand a second, of each kind, on 160 KB of log.
enum FloodBenchmark {
  static func run(_ figures: inout Figures) throws {
    let usual = try outcome(nil)
    print(
      "    no flood: \(usual.erasures) pages erased, \(usual.contactsKept) of \(usual.contacts) contacts kept"
    )
    var kept = 100.0
    var windows = 100.0
    var erasures = 0.0
    for kind in FloodKind.allCases {
      let found = try outcome(kind)
      let arrival = found.arrivalSeconds.map { "\($0) s" } ?? "never"
      let caller = found.callerSeconds.map { "\($0) s" } ?? "never"
      print(
        "    \(kind.rawValue): \(found.erasures) pages erased, \(found.contactsKept) of \(found.contacts) contacts kept, "
          + "\(found.windowsWithReading) of \(found.windows) windows, \(found.strangersRefused) adverts and "
          + "\(found.readingsRefused) readings refused, \(found.dropped) logged as dropped; who arrives is heard after "
          + "\(arrival), who calls after \(caller)")
      fflush(nil)
      kept = min(kept, 100 * Double(found.contactsKept) / Double(max(1, found.contacts)))
      windows = min(windows, 100 * Double(found.windowsWithReading) / Double(max(1, found.windows)))
      erasures = max(erasures, Double(found.erasures) / Double(max(1, usual.erasures)))
    }
    figures.add("flood_contacts_kept", kept, "%")
    figures.add("flood_windows_percent", windows, "%")
    figures.add("flood_erasures_ratio", erasures, "")
  }

  private static func outcome(_ kind: FloodKind?) throws -> FloodOutcome {
    var configuration = FloodConfiguration()
    configuration.kind = kind
    return try Flood(configuration).run()
  }
}
