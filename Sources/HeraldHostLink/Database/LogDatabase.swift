import Foundation
import GRDB
import HeraldText

/// The log of one or more devices as an SQLite database; docs/archive.md describes its tables.
///
/// The pages are authoritative: the database is derived from them and can be rebuilt. A page is imported
/// atomically and once. A second import of the same page has no effect; a page that has grown replaces its
/// earlier form.
public final class LogDatabase {
  /// File name of the database, in the folder of the pages.
  public static let fileName = "archive.sqlite"

  /// The changes made by an import.
  public struct Change: Equatable, Sendable {
    /// The number of pages that were not in the database, or had grown.
    public var newPages = 0
    /// The number of pages that were in the database unchanged.
    public var knownPages = 0
    /// The number of records of the new pages.
    public var records = 0
    /// The number of readings among them.
    public var readings = 0
    /// The names of files that are not pages of this log; see `LogConversion.mostListed`.
    public var refused: [String] = []
    /// The number of sealed pages that were not opened: without the owner's key, or with another one. They
    /// are not in the database.
    public var sealedPages = 0
    /// The pages of them that are closed.
    var sealedNames: [PageName] = []
  }

  let database: DatabaseQueue
  /// The path of the database.
  public let path: String

  /// Opens the database at `path`, creates it if there is none, and migrates an older one.
  /// - Throws: `.storage` if it cannot be used, or was created by a later version of this program.
  public init(path: String) throws(HostLinkError) {
    self.path = path
    _ = try LocalFile.prepareDatabase(path, create: true)
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    // Every referenced row is looked up or created in the same transaction; the check by SQLite, twice for
    // each reading, would take as long as all other work.
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      // Bounds the memory of a conversion, of which a fleet runs many concurrently. Records are appended, so
      // a larger cache would have little effect. The journal mode is SQLite's default: a file beside the
      // database, and both are on the disk before an import is complete.
      try database.execute(sql: "PRAGMA cache_size = -8192")
    }
    do {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      let migrator = DatabaseSchema.migrator
      if try queue.read(migrator.hasBeenSuperseded) {
        throw HostLinkError(
          .storage, "\(path) was made by a later version of this program",
          advice: "use that version, or remove the file: it is made again from the pages")
      }
      try migrator.migrate(queue)
      database = queue
    } catch let error as HostLinkError {
      throw error
    } catch {
      throw Self.failure(error, path)
    }
  }

  /// Runs queries in one atomic transaction.
  func asking<Answer>(_ body: (Database) throws -> Answer) throws(HostLinkError) -> Answer {
    do {
      return try database.write(body)
    } catch let error as HostLinkError {
      throw error
    } catch {
      throw Self.failure(error, path)
    }
  }

  private static func failure(_ error: any Error, _ path: String) -> HostLinkError {
    let what = (error as? DatabaseError).map { $0.message ?? "\($0.resultCode)" } ?? "\(error)"
    return HostLinkError(
      .storage, "\(path) cannot be used (\(PrintableText.of(what)))",
      advice: "the pages in its folder are intact; move the file away, and it is created again from them")
  }
}
