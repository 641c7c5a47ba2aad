/// The place where a controller in this process waits for its host, as written in options: `tcp:PORT`, a TCP
/// port of this machine; 0 is any free one.
package struct HostAddress: Equatable, Sendable, CustomStringConvertible {
  /// The port.
  package let port: UInt16

  /// Reads the written form.
  package init(_ text: String) throws(SystemFailure) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, parts[0] == "tcp", let port = UInt16(parts[1]) else {
      throw SystemFailure(
        "use", "'\(text)' as a place for a host", reason: "it is none",
        advice: "the form is tcp:PORT; 0 takes any free port")
    }
    self.port = port
  }

  /// The written form.
  package var description: String { "tcp:\(port)" }
}
