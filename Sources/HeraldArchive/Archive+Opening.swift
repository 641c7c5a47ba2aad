import HeraldHostLink

extension Archive {
  /// Opens the archive at `place`, the path of an SQLite file, or the address `postgresql://…` of a database.
  /// `create` says whether a missing one is made.
  /// - Throws: `.storage` if there is none, or it cannot be used; `.usage` if the address is invalid.
  public static func open(_ place: String, create: Bool) throws(HostLinkError) -> Archive {
    if PostgreSQLAddress.isOne(place) {
      let connection = try PostgreSQLConnection(PostgreSQLAddress(place))
      if !create, try !connection.hasTable("setting") {
        throw HostLinkError(
          .storage, "there is no archive in \(connection.place)",
          advice: "`herald-host archive add DIR --archive \(connection.place)` makes one")
      }
      return try Archive(connection)
    }
    return try Archive(try SQLiteConnection(path: place, create: create))
  }

  /// An archive of some folders in a temporary file without a name; with the default rules and the system's
  /// time zone, unless there are `rules`.
  /// - Throws: `.storage` if no file can be made.
  public static func temporary(_ rules: ContactRules? = nil) throws(HostLinkError) -> Archive {
    try Archive(try SQLiteConnection(), newRules: rules)
  }
}
