import Foundation

/// The folders with images of `script/build` or of an installation: `FOLDER/BOARD/ROLE.hex`.
package struct BuiltImages: Sendable {
  /// The environment variable with the path of such a folder.
  package static let variable = "HERALD_IMAGES"

  /// The search path, in order.
  package let folders: [String]

  /// The folders of this process.
  package init() {
    self.init(
      named: ProcessInfo.processInfo.environment[Self.variable],
      workingFolder: FileManager.default.currentDirectoryPath,
      program: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "")
  }

  /// `named` is the only folder if there is one. Else it is `.build/boards` of the working folder and of each
  /// folder above it, the same for the folder of the program, and `share/herald/boards` beside the `bin` that
  /// the program was installed into.
  init(named: String?, workingFolder: String, program: String) {
    if let named {
      folders = [named]
      return
    }
    let home = Self.parent(of: program)
    var found = (Self.upward(from: workingFolder) + Self.upward(from: home)).map {
      Self.join($0, ".build/boards")
    }
    if !home.isEmpty { found.append(Self.join(Self.parent(of: home), "share/herald/boards")) }
    var unique: [String] = []
    for folder in found where !unique.contains(folder) { unique.append(folder) }
    folders = unique
  }

  /// The image of a board's role, such as `wearable` or `beacon`; `nil` if no folder has it.
  package func path(board: String, role: String) -> String? {
    folders.map { Self.join($0, "\(board)/\(role).hex") }.first { FileManager.default.fileExists(atPath: $0) }
  }

  private static func parent(of path: String) -> String {
    path.isEmpty ? "" : URL(fileURLWithPath: path).deletingLastPathComponent().path
  }

  private static func join(_ folder: String, _ path: String) -> String {
    folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
  }

  /// A folder and those above it.
  private static func upward(from folder: String) -> [String] {
    var all: [String] = []
    var path = folder
    while path.hasPrefix("/") {
      all.append(path)
      if path == "/" { break }
      path = parent(of: path)
    }
    return all
  }
}
