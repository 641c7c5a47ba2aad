import Foundation
import HeraldText

/// The tables in the folder of a log: those that a Herald phone writes (`contacts.csv`, `statistics.csv`,
/// `detection.csv`, `battery.csv`), and `contact_events.csv`, `visits.csv`, `restarts.csv`, `messages.csv`,
/// `models.csv`, `neighbours.csv` and `motion.csv`.
///
/// Tables with one line for each record are continued. The three others are written anew after every change.
final class LogTables {
  private enum Table: String, CaseIterable {
    case contacts, battery, visits, restarts, messages, models, neighbours, motion
    case statistics, detection
    case contactEvents = "contact_events"

    var fileName: String { rawValue + ".csv" }

    /// The header line of a table that is continued.
    var header: String? {
      switch self {
      case .contacts: ContactsCSV.header
      case .battery: BatteryCSV.header
      case .visits: VisitsCSV.header
      case .restarts: RestartsCSV.header
      case .messages: MessagesCSV.header
      case .models: ModelsCSV.header
      case .neighbours: NeighboursCSV.header
      case .motion: MotionCSV.header
      case .statistics, .detection, .contactEvents: nil
      }
    }
  }

  private let folder: String
  /// What the last conversion has left, by the name of the table.
  private(set) var marks: [String: TableMark]
  private var former: [Table: TableMark.Sample] = [:]
  /// The tables in whose place there is what the last conversion has not left.
  private var unknown: [Table] = []
  private var files: [Table: TableFile] = [:]
  private var line = CSVText()

  /// The tables in a folder, where the last conversion has left `marks`.
  init(folder: String, marks: [String: TableMark]) {
    self.folder = folder
    self.marks = marks
  }

  private func path(_ table: Table) -> String { "\(folder)/\(table.fileName)" }

  /// Whether all files are unchanged since the last conversion.
  var areAsLeft: Bool { Table.allCases.allSatisfy { marks[$0.rawValue]?.isAsLeft(path($0)) ?? false } }

  /// Whether the files can be continued behind the lines of settled pages: they are unchanged, or the last
  /// conversion was cut off, and they have these lines at least.
  func canGoOn() throws(HostLinkError) -> Bool {
    let wasCutOff = !TableMark.isAbsent(path(.contactEvents) + ".part")
    for table in Table.allCases where table.header != nil {
      guard let mark = marks[table.rawValue] else { return false }
      if mark.settled == nil || mark.isAsLeft(path(table)) { continue }
      guard wasCutOff, try mark.hasSettled(path(table)) else { return false }
    }
    return true
  }

  /// Begins to write: behind the lines of settled pages if `goesOn`, else all anew.
  func begin(goesOn: Bool) throws(HostLinkError) {
    for table in Table.allCases {
      let path = path(table)
      if try marks[table.rawValue]?.isOwn(path) == true {
        former[table] = try TableMark.Sample(path)
      } else if !TableMark.isAbsent(path) {
        unknown.append(table)
      }
      let settled = goesOn ? marks[table.rawValue]?.settled?.length : nil
      files[table] = TableFile(
        folder: folder, name: table.fileName, header: table.header ?? "", keeping: settled ?? 0)
    }
    for table in [Table.contacts, .contactEvents] { try files[table]?.begin() }
  }

  // MARK: Lines

  /// Appends the lines of a fact.
  func append(_ fact: LogFact) throws(HostLinkError) {
    switch fact {
    case .event(let event):
      ContactsCSV.append(event, to: &line)
      try endLine(.contacts)
      guard case .visited(let visit) = event.kind else { return }
      VisitsCSV.append(visit, to: &line)
      try endLine(.visits)
    case .battery(let level):
      BatteryCSV.append(level, to: &line)
      try endLine(.battery)
    case .motion(let change):
      MotionCSV.append(change, to: &line)
      try endLine(.motion)
    case .restart(let restart):
      RestartsCSV.append(restart, to: &line)
      try endLine(.restarts)
    case .bytes(let bytes):
      switch bytes.kind {
      case .message:
        MessagesCSV.append(bytes, to: &line)
        try endLine(.messages)
      case .model:
        ModelsCSV.append(bytes, to: &line)
        try endLine(.models)
      case .observed, .own:
        NeighboursCSV.append(bytes, to: &line)
        try endLine(.neighbours)
      }
    }
  }

  private func endLine(_ table: Table) throws(HostLinkError) { try files[table]?.append(line.take()) }

  // MARK: Files

  /// Notes that all lines so far are those of settled pages.
  func settle() { for file in files.values { file.settle() } }

  /// Writes the other tables, and syncs all to the disk. From then on `marks` are those of the files that
  /// `publish` leaves.
  ///
  /// A file of one of these names that no conversion has written stays in the folder, with `.before` behind
  /// its name, unless `isForced`, or the new table begins with all of it.
  /// - Throws: `.usage` if there is a file with that name, too.
  func finish(_ state: InterpretationState, _ record: DeviceRecord, isForced: Bool) throws(HostLinkError) {
    try writeStatistics(state)
    try writeDetection(state, record)
    try writeContactEvents(state)
    for (table, file) in files { marks[table.rawValue] = try file.finish(replacing: former[table]) }
    if !isForced { try keepAside() }
  }

  private func keepAside() throws(HostLinkError) {
    var paths: [String] = []
    for table in unknown where try files[table]?.beginsWithPresent() != true { paths.append(path(table)) }
    for path in paths where !TableMark.isAbsent("\(path).before") {
      let shown = PrintableText.of(path, limit: 256)
      throw HostLinkError(
        .usage, "\(shown) is no table that a conversion has written, and \(shown).before is there already",
        advice:
          "move one of them away, or replace the first: `herald-host log convert --force \(PrintableText.of(folder, limit: 256))`"
      )
    }
    for path in paths where rename(path, "\(path).before") != 0 {
      let shown = PrintableText.of(path, limit: 256)
      throw HostLinkError.system(.storage, "\(shown) cannot be kept as \(shown).before", code: errno)
    }
  }

  /// Gives the files that were made anew their names.
  func publish() throws(HostLinkError) {
    for table in Table.allCases { try files[table]?.publish() }
  }

  private func writeStatistics(_ state: InterpretationState) throws(HostLinkError) {
    line.raw(StatisticsCSV.header)
    try endLine(.statistics)
    for short in state.shorts.filter({ $0.ownPlace == 0 && $0.lastSign != nil }).sorted(by: Self.precedes) {
      StatisticsCSV.append(short.text, short.intervals, to: &line)
      try endLine(.statistics)
    }
  }

  private static func precedes(_ left: InterpretationState.Short, _ right: InterpretationState.Short) -> Bool
  {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }

  private func writeDetection(_ state: InterpretationState, _ record: DeviceRecord) throws(HostLinkError) {
    func known(_ text: String) -> String { text.isEmpty ? "NULL" : text }
    let latest = state.shorts.max { $0.ownPlace < $1.ownPlace }
    let own = latest.flatMap { $0.ownPlace > 0 ? $0.text : nil } ?? ""
    DetectionCSV.begin(
      name: known(record.name), system: known(record.system), version: known(record.version), own: own,
      to: &line)
    for short in state.shorts.filter({ $0.isOther && $0.text != own }).sorted(by: Self.precedes) {
      DetectionCSV.append(short.text, to: &line)
      try endLine(.detection)
    }
    line.endLine()
    try endLine(.detection)
  }

  private func writeContactEvents(_ state: InterpretationState) throws(HostLinkError) {
    line.raw(ContactEventsCSV.header)
    try endLine(.contactEvents)
    for (contact, payload) in state.contacts {
      ContactEventsCSV.append(
        id: state.peers[contact.peer].identity.addressText,
        payload: payload.map { state.shorts[$0.short].text } ?? "", begin: contact.begin, end: contact.end,
        seconds: contact.seconds, readings: contact.readings, to: &line)
      try endLine(.contactEvents)
    }
  }
}
