import Glibc

/// The FIFOs between EDTT and a device of a simulated phy, in the folder of the simulation.
package struct EDTTFIFOs: ~Copyable {
  private let source: FileDescriptor
  private let sink: FileDescriptor

  /// Creates the FIFOs if they are missing, and blocks until EDTT has opened them, which it does after it has
  /// joined the phy.
  package init(_ address: PhyAddress) throws(SystemFailure) {
    let folder = try PhyInterface.folder(address)
    let paths = ["PTTout", "PTTin"].map { "\(folder)/Device\(address.device).\($0)" }
    for path in paths where mkfifo(path, 0o770) != 0 && errno != EEXIST {
      throw SystemFailure("make", path, code: errno)
    }
    // EDTT opens them in the same order.
    let sink = open(paths[0], O_WRONLY | O_CLOEXEC)
    guard sink >= 0 else { throw SystemFailure("open", paths[0], code: errno) }
    let source = open(paths[1], O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw SystemFailure("open", paths[1], code: errno) }
    self.sink = FileDescriptor(sink)
    self.source = FileDescriptor(source)
    self.source.makeNonBlocking()
  }

  /// Reads what EDTT has sent; empty if it has sent nothing, `nil` when it has ended.
  package func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 1024)
    var span = buffer.mutableSpan
    let count = source.read(into: &span)
    return count < 0 ? nil : Array(buffer[..<count])
  }

  /// Writes all bytes. Nothing is written when EDTT has ended.
  package func write(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = sink.write(bytes.span.extracting(sent...))
      guard count > 0 else { return }
      sent += count
    }
  }
}
