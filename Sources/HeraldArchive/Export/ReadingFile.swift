import HeraldEmbedded
import HeraldHostLink
import HeraldParquet

/// The Parquet file with the readings of a device on a day.
///
/// Rows are in the order of half hours; within one, by subject and date: those of a subject come at regular
/// intervals, which leaves 15 % less than the order of dates.
struct ReadingFile {
  /// The columns. The day is in the path alone; the device is in both, as readers guess types of what is in
  /// paths.
  static let columns = [
    ParquetColumn("unix_ms", .timestamp), ParquetColumn("peer_kind", .string), ParquetColumn("peer", .string),
    ParquetColumn("rssi", .int32), ParquetColumn("tx_power", .int32, isOptional: true),
    ParquetColumn("observer", .string), ParquetColumn("subject", .string),
    ParquetColumn("subject_kind", .string), ParquetColumn("device", .string),
  ]

  /// The entries of texts in the dictionaries of the present row group, by the index of what they are about.
  private struct Entries {
    private static let unknown = UInt32.max
    private var entries: [UInt32] = []

    mutating func entry(of index: Int32, _ text: () -> String, in column: Int, of file: ParquetFile) -> UInt32
    {
      let number = Int(index)
      while entries.count <= number { entries.append(Self.unknown) }
      if entries[number] == Self.unknown { entries[number] = file.entry(of: Array(text().utf8), in: column) }
      return entries[number]
    }

    mutating func removeAll() { entries.removeAll(keepingCapacity: true) }
  }

  /// Half an hour in milliseconds.
  private static let slot: Int64 = 1_800_000
  /// The maximum number of readings that are sorted at a time.
  private static let mostSorted = 1 << 16

  private(set) var rows = 0
  /// The readings of the present half hour.
  private var pending: [DecodedReading] = []
  private let file: ParquetFile
  private let scan: DeviceScan
  private var peerKinds = Entries()
  private var peers = Entries()
  private var observers = Entries()
  private var subjects = Entries()
  private var subjectKinds = Entries()
  private var devices = Entries()
  private let serial: String

  /// Begins a file with readings of the device `serial`.
  init(_ path: String, _ scan: DeviceScan, serial: String) throws(HostLinkError) {
    self.scan = scan
    self.serial = serial
    file = try ExportFolder.storing { () throws(ParquetError) in
      try ParquetFile(path, Self.columns, createdBy: ExportFolder.createdBy)
    }
  }

  /// Appends a reading, whose observer and subject are indices in `whos`.
  mutating func append(_ row: DecodedReading, _ whos: [WhoKey]) throws(HostLinkError) {
    if let last = pending.last,
      last.date / Self.slot != row.date / Self.slot || pending.count >= Self.mostSorted
    {
      try write(whos)
    }
    pending.append(row)
    rows += 1
  }

  private mutating func write(_ whos: [WhoKey]) throws(HostLinkError) {
    pending.sort { ($0.subject, $0.date) < ($1.subject, $1.date) }
    for row in pending { try write(row, whos) }
    pending.removeAll(keepingCapacity: true)
  }

  private mutating func write(_ row: DecodedReading, _ whos: [WhoKey]) throws(HostLinkError) {
    if file.rowsInGroup == 0 {
      peerKinds.removeAll()
      peers.removeAll()
      observers.removeAll()
      subjects.removeAll()
      subjectKinds.removeAll()
      devices.removeAll()
    }
    let identity = scan.identities[Int(row.peer)]
    file.append(row.date, to: 0)
    file.append(entry: peerKinds.entry(of: row.peer, { WhoKey.word(identity.kind) }, in: 1, of: file), to: 1)
    file.append(entry: peers.entry(of: row.peer, { identity.addressText }, in: 2, of: file), to: 2)
    file.append(Int64(row.rssi), to: 3)
    if let power = row.power { file.append(Int64(power), to: 4) }
    let (observer, subject) = (whos[Int(row.observer)], whos[Int(row.subject)])
    file.append(entry: observers.entry(of: row.observer, { observer.observer }, in: 5, of: file), to: 5)
    file.append(entry: subjects.entry(of: row.subject, { subject.label }, in: 6, of: file), to: 6)
    file.append(entry: subjectKinds.entry(of: row.subject, { subject.kind }, in: 7, of: file), to: 7)
    file.append(entry: devices.entry(of: 0, { serial }, in: 8, of: file), to: 8)
    try ExportFolder.storing { () throws(ParquetError) in try file.endRow() }
  }

  /// Completes the file and gives it its name.
  mutating func finish(_ whos: [WhoKey]) throws(HostLinkError) {
    try write(whos)
    try ExportFolder.storing { () throws(ParquetError) in try file.finish() }
  }
}
