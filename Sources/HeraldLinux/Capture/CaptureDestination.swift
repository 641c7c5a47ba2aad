/// The destination of a capture, as written in options.
package enum CaptureDestination: Equatable, Sendable, CustomStringConvertible {
  /// Into a file: its path.
  case file(path: String)
  /// To the clients of a Unix stream socket: `unix:PATH`.
  case socket(path: String)

  /// Parses the written form. The error states what is invalid.
  package init(_ text: String) throws(SystemFailure) {
    guard text.hasPrefix("unix:") else {
      guard !text.isEmpty else {
        throw SystemFailure("capture into", "''", reason: "it needs a file, or unix:PATH")
      }
      self = .file(path: text)
      return
    }
    let path = String(text.dropFirst(5))
    // The path must fit into a socket address, including its final zero byte.
    guard !path.isEmpty, path.utf8.count < 108 else {
      throw SystemFailure("capture to", "'\(text)'", reason: "a socket's path has 1 to 107 bytes")
    }
    self = .socket(path: path)
  }

  /// The written form.
  package var description: String {
    switch self {
    case .file(let path): path
    case .socket(let path): "unix:\(path)"
    }
  }
}
