import Foundation
import GRDB
import HeraldCrypto
import HeraldEmbedded
import HeraldText
import Testing

@testable import HeraldHostLink

/// Databases that are out there keep their form, or get a migration of their own.
@Suite("Log database: versions")
struct DatabaseVersionTests {
  /// What version 1 made, as SQLite tells it, with blanks and line ends as one blank.
  private func schema(_ database: Database) throws -> String {
    try String.fetchAll(
      database,
      sql: "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'grdb%' ORDER BY name"
    ).map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }.joined(separator: "\n")
  }

  @Test("The tables of version 1 are what they were when it was released")
  func frozen() throws {
    let database = try DatabaseQueue()
    try DatabaseSchema.migrator.migrate(database, upTo: "1")
    let text = try database.read(schema)
    let digest = SHA256.digest(of: Array(text.utf8).span)
    var bytes: [UInt8] = []
    for index in digest.indices { bytes.append(digest[index]) }
    #expect(bytes.hexadecimal == "5dddc1989050da24bc744779e0cc9e6ac4ba3c640599bd2cf593846488ef6f14")
  }

  @Test("A database of version 1 is opened, brought up to date, and keeps what it has")
  func upgrade() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    let path = folder.path + "/" + LogDatabase.fileName
    do {
      let old = try DatabaseQueue(path: path)
      try DatabaseSchema.migrator.migrate(old, upTo: "1")
      try old.write { database in
        try database.execute(
          sql: """
            INSERT INTO device VALUES (1, 'A1', 'badge', 'herald', '1.0');
            INSERT INTO boot VALUES (1, 1, 7, 3);
            INSERT INTO peer VALUES (1, 1, 'random', '7B:AC:AC:34:E9:4A');
            INSERT INTO reading VALUES (1048576, 1, 1, 2500, 1669760512500, -47);
            """)
      }
      try old.close()
    }
    let logDatabase = try LogDatabase(path: path)
    let rows: [[String]] = try logDatabase.asking { database in
      try Row.fetchAll(
        database, sql: "SELECT serial, address, rssi FROM reading JOIN peer ON peer.id = peer_id JOIN device"
      ).map { row in row.databaseValues.map { "\($0)" } }
    }
    #expect(rows == [["\"A1\"", "\"7B:AC:AC:34:E9:4A\"", "-47"]])
    let ranges = try logDatabase.asking {
      try Row.fetchAll($0, sql: "SELECT * FROM conversion_boot").map { row in
        Array(row.databaseValues.map { "\($0)" })
      }
    }
    #expect(ranges == [["1", "1", "1"]])
    let applied = try logDatabase.asking { try DatabaseSchema.migrator.appliedIdentifiers($0) }
    #expect(applied == Set(DatabaseSchema.migrator.migrations))
  }
}
