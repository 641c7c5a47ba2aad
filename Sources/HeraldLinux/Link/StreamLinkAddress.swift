/// The address of the management link over a byte stream, as written in options.
package enum StreamLinkAddress: Equatable, Sendable, CustomStringConvertible {
  /// A pseudo terminal, with a symbolic link to it if a path is given: `pty[:PATH]`.
  case pseudoTerminal(link: String?)
  /// A TCP port on this machine; 0 selects a free one: `tcp:PORT`.
  case tcp(port: UInt16)

  /// Parses the written form.
  package init(_ text: String) throws(SystemFailure) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    switch (parts[0], parts.count == 2 ? parts[1] : nil) {
    case ("pty", nil): self = .pseudoTerminal(link: nil)
    case ("pty", let path?) where !path.isEmpty: self = .pseudoTerminal(link: path)
    case ("tcp", let text?):
      guard let port = UInt16(text) else { fallthrough }
      self = .tcp(port: port)
    default:
      throw SystemFailure(
        "use", "'\(text)' as a link", reason: "it is none", advice: "the forms are pty[:PATH] and tcp:PORT")
    }
  }

  /// The written form.
  package var description: String {
    switch self {
    case .pseudoTerminal(let link): link.map { "pty:\($0)" } ?? "pty"
    case .tcp(let port): "tcp:\(port)"
    }
  }
}
