import Foundation
import GRDB

/// The summary of a conversion of the pages of a folder; the tables in the folder and the database are up to
/// date.
///
/// Its size does not grow with the log: unbounded lists are read from the database, or limited.
public struct LogConversion: Sendable {
  /// A person whose payload was read.
  public struct Contact: Equatable, Sendable {
    /// The payload.
    public let payload: [UInt8]
    /// The number of addresses from which it was read.
    public let addresses: Int
    /// The begin of the first contact, in milliseconds since 1970.
    public let firstSeen: UInt64
    /// The end of the last contact, in milliseconds since 1970.
    public let lastSeen: UInt64
    /// The total duration of all contacts; see `ContactDuration`.
    public let seconds: Int
    /// The number of readings.
    public let readings: Int
    /// The strongest RSSI in dBm; `nil` without readings.
    public let strongest: Int?
    /// The median RSSI in dBm, the weaker of the middle two; `nil` without readings.
    public let median: Int?
  }

  /// The maximum number of contacts listed (the longest), and of damaged pages.
  public static let mostListed = 10_000

  /// The number of pages of the folder that were read.
  public let pageCount: Int
  /// The number of events of peers that have a date.
  public let events: Int
  /// The number of readings among them, without those of peers only known from another peer.
  public let readings: Int
  /// The number of events omitted because the date of their start-up is unknown.
  public let undatedEvents: Int
  /// The number of events that the device could not log, as counted by the device.
  public let droppedEvents: Int
  /// The number of events whose date was implausible when they were imported; see `PlausibleDate`.
  public let unbelievableDates: Int
  /// The number of sealed pages that were not opened: without the owner's key, or with another one.
  public let sealedPages: Int
  /// Pages that could not be read, or only in part.
  public let damagedPages: [String]
  /// Persons whose payload was read and who had a contact, the longest total duration first.
  public let contacts: [Contact]
  /// The total number of contacts.
  public let contactCount: Int
  /// The number of addresses that have readings but whose payload was never read.
  public let unknownAddresses: Int
  /// The number of readings of these addresses.
  public let unknownReadings: Int

  /// Brings the database and the tables of a folder up to date.
  public init(_ folder: PageStore) throws(HostLinkError) {
    let logDatabase = try LogDatabase(path: "\(folder.path)/\(LogDatabase.fileName)")
    try self.init(logDatabase, of: folder.device, after: try logDatabase.convert(folder))
  }

  /// The summary of a device in a database, after a conversion.
  init(_ logDatabase: LogDatabase, of record: DeviceRecord, after change: LogDatabase.Change)
    throws(HostLinkError)
  {
    self = try logDatabase.asking { database in
      let device =
        try Int64.fetchOne(
          database, sql: "SELECT id FROM device WHERE serial = ?", arguments: [record.serial]) ?? 0
      return try LogConversion(database, device: device, change)
    }
  }

  private init(_ database: Database, device: Int64, _ change: LogDatabase.Change) throws {
    let total = try LogInterpreter.total(database, device: device)
    sealedPages = change.sealedPages
    pageCount = change.newPages + change.knownPages + change.refused.count + change.sealedPages
    events = total.events
    readings = total.readings
    undatedEvents = total.undated
    droppedEvents = total.dropped
    unbelievableDates = total.unbelievable
    let malformed = try Row.fetchAll(
      database,
      sql:
        "SELECT epoch, sequence, is_open FROM page WHERE device_id = ? AND ending = 'malformed' ORDER BY id LIMIT ?",
      arguments: [device, Self.mostListed]
    ).map { PageName(epoch: $0["epoch"], sequence: $0["sequence"], isOpen: $0["is_open"]).fileName }
    damagedPages =
      change.refused.map { "\($0) is not a page of this log" }
      + malformed.map { "\($0) contradicts the format" }
    contacts = try Row.fetchAll(
      database,
      sql: """
        SELECT bytes, person.readings, levels, MIN(begin_ms), MAX(end_ms), SUM(seconds) AS near,
          (SELECT COUNT(*) FROM person_address WHERE person_address.person_id = person.id)
        FROM person JOIN payload ON payload.id = person.payload_id JOIN contact ON contact.person_id = person.id
        WHERE person.device_id = ? GROUP BY person.id ORDER BY near DESC, 2 DESC, 4, person.id LIMIT ?
        """, arguments: [device, Self.mostListed]
    ).map { row in
      let levels = SignalLevels.summary(SignalLevels.counts(row[2]))
      return Contact(
        payload: [UInt8](row[0] as Data), addresses: row[6], firstSeen: UInt64(clamping: row[3] as Int64),
        lastSeen: UInt64(clamping: row[4] as Int64), seconds: row[5], readings: row[1],
        strongest: levels?.strongest,
        median: levels?.median)
    }
    contactCount =
      try Int.fetchOne(
        database,
        sql: """
          SELECT COUNT(*) FROM person WHERE device_id = ? AND payload_id IS NOT NULL
            AND EXISTS (SELECT 1 FROM contact WHERE person_id = person.id)
          """, arguments: [device]) ?? 0
    let unknown = try Row.fetchOne(
      database,
      sql:
        "SELECT COUNT(*), COALESCE(SUM(readings), 0) FROM person WHERE device_id = ? AND payload_id IS NULL AND readings > 0",
      arguments: [device])
    unknownAddresses = unknown?[0] ?? 0
    unknownReadings = unknown?[1] ?? 0
  }
}
