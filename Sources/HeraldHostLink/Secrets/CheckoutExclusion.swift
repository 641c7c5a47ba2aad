import Foundation

/// Keeps a file with a secret out of the commits of a git checkout that it is written into.
///
/// The folder of the file gets a `.gitignore`: for all files if the folder is empty, as one that was just
/// made, otherwise for this file. A `.gitignore` that somebody else wrote is not changed.
public enum CheckoutExclusion {
  private static let heading = "# Secrets of herald-host"

  /// Excludes a file, unless it is in no checkout. Failures have no effect: `isMissing` says so.
  static func add(_ path: String) {
    let (folder, name) = parts(path)
    guard isInCheckout(folder) else { return }
    let file = "\(folder)/.gitignore"
    if let text = text(of: file) {
      guard text.hasPrefix(heading), !excludes(name, text) else { return }
      append("/\(name)\n", to: file, flags: O_APPEND)
      return
    }
    let isEmpty = (try? FileManager.default.contentsOfDirectory(atPath: folder).isEmpty) ?? false
    append(heading + (isEmpty ? "\n*\n" : "\n/.gitignore\n/\(name)\n"), to: file, flags: O_CREAT | O_EXCL)
  }

  /// Whether a file is in a checkout, and no `.gitignore` in its folder excludes it.
  public static func isMissing(of path: String) -> Bool {
    let (folder, name) = parts(path)
    guard isInCheckout(folder) else { return false }
    return !excludes(name, text(of: "\(folder)/.gitignore") ?? "")
  }

  /// The text of a `.gitignore`; `nil` if there is none that can be read, or it is larger than 1 MiB.
  private static func text(of file: String) -> String? {
    (try? LocalFile.bytes(file, atMost: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
  }

  private static func parts(_ path: String) -> (folder: String, name: String) {
    let url = URL(fileURLWithPath: path).standardizedFileURL
    return (url.deletingLastPathComponent().path, url.lastPathComponent)
  }

  private static func excludes(_ name: String, _ text: String) -> Bool {
    let ending = "*.\(name.split(separator: ".").last ?? "")"
    return text.split(whereSeparator: \.isNewline).contains {
      ["*", name, "/\(name)", ending].contains(String($0))
    }
  }

  private static func isInCheckout(_ folder: String) -> Bool {
    var url = URL(fileURLWithPath: folder)
    for _ in 0..<256 {
      if access(url.appendingPathComponent(".git").path, F_OK) == 0 { return true }
      guard url.path != "/" else { return false }
      url.deleteLastPathComponent()
    }
    return false
  }

  private static func append(_ text: String, to path: String, flags: Int32) {
    let file = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | flags, 0o644)
    guard file >= 0 else { return }
    defer { close(file) }
    let bytes = Array(text.utf8)
    _ = SystemCall.retrying { Foundation.write(file, bytes, bytes.count) }
  }
}
