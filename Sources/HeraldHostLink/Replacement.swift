import Foundation
import HeraldText

/// What the output of a command may take the place of.
///
/// An output replaces an earlier output of the same kind, which is known by how it begins, and an empty file.
/// Any other file stays, unless the user insists. What the command reads stays in any case, and so does what
/// is no regular file, such as a symbolic link.
public struct Replacement: Sendable {
  /// The number of bytes at the start of a file by which it is known.
  static let mostBytes = 1 << 16
  /// Files of a pulled log that commands read when they are given its folder.
  private static let logFiles = ["device.json", ConversionFile.name]

  /// Whether the user insists.
  package let isForced: Bool
  private let inputs: [String]

  /// - Parameters:
  ///   - isForced: whether the user insists that a file is replaced that this program did not write.
  ///   - inputs: files that the command reads, and folders of pulled logs. Addresses of databases are no
  ///     files, and are left out.
  public init(isForced: Bool = false, inputs: [String] = []) {
    self.isForced = isForced
    self.inputs = inputs
  }

  /// Checks that the output `path` replaces nothing that has to stay. `isOwn` says of how a file begins, of
  /// up to 65,536 bytes, whether it is an earlier output. If `takesStream`, what `ReplacedFile` writes to as
  /// it is, such as `/dev/stdout`, is right.
  /// - Throws: `.usage` if the file has to stay, `.storage` if it cannot be looked at.
  public func check(_ path: String, takesStream: Bool = false, isOwn: (_ start: [UInt8]) -> Bool)
    throws(HostLinkError)
  {
    if takesStream, LocalFile.isStream(path) { return }
    let shown = PrintableText.of(path, limit: 256)
    var named = stat()
    let isLink = lstat(path, &named) == 0 && named.st_mode & S_IFMT == S_IFLNK
    var status = stat()
    guard stat(path, &status) == 0 else {
      // Other errors are those of making the file.
      if isLink { throw Self.link(shown) }
      return
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw HostLinkError(
        .usage, "\(shown) is no regular file, and stays as it is", advice: "name a file for the output")
    }
    for input in inputs where Self.isRead(path, status, input) {
      throw HostLinkError(
        .usage, "\(shown) is what this command reads, and stays as it is",
        advice: "name another file for the output")
    }
    guard !isLink else { throw Self.link(shown) }
    guard status.st_size > 0, !isForced else { return }
    guard isOwn(try Self.start(of: path)) else {
      throw HostLinkError(
        .usage, "\(shown) is there already, and is no earlier output of this command: it stays as it is",
        advice: "name another file, or replace it with --force")
    }
  }

  private static func link(_ shown: String) -> HostLinkError {
    HostLinkError(
      .usage, "\(shown) is a symbolic link, and stays as it is", advice: "name the file that it leads to")
  }

  /// Whether a file is an input, or one of the files that are read of an input that is a folder.
  private static func isRead(_ path: String, _ status: stat, _ input: String) -> Bool {
    var other = stat()
    guard stat(input, &other) == 0 else { return false }
    if (status.st_dev, status.st_ino) == (other.st_dev, other.st_ino) { return true }
    guard other.st_mode & S_IFMT == S_IFDIR else { return false }
    let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let folder = URL(fileURLWithPath: input).resolvingSymlinksInPath().path
    guard file.path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/") else { return false }
    return logFiles.contains { file.lastPathComponent.hasPrefix($0) }
      || file.deletingLastPathComponent().lastPathComponent == "pages"
  }

  private static func start(of path: String) throws(HostLinkError) -> [UInt8] {
    guard let file = try LocalFile.open(reading: path) else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: mostBytes)
    let count = SystemCall.retrying {
      bytes.withUnsafeMutableBytes { Foundation.read(file, $0.baseAddress, $0.count) }
    }
    guard count >= 0 else {
      throw .system(.storage, "\(PrintableText.of(path, limit: 256)) cannot be read", code: errno)
    }
    return Array(bytes[..<count])
  }
}
