import HeraldHostLink
import HeraldText

/// The logs of many devices in one database: their pages, and what follows from them.
///
/// The pages are the truth, and stay. Everything else is derived from them: payloads that devices sent, who
/// heard whom on which day, contacts, and the meetings of each pair. `update` derives what new pages, persons
/// or rules have changed; it can be interrupted at any point and goes on with the next call.
package final class Archive {
  /// The connection to the database.
  let connection: any ArchiveConnection
  let frames = PageFrame()
  /// The size of pages in memory at a time, in bytes; about 1.4 bytes are a reading. Tests set it to 0.
  var mostPageBytes: Int64 = 4 << 20
  /// The rules by which contacts are made.
  package private(set) var rules = ContactRules()
  /// The civil days of the archive's time zone.
  package private(set) var days = LocalDays.utc

  /// Opens an archive; creates its tables in an empty database, with `newRules`, or else the time zone
  /// `zone`, or else that of this computer. `isZoneReplaced` has an archive with another time zone count its
  /// days in `zone` from then on, as `change` does.
  /// - Throws: `.storage` if the database cannot be used or was made by a later version of this program;
  ///   `.usage` if this computer does not know the time zone, or the archive has another one than `zone`.
  package init(
    _ connection: any ArchiveConnection, newRules: ContactRules? = nil, zone: String? = nil,
    isZoneReplaced: Bool = false
  ) throws(HostLinkError) {
    self.connection = connection
    var named: String?
    if let zone { named = try LocalDays.zone(named: zone) }
    if try connection.hasTable("setting") {
      try readSettings(named, isZoneReplaced)
    } else {
      guard try !connection.hasTable("device"), try !connection.hasTable("page") else {
        throw HostLinkError(
          .storage, "\(connection.location) is no archive, but has tables of something else",
          advice: "name another one")
      }
      var rules = newRules ?? ContactRules()
      if let named { rules.zone = named } else if newRules == nil { rules.zone = try LocalDays.systemZone() }
      try rules.check()
      self.rules = rules
      days = try LocalDays(zone: rules.zone)
      var isNew = false
      try connection.transaction { () throws(HostLinkError) in
        // Another program may have made it meanwhile.
        guard try !connection.hasTable("setting") else { return }
        try ArchiveSchema.create(connection)
        try set("schema", String(ArchiveSchema.version))
        try storeRules()
        isNew = true
      }
      if !isNew { try readSettings(named, isZoneReplaced) }
    }
  }

  /// The version of the tables.
  func storedVersion() throws(HostLinkError) -> Int64 {
    Int64(try connection.rows("SELECT value FROM setting WHERE name = 'schema'").first?.text(0) ?? "") ?? 0
  }

  private func readSettings(_ zone: String?, _ isZoneReplaced: Bool) throws(HostLinkError) {
    var settings: [String: String] = [:]
    for row in try connection.rows("SELECT name, value FROM setting") { settings[row.text(0)] = row.text(1) }
    guard let version = settings["schema"].flatMap({ Int64($0) }), version <= ArchiveSchema.version else {
      throw HostLinkError(
        .storage, "\(connection.location) was made by a later version of this program",
        advice: "use that version")
    }
    if let text = settings["band_limits"] {
      rules.bandLimits = text.split(separator: ",").compactMap { Int($0) }
    }
    if let window = settings["window"].flatMap({ Int($0) }), ContactRules.windows.contains(window) {
      rules.window = window
    }
    rules.assumedPower = settings["assumed_power"].flatMap { Int($0) } ?? rules.assumedPower
    do throws(HostLinkError) { try rules.check() } catch {
      throw HostLinkError(
        .storage, "\(connection.location) has rules that no command stores: \(error.what)",
        advice: "make a new archive of the folders of the pulled logs")
    }
    let stored = settings["zone"] ?? rules.zone
    guard let zone, zone != stored else {
      rules.zone = stored
      days = try LocalDays(zone: stored)
      return
    }
    guard isZoneReplaced else {
      throw HostLinkError(
        .usage,
        "\(connection.location) counts days in \(PrintableText.of(stored, limit: 100)), not in \(zone)",
        advice:
          "leave --zone out, or change the archive with `herald-host archive rules --archive \(connection.location) --zone \(zone)`"
      )
    }
    var changed = rules
    changed.zone = zone
    try change(changed)
  }

  /// Stores a setting.
  func set(_ name: String, _ value: String) throws(HostLinkError) {
    try connection.execute("DELETE FROM setting WHERE name = ?", [.text(name)])
    try connection.append("setting", ["name", "value"], [.text(name), .text(value)])
  }

  private func storeRules() throws(HostLinkError) {
    try set("band_limits", rules.bandLimits.map(String.init).joined(separator: ","))
    try set("assumed_power", String(rules.assumedPower))
    try set("window", String(rules.window))
    try set("zone", rules.zone)
  }

  /// Changes the rules. If they differ from those of the archive, the next `update` derives everything again.
  package func change(_ rules: ContactRules) throws(HostLinkError) {
    guard rules != self.rules else { return }
    try rules.check()
    let days = try LocalDays(zone: rules.zone)
    self.rules = rules
    self.days = days
    try connection.transaction { () throws(HostLinkError) in
      try storeRules()
      try markAllStale()
    }
  }

  /// Has everything derived from the pages again by the next `update`.
  package func deriveAgain() throws(HostLinkError) {
    try connection.transaction { () throws(HostLinkError) in
      try connection.execute("UPDATE device SET is_unread = 1, is_stale = 1")
    }
  }

  /// Has contacts derived again by the next `update`.
  func markAllStale() throws(HostLinkError) { try connection.execute("UPDATE device SET is_stale = 1") }
}
