import Foundation
import HeraldHostLink
import HeraldText

/// A folder with the files of one device: `contacts.csv`, and `detection.csv`, which says what the device
/// sent.
package struct RecordingFolder: Equatable, Sendable {
  /// The path of the folder.
  package let path: String
  /// The name of the folder, without those above it.
  package let folder: String
  /// What the device calls itself; empty if it is not known. Untrusted.
  package let name: String
  /// The operating system, such as `Android` or `iOS`. Untrusted.
  package let system: String
  /// The version of the operating system. Untrusted.
  package let version: String
  /// The short form of the payload that the device offered; empty if it offered none.
  package let payload: String

  /// The maximum depth below a named folder.
  static let mostLevels = 4
  /// The maximum number of folders: each is compared with each.
  static let mostFolders = 2000

  var contacts: String { path + "/contacts.csv" }

  /// Reads the first fields of `detection.csv`.
  /// - Throws: `.storage` if it is there and cannot be read, or its first row has too few fields.
  init(path: String) throws(HostLinkError) {
    self.path = path
    folder = path.split(separator: "/").last.map(String.init) ?? path
    var texts = ["", "", "", ""]
    let file = path + "/detection.csv"
    if try LocalFile.exists(file) {
      var fields = LineFields(mostFields: texts.count)
      var isShort = false
      try TextLines.readRow(file) { line, separator in
        if let separator {
          fields.separator = separator
          fields.split(line)
        } else {
          fields.split(line) { $0.count >= texts.count }
        }
        isShort = fields.count < texts.count && !line.isEmpty
        for index in 0..<fields.count {
          texts[index] = fields.text(index, of: line).trimmingCharacters(in: .whitespaces)
        }
      }
      guard !isShort else {
        throw HostLinkError(
          .storage,
          "\(PrintableText.of(file, limit: 400)) does not begin with a device's name, system, version and payload",
          advice: "copy it from the device again, or leave the folder out")
      }
    }
    (name, system, version, payload) = (texts[0], texts[1], texts[2], texts[3])
  }

  /// The folders with a `contacts.csv` in `paths`, in the order of `paths` and of their names, each once. A
  /// folder that has one is not searched further.
  /// - Throws: `.storage` with the name of a path that holds none; `.usage` if there are fewer than two, or
  ///   two with the same payload.
  package static func search(_ paths: [String]) throws(HostLinkError) -> [RecordingFolder] {
    var found: [String] = []
    for path in paths {
      let before = found.count
      try search(path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path, 0, &found)
      guard found.count > before else {
        throw HostLinkError(
          .storage, "\(path) holds no contacts.csv",
          advice: "name the folder of a device, or a folder with such folders")
      }
    }
    var seen: Set<String> = []
    found = found.filter { seen.insert(URL(fileURLWithPath: $0).resolvingSymlinksInPath().path).inserted }
    guard (2...mostFolders).contains(found.count) else {
      throw HostLinkError(
        .usage,
        "\(found.count) folders with a contacts.csv; at least 2 and at most \(mostFolders) are needed",
        advice: "name the folders of the devices that were together")
    }
    var folders: [RecordingFolder] = []
    for path in found { folders.append(try RecordingFolder(path: path)) }
    var owners: [String: String] = [:]
    for folder in folders where !folder.payload.isEmpty {
      if let other = owners[folder.payload] {
        throw HostLinkError(
          .usage, "\(other) and \(folder.path) are both of the payload \(folder.payload)",
          advice: "name only one folder of each device")
      }
      owners[folder.payload] = folder.path
    }
    return folders
  }

  private static func search(_ path: String, _ level: Int, _ found: inout [String]) throws(HostLinkError) {
    if try LocalFile.exists(path + "/contacts.csv") { return found.append(path) }
    guard level < mostLevels, found.count <= mostFolders, let names = try LocalFile.names(in: path) else {
      return
    }
    for name in names.sorted() where !name.hasPrefix(".") {
      try search("\(path)/\(name)", level + 1, &found)
    }
  }
}
