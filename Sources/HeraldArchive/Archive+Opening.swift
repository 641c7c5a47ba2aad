import HeraldHostLink

extension Archive {
  /// Opens the archive at `location`, the path of an SQLite file, or the address `postgresql://…` of a
  /// database. `create` says whether a missing one is made, with the time zone `zone`, or else that of this
  /// computer; `isZoneReplaced` whether an archive with another time zone takes this one. Of a file that
  /// cannot be made into an archive nothing is left.
  /// - Throws: `.storage` if there is none, or it cannot be used; `.usage` if the address is invalid, this
  ///   computer does not know the time zone, or the archive has another one.
  package static func open(
    _ location: String, create: Bool, zone: String? = nil, isZoneReplaced: Bool = false
  ) throws(HostLinkError) -> Archive {
    if PostgreSQLAddress.isOne(location) {
      let connection = try PostgreSQLConnection(PostgreSQLAddress(location))
      if !create, try !connection.hasTable("setting") {
        throw HostLinkError(
          .storage, "there is no archive in \(connection.location)",
          advice: "`herald-host archive add DIR --archive \(connection.location)` makes one")
      }
      return try Archive(connection, zone: zone, isZoneReplaced: isZoneReplaced)
    }
    let connection = try SQLiteConnection(path: location, create: create)
    do throws(HostLinkError) {
      try connection.checkTables(create: create)
      return try Archive(connection, zone: zone, isZoneReplaced: isZoneReplaced)
    } catch {
      connection.discard()
      throw error
    }
  }

  /// Removes the file of an archive that this program has made, unless another one has written to it since;
  /// with `onlyIfEmpty`, only one without a page. A database of a server stays.
  package func discard(onlyIfEmpty: Bool = false) {
    (connection as? SQLiteConnection)?.discard(onlyIfEmpty: onlyIfEmpty)
  }

  /// An archive of some folders in a temporary file without a name; with the default rules and the system's
  /// time zone, unless there are `rules`.
  /// - Throws: `.storage` if no file can be made.
  package static func temporary(_ rules: ContactRules? = nil) throws(HostLinkError) -> Archive {
    try Archive(try SQLiteConnection(), newRules: rules)
  }
}
