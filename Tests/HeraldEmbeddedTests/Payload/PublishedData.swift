import Foundation

/// Vectors published by the Herald project, which this project does not contain.
enum PublishedData {
  /// Where the folder is: `HERALD_DATA`, or `../shared/data` beside the package.
  private static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["HERALD_DATA"] { return URL(fileURLWithPath: path) }
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return root.appendingPathComponent("../shared/data").standardizedFileURL
  }()

  /// Whether a file is there; says so if it is not, since tests that need it are skipped then.
  static func has(_ name: String) -> Bool {
    let path = folder.appendingPathComponent(name).path
    if FileManager.default.isReadableFile(atPath: path) { return true }
    print("skipped: no \(path)")
    return false
  }

  /// The rows of a CSV file behind its header, split at commas.
  static func rows(_ name: String) throws -> [[String]] {
    let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    return text.split(separator: "\n").dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// The bytes that a field spells in base64.
  static func base64(_ field: String) -> [UInt8]? { Data(base64Encoded: field).map(Array.init) }
}
