import HeraldText

/// Finds the folders of pulled logs: those that are named, and those below them.
public enum PageStoreSearch {
  /// The maximum depth below a named folder.
  static let mostLevels = 4

  /// The folders of pulled logs in `paths`, in the order of `paths` and of their names, each once. A folder
  /// with pages is one itself, and is not searched further; one that cannot be read is listed as well, so
  /// that whoever opens it says so.
  /// - Throws: `.storage` with the name of a path that holds none.
  public static func folders(in paths: [String]) throws(HostLinkError) -> [String] {
    var found: [String] = []
    for path in paths {
      let before = found.count
      search(path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path, 0, &found)
      guard found.count > before else { throw noLog(path) }
    }
    var seen: Set<String> = []
    return found.filter { seen.insert($0).inserted }
  }

  /// The folders of pulled logs in `path`, which need not be there.
  public static func existing(in path: String) -> [String] {
    var found: [String] = []
    search(path, 0, &found)
    return found
  }

  /// The error for a folder without pages.
  static func noLog(_ path: String) -> HostLinkError {
    let shown = PrintableText.of(path, limit: 256)
    return HostLinkError(
      .storage, "\(shown) holds no pulled log", advice: "`herald-host log pull --output \(shown)` makes one")
  }

  private static func search(_ path: String, _ level: Int, _ found: inout [String]) {
    do throws(HostLinkError) {
      if try LocalFile.exists(path + "/pages") { return found.append(path) }
      guard level < mostLevels, let names = try LocalFile.names(in: path) else { return }
      // The folder `lost+found` of a file system belongs to root.
      for name in names.sorted() where !name.hasPrefix(".") && name != "lost+found" {
        search("\(path)/\(name)", level + 1, &found)
      }
    } catch {
      found.append(path)
    }
  }
}
