import Foundation

/// Finds the folders of pulled logs: those that are named, and those below them.
public enum PageStoreSearch {
  /// The maximum depth below a named folder.
  static let mostLevels = 4

  /// The folders of pulled logs in `paths`, in the order of `paths` and of their names, each once. A folder
  /// with pages is one itself, and is not searched further.
  /// - Throws: `.storage` with the name of a path that holds none.
  public static func folders(in paths: [String]) throws(HostLinkError) -> [String] {
    var found: [String] = []
    for path in paths {
      let before = found.count
      search(path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path, 0, &found)
      guard found.count > before else {
        throw HostLinkError(
          .storage, "\(path) holds no pulled log", advice: "`herald-host log pull --output \(path)` makes one"
        )
      }
    }
    var seen: Set<String> = []
    return found.filter { seen.insert($0).inserted }
  }

  private static func search(_ path: String, _ level: Int, _ found: inout [String]) {
    if access(path + "/pages", R_OK | X_OK) == 0 {
      found.append(path)
      return
    }
    guard level < mostLevels, let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
      return
    }
    for name in names.sorted() where !name.hasPrefix(".") { search("\(path)/\(name)", level + 1, &found) }
  }
}
