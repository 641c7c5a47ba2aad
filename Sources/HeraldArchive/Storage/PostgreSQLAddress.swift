import CPostgreSQL
import Foundation
import HeraldHostLink
import HeraldText

/// The address of a PostgreSQL database: `postgresql://USER@HOST:PORT/DATABASE`, as libpq understands it,
/// without a password.
///
/// A password in it is refused, because every user of a computer can read the words of its commands. libpq
/// takes the password from the variable PGPASSWORD or the file `~/.pgpass`.
struct PostgreSQLAddress: Equatable, Sendable {
  /// The address as it is passed to libpq.
  let text: String
  /// The address for messages.
  let location: String

  /// Whether `text` is meant as the address of a PostgreSQL database.
  static func isOne(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// Parses an address.
  /// - Throws: `.usage` if it is not one, or contains a password. Messages do not repeat the address: a part
  ///   of it may be a password that was not recognised as one.
  init(_ text: String) throws(HostLinkError) {
    let mistake = HostLinkError(
      .usage, "the address of the PostgreSQL archive is invalid",
      advice:
        "write postgresql://USER@HOST:PORT/DATABASE, with %40 for @ and %2F for / in names, and no password")
    guard let options = PQconninfoParse(text, nil) else { throw mistake }
    defer { PQconninfoFree(options) }
    var values: [String: String] = [:]
    var next = options
    while let keyword = next.pointee.keyword {
      if let value = next.pointee.val { values[String(cString: keyword)] = String(cString: value) }
      next += 1
    }
    guard values["password"] == nil, values["sslpassword"] == nil else {
      throw HostLinkError(
        .usage, "the address of the PostgreSQL archive contains a password",
        advice:
          "put it into ~/.pgpass or the variable PGPASSWORD: all users of a computer can read the words of a command"
      )
    }
    let authority = text.split(separator: "?", maxSplits: 1)[0]
    let isUser = authority.contains("@") == (values["user"] != nil)
    let ports = (values["port"] ?? "").split(separator: ",")
    guard isUser || values["user"] != nil && text.contains("user="),
      authority.count(where: { $0 == "@" }) <= 1,
      ports.allSatisfy({ UInt16($0) != nil })
    else { throw mistake }
    self.text = text
    var location = "postgresql://"
    if let user = values["user"] { location += "\(user)@" }
    let host = values["host"] ?? values["hostaddr"] ?? ""
    // The folder of a Unix socket is no host of an address.
    if !host.hasPrefix("/") { location += host }
    if let port = values["port"], !host.hasPrefix("/") { location += ":\(port)" }
    location += "/\(values["dbname"] ?? "")"
    if host.hasPrefix("/") {
      location += "?host=\(host)"
      if let port = values["port"] { location += "&port=\(port)" }
    }
    self.location = PrintableText.of(location, limit: 300)
  }
}
