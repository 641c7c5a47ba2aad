import Foundation
import GRDB
import HeraldText

/// The log of one or more devices as an SQLite database; docs/database.md describes its tables.
///
/// The pages are authoritative: the database is derived from them and can be rebuilt. A page is imported
/// atomically and once: importing it again changes nothing; a page that has grown replaces its earlier form.
public final class LogDatabase {
  /// File name of the database, in the folder of the pages.
  public static let fileName = "archive.sqlite"

  /// How much an import changed.
  public struct Change: Equatable, Sendable {
    /// Pages that were not here, or had grown.
    public var newPages = 0
    /// Pages that were here as they are.
    public var knownPages = 0
    /// Records of the new pages.
    public var records = 0
    /// Readings among them.
    public var readings = 0
    /// Files that are no page of this log, by name; see `LogConversion.mostListed`.
    public var refused: [String] = []
  }

  let database: DatabaseQueue
  /// The path of the database.
  public let path: String

  /// Opens the database at `path`, creates it if there is none, and migrates an older one.
  /// - Throws: `.storage` if it cannot be used, or was made by a later version of this program.
  public init(path: String) throws(HostLinkError) {
    self.path = path
    // SQLite creates its files with the umask's permissions; the log is private, so the file is created with
    // mode 0600.
    if access(path, F_OK) != 0 {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw .system(.storage, "\(path) cannot be made", code: errno) }
      close(descriptor)
    }
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    // Every number that a row refers to is looked up or made in the same transaction; a check by SQLite,
    // twice a reading, takes as long as everything else.
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      // Bounds the memory of a conversion, of which a fleet runs many at once. Records are appended, so a
      // larger cache would gain little. The journal has SQLite's default: beside the database, and both on
      // the disk before an import counts as done.
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

  /// Runs queries in one transaction, which takes effect as a whole or not at all.
  func asking<Answer>(_ question: (Database) throws -> Answer) throws(HostLinkError) -> Answer {
    do {
      return try database.write(question)
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
      advice: "the pages beside it are whole; move the file away, and it is made again from them")
  }
}
