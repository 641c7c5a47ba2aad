import Foundation
import HeraldText

/// A folder with the secrets of many devices: one file for each, named for the serial number as in a path
/// with `{serial}`, with or without the ending `.secret`.
public struct SecretFolder: Sendable {
  /// A file of the folder.
  public struct File: Equatable, Sendable {
    /// The name of the file without its ending: the serial number as `DeviceFolder.name` writes it.
    public let name: String
    /// Where it is.
    public let path: String
  }

  private static let ending = ".secret"
  /// The maximum number of files.
  private static let mostFiles = 100_000

  /// The files in the order of their names. Hidden files and folders are not among them.
  public let files: [File]

  /// Lists a folder; no secret is read.
  /// - Throws: `.storage` if it cannot be read, `.usage` if it has no files, more than 100,000, or two of
  ///   one
  ///   device.
  public init(path: String) throws(HostLinkError) {
    let shown = PrintableText.of(path, limit: 256)
    guard let names = try LocalFile.names(in: path) else {
      throw HostLinkError(
        .storage, "the folder of secrets \(shown) cannot be read", advice: "name a folder that exists")
    }
    var files: [File] = []
    var seen: Set<String> = []
    for name in names.sorted() where !name.hasPrefix(".") {
      var attributes = stat()
      let file = "\(path)/\(name)"
      guard stat(file, &attributes) == 0 else {
        throw .system(
          .storage, "\(PrintableText.of(file, limit: 256)) cannot be read", code: errno,
          advice: "it may be a secret: move it away if it is none")
      }
      guard attributes.st_mode & S_IFMT == S_IFREG else { continue }
      let serial = name.hasSuffix(Self.ending) ? String(name.dropLast(Self.ending.count)) : name
      guard seen.insert(serial).inserted else {
        throw HostLinkError(
          .usage, "\(shown) has two secrets of \(PrintableText.of(serial))", advice: "remove one of them")
      }
      files.append(File(name: serial, path: file))
    }
    guard !files.isEmpty, files.count <= Self.mostFiles else {
      throw HostLinkError(
        .usage, "\(shown) has \(files.count) secrets",
        advice: "name a folder with one file of 2048 bytes for each device, named for its serial number")
    }
    self.files = files
  }
}
