import Foundation
import HeraldArchive
import HeraldConsole
import HeraldHostLink
import HeraldText

/// Prints rows of `herald-host contacts`.
struct ContactTable {
  let archive: Archive
  let bands: ContactBands
  let calibration: DistanceCalibration?
  let isEach: Bool
  let hasDirections: Bool
  let answer: Answer

  /// The result as JSON.
  struct JSON: Encodable {
    struct Calibration: Encodable {
      let name: String
      let model: String
      let errorM: Double
    }
    let zone: String
    let windowSeconds: Int
    let bandsDb: [Int]
    let weights: [Double]?
    let calibration: Calibration?
    let contacts: [ContactRow]
    let answer: Answer.Fields

    private enum CodingKeys: CodingKey {
      case zone, windowSeconds, bandsDb, weights, calibration, contacts
    }

    func encode(to encoder: any Encoder) throws {
      try answer.encode(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(zone, forKey: .zone)
      try container.encode(windowSeconds, forKey: .windowSeconds)
      try container.encode(bandsDb, forKey: .bandsDb)
      try container.encodeIfPresent(weights, forKey: .weights)
      try container.encodeIfPresent(calibration, forKey: .calibration)
      try container.encode(contacts, forKey: .contacts)
    }
  }

  func json(_ rows: [ContactRow]) -> JSON {
    JSON(
      zone: archive.days.zone, windowSeconds: archive.rules.window, bandsDb: bands.limits,
      weights: bands.weights,
      calibration: calibration.map {
        JSON.Calibration(name: $0.name, model: $0.model.rawValue, errorM: $0.error)
      }, contacts: rows, answer: answer.fields)
  }

  // MARK: For people

  func printTable(_ rows: [ContactRow]) {
    guard !rows.isEmpty else { return answer.show() }
    var heading = isEach ? ["Begin", "End"] : ["Day"]
    heading += ["Who", "Is", "Met", "Is"]
    let firstNumber = heading.count
    heading += ["Minutes"] + bands.names + (bands.weights == nil ? [] : ["Weighted"]) + ["Median dB"]
    if isEach { heading.append("Gaps") }
    if hasDirections { heading += ["Heard min", "dB", "Was heard min", "dB"] }
    if calibration != nil { heading += ["Distance"] }
    Console.printTable([heading] + rows.map(cells), right: Set(firstNumber..<heading.count))
    let weights = bands.weights.map { "; weights " + $0.map(Self.number).joined(separator: ", ") } ?? ""
    Console.line("")
    Console.line(
      "Days and times in \(archive.days.zone); windows of \(archive.rules.window) s\(weights).")
    if let calibration {
      Console.line(
        "Distances of the median, by the calibration \"\(calibration.name)\": its mean error is \(Self.number(calibration.error)) m."
      )
    }
    answer.show()
  }

  private func cells(_ row: ContactRow) -> [String] {
    var cells = isEach ? [row.shownBegin, row.shownEnd] : [row.day]
    for one in [row.who, row.other] { cells += [PrintableText.name(one.label), one.kind.rawValue] }
    cells += [Self.minutes(row.joined.seconds)] + row.joined.bandSeconds.map(Self.minutes)
    if let weighted = row.joined.weightedMinutes { cells.append(String(format: "%.1f", weighted)) }
    cells.append(Self.level(row.joined))
    if isEach { cells.append(String(row.gaps)) }
    if hasDirections, let heard = row.heard, let wasHeard = row.wasHeard {
      cells += [Self.minutes(heard.seconds), Self.level(heard)]
      cells += [Self.minutes(wasHeard.seconds), Self.level(wasHeard)]
    }
    if calibration != nil {
      cells.append(
        row.distanceM.map { String(format: "%.1f ± %.1f m", $0, row.distanceErrorM ?? 0) } ?? "")
    }
    return cells
  }

  private static func level(_ exposure: ContactRow.Exposure) -> String {
    exposure.medianAttenuationDb.map { String($0) } ?? ""
  }

  private static func minutes(_ seconds: Int) -> String { String(format: "%.1f", Double(seconds) / 60) }

  private static func number(_ number: Double) -> String { String(format: "%g", number) }

  // MARK: For programs

  /// Prints RFC 4180 with a header line, and names as `TableText` has them.
  func printCSV(_ rows: [ContactRow]) throws(HostLinkError) {
    var text = CSVText()
    func exposure(_ name: String) -> [String] {
      ["\(name)_minutes"] + bands.limits.map { "\(name)_minutes_to_\($0)_db" }
        + ["\(name)_minutes_above", "\(name)_minutes_unmeasured", "\(name)_weighted", "\(name)_median_db"]
    }
    var header = ["day"]
    for name in ["who", "other"] { header += [name, "\(name)_kind", "\(name)_role", "\(name)_place"] }
    header += ["begin", "end", "contacts", "gaps"] + exposure("joined")
    if !isEach { header += exposure("heard") + exposure("was_heard") }
    if calibration != nil { header += ["distance_m", "distance_error_m"] }
    // Of the day of the row; empty for those that have no log.
    header += ["who_recorded_minutes", "other_recorded_minutes"]
    let recorded = try answer.recordedDays()
    text.raw(header.joined(separator: ","))
    text.endLine()
    for row in rows {
      append(row, recorded, to: &text)
      if text.bytes.count > 1 << 16 { Console.data(text.take()) }
    }
    Console.data(text.take())
  }

  private func append(_ row: ContactRow, _ recorded: Answer.RecordedDays, to text: inout CSVText) {
    text.raw(row.day)
    for one in [row.who, row.other] {
      for field in [one.label, one.kind.rawValue, one.role, one.place] {
        text.comma()
        text.raw(TableText.field(field))
      }
    }
    for field in [row.localBegin, row.localEnd, String(row.contacts), String(row.gaps)] {
      text.comma()
      text.raw(field)
    }
    append(row.joined, to: &text)
    if !isEach {
      for exposure in [row.heard, row.wasHeard].compactMap(\.self) { append(exposure, to: &text) }
    }
    if calibration != nil {
      text.comma()
      text.raw(row.distanceM.map { String(format: "%.2f", $0) } ?? "")
      text.comma()
      text.raw(row.distanceErrorM.map { Self.number($0) } ?? "")
    }
    for one in [row.who, row.other] {
      text.comma()
      text.raw(recorded.minutes(of: one, day: row.day).map { String(format: "%.1f", $0) } ?? "")
    }
    text.endLine()
  }

  private func append(_ exposure: ContactRow.Exposure, to text: inout CSVText) {
    for seconds in [exposure.seconds] + exposure.bandSeconds + [exposure.unmeasuredSeconds] {
      text.comma()
      text.raw(String(format: "%.3f", Double(seconds) / 60))
    }
    text.comma()
    text.raw(exposure.weightedMinutes.map { String(format: "%.3f", $0) } ?? "")
    text.comma()
    text.raw(Self.level(exposure))
  }
}
