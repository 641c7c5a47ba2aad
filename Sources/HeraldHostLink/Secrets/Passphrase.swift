import Foundation
import HeraldText

/// The passphrase of a private key. Its bytes are overwritten in memory at the end of its lifetime, and never
/// printed.
public final class Passphrase {
  /// The largest number of bytes.
  static let largest = 1024

  let memory: SecretMemory
  /// Whether users other than the owner have access to the file it was read from.
  public let isOpenToOthers: Bool

  init(_ memory: consuming SecretMemory, isOpenToOthers: Bool = false) {
    self.memory = memory
    self.isOpenToOthers = isOpenToOthers
  }

  /// Reads the first line of a file, without its end; `/dev/fd/3` is a descriptor that the program was
  /// started with.
  /// - Throws: `.usage` if it is empty, or longer than 1,024 bytes.
  public static func read(_ path: String) throws(HostLinkError) -> Passphrase {
    var memory = SecretMemory(capacity: largest + 2)
    let isOpen = try PrivateFile.read(
      path, into: &memory, missing: "the file has the passphrase in its first line")
    memory.cutFirstLine()
    return try checked(memory, "the passphrase in \(PrintableText.of(path, limit: 256))", isOpen)
  }

  /// Asks on the terminal, without showing what is typed. `nil` without a terminal.
  /// - Throws: `.usage` if it is empty and `isOptional` is not set, or longer than 1,024 bytes.
  public static func ask(_ prompt: String, isOptional: Bool = false) throws(HostLinkError) -> Passphrase? {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return nil }
    defer { Foundation.close(terminal) }
    var before = termios()
    guard tcgetattr(terminal, &before) == 0 else { return nil }
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO)
    silent.c_lflag |= tcflag_t(ECHONL)
    // Before the prompt is shown: what is typed from then on is neither shown nor discarded.
    tcsetattr(terminal, TCSAFLUSH, &silent)
    defer { tcsetattr(terminal, TCSAFLUSH, &before) }
    Self.write(prompt, to: terminal)
    var memory = SecretMemory(capacity: largest + 2)
    while memory.count < memory.bytes.count, let start = memory.bytes.baseAddress {
      // Byte by byte: what follows the line is not for this program.
      let count = SystemCall.retrying { Foundation.read(terminal, start + memory.count, 1) }
      guard count == 1, memory.bytes[memory.count] != 0x0A else { break }
      memory.count += 1
    }
    if isOptional, memory.count == 0 { return nil }
    return try checked(memory, "the passphrase", false)
  }

  /// Whether it is the same as another one.
  public func isSame(as other: Passphrase) -> Bool { memory.used.elementsEqual(other.memory.used) }

  private static func write(_ text: String, to file: Int32) {
    let bytes = Array(text.utf8)
    _ = SystemCall.retrying { Foundation.write(file, bytes, bytes.count) }
  }

  private static func checked(_ memory: consuming SecretMemory, _ name: String, _ isOpen: Bool)
    throws(HostLinkError) -> Passphrase
  {
    guard (1...largest).contains(memory.count) else {
      throw HostLinkError(
        .usage, "\(name) is \(memory.count == 0 ? "empty" : "longer than \(largest) bytes")",
        advice: "a passphrase has 1 to \(largest) bytes on one line")
    }
    return Passphrase(memory, isOpenToOthers: isOpen)
  }
}
