import Foundation
import HeraldText

/// A folder of tables that a command writes. A file in it, `_herald.json`, names them: those of an earlier
/// run are replaced, and no others.
package enum TableFolder {
  /// The name of the file that says what the folder is. Readers of data sets ignore names that begin with
  /// `_`.
  package static let markName = "_herald.json"
  private static let mostBytes = 1 << 20

  /// A table that is to be written.
  package struct Table: Sendable {
    let name: String
    let isOwn: @Sendable (_ start: [UInt8]) -> Bool

    /// A table with the file `name`; `isOwn` says of how a file begins whether it is such a table.
    package init(_ name: String, isOwn: @escaping @Sendable (_ start: [UInt8]) -> Bool) {
      self.name = name
      self.isOwn = isOwn
    }

    /// A table whose file begins with these words.
    package init(_ name: String, beginning: String) {
      self.init(name) { $0.starts(with: beginning.utf8) }
    }

    /// A table of flat files with these columns.
    package init(_ name: String, columns: [String], as format: FlatFormat) {
      let file = "\(name).\(format.rawValue)"
      switch format {
      case .csv: self.init(file, beginning: columns.joined(separator: ",") + "\n")
      case .jsonl: self.init(file, beginning: "{\"\(columns.first ?? "")\":")
      }
    }
  }

  /// Makes the folder, checks that no table takes the place of a file that has to stay, and notes the tables.
  /// - Throws: the errors of `Replacement.check`; `.storage` if the folder cannot be made or written.
  package static func prepare(_ path: String, for tables: [Table], _ replacement: Replacement)
    throws(HostLinkError)
  {
    try PrivateFolder.make(path)
    let known = try names(in: path)
    for table in tables {
      try replacement.check("\(path)/\(table.name)") { known.contains(table.name) && table.isOwn($0) }
    }
    let names = known.union(tables.map(\.name)).sorted()
    try mark(path, ["files": names], replacement)
  }

  /// Whether a folder has the file that says what it is.
  package static func isMarked(_ path: String) throws(HostLinkError) -> Bool { try entries(in: path) != nil }

  /// Adds entries to the file that says what the folder is.
  package static func mark(_ path: String, _ entries: [String: any Sendable], _ replacement: Replacement)
    throws(HostLinkError)
  {
    let file = "\(path)/\(markName)"
    var all = try self.entries(in: path)
    try replacement.check(file) { _ in all != nil }
    all = all ?? [:]
    for (name, value) in entries { all?[name] = value }
    guard let data = try? JSONSerialization.data(withJSONObject: all ?? [:], options: [.sortedKeys]) else {
      throw HostLinkError(.storage, "\(PrintableText.of(file, limit: 256)) cannot be written")
    }
    let output = try ReplacedFile(file)
    try output.append([UInt8](data) + [0x0A])
    try output.finish()
  }

  /// The tables that earlier commands have written into the folder.
  private static func names(in path: String) throws(HostLinkError) -> Set<String> {
    Set(try entries(in: path)?["files"] as? [String] ?? [])
  }

  /// The entries of the file; `nil` if there is none, or it is another one.
  private static func entries(in path: String) throws(HostLinkError) -> [String: Any]? {
    guard let bytes = try LocalFile.bytes("\(path)/\(markName)", atMost: mostBytes) else { return nil }
    return (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
  }
}
