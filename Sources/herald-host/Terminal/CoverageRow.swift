import Foundation
import HeraldArchive
import HeraldConsole
import HeraldHostLink
import HeraldText

/// What is recorded of somebody, with the names that JSON has.
struct CoverageRow: Encodable {
  /// A time in which nothing is recorded of the wearer.
  struct Gap: Encodable {
    let from: String
    let to: String
    let state: CoverageState
  }

  /// The maximum number of gaps.
  private static let mostGaps = 1000

  let who: String
  let kind: Who.Kind
  let devices: [String]
  let from: String
  let to: String
  let askedSeconds: Int64
  let recordedSeconds: Int64
  let wornSeconds: Int64
  let lyingSeconds: Int64
  let withoutDateSeconds: Int64
  let droppedSeconds: Int64
  let notCollectedSeconds: Int64
  let withoutPowerSeconds: Int64
  let notProvisionedSeconds: Int64
  let withoutDeviceSeconds: Int64
  let droppedEvents: Int64
  let sealedPages: Int64
  let gaps: [Gap]
  private(set) var heardSeconds: Int64?
  private(set) var wasHeardSeconds: Int64?
  private(set) var finding: String?

  init(_ coverage: Coverage, _ share: DirectionShare?) {
    func date(_ date: Int64) -> String { UTCTimestamp.json(UInt64(clamping: date)) }
    func seconds(_ state: CoverageState) -> Int64 { coverage.milliseconds(state) / 1000 }
    (who, kind, devices) = (coverage.label, coverage.kind, coverage.serials)
    (from, to) = (date(coverage.from), date(coverage.to))
    askedSeconds = coverage.asked / 1000
    recordedSeconds = coverage.recorded / 1000
    (wornSeconds, lyingSeconds) = (seconds(.worn), seconds(.lying))
    (withoutDateSeconds, droppedSeconds) = (seconds(.withoutDate), seconds(.dropped))
    (notCollectedSeconds, withoutPowerSeconds) = (seconds(.notCollected), seconds(.withoutPower))
    (notProvisionedSeconds, withoutDeviceSeconds) = (seconds(.notProvisioned), seconds(.withoutDevice))
    (droppedEvents, sealedPages) = (coverage.droppedEvents, coverage.sealedPages)
    gaps = coverage.gaps.prefix(Self.mostGaps).map {
      Gap(from: date($0.from), to: date($0.to), state: $0.state)
    }
    (heardSeconds, wasHeardSeconds) = (share?.heardSeconds, share?.wasHeardSeconds)
    finding = share?.finding
  }
}

/// What is recorded, in words.
enum CoverageText {
  /// Milliseconds as hours.
  static func hours(_ milliseconds: Int64) -> String {
    String(format: "%.1f h", Double(milliseconds) / 3_600_000)
  }

  /// The times in states other than `worn` and `recorded`: `lying 10.0 h, without power 7.5 h`.
  static func missing(_ coverage: Coverage) -> String {
    var parts = CoverageState.allCases.filter { !$0.isRecorded && coverage.milliseconds($0) >= 60_000 }
      .map { "\($0.text) \(hours(coverage.milliseconds($0)))" }
    if coverage.droppedEvents > 0 {
      parts.append("\(Console.count(Int(clamping: coverage.droppedEvents), "event")) dropped")
    }
    if coverage.sealedPages > 0 {
      parts.append("\(Console.count(Int(clamping: coverage.sealedPages), "page")) sealed still")
    }
    return parts.joined(separator: ", ")
  }

  /// `Ada: 8.0 h of 24.0 h recorded (worn); lying 10.0 h, …`.
  static func sentence(_ coverage: Coverage) -> String {
    let worn = coverage.milliseconds(.worn)
    let how =
      worn == 0 ? "worn or lying not known" : worn < coverage.recorded ? "worn \(hours(worn))" : "worn"
    let missing = missing(coverage)
    return
      "\(PrintableText.name(coverage.label)): \(hours(coverage.recorded)) of \(hours(coverage.asked)) recorded"
      + (coverage.recorded > 0 ? " (\(how))" : "") + (missing.isEmpty ? "" : "; \(missing)")
  }
}
