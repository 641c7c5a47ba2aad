import Foundation
import HeraldEmbedded

/// The secret that the identifiers of a simple payload come from: 2048 bytes, which stay on this computer.
/// What a device gets is a `MatchingKeyWindow`.
///
/// In memory it is overwritten when its owner goes. It is neither printed nor described anywhere.
public struct SimpleSecret: ~Copyable {
  /// Others than its owner may use the file it was read from.
  public let isOpenToOthers: Bool
  let memory: SecretMemory

  private init(_ memory: consuming SecretMemory, isOpenToOthers: Bool) {
    self.memory = memory
    self.isOpenToOthers = isOpenToOthers
  }

  /// Reads a secret: a file of exactly 2048 bytes.
  public static func read(_ path: String) throws(HostLinkError) -> SimpleSecret {
    var memory = SecretMemory(capacity: SimpleKeySchedule.secretSize + 1)
    let isOpen = try PrivateFile.read(
      path, into: &memory, missing: "check the path; `--generate` makes a secret in a new file")
    guard memory.count == SimpleKeySchedule.secretSize else {
      throw HostLinkError(
        .usage, "\(path) is no secret: it has not exactly \(SimpleKeySchedule.secretSize) bytes",
        advice: "`--generate` makes one in a new file")
    }
    return SimpleSecret(memory, isOpenToOthers: isOpen)
  }

  /// Makes a new secret from the system's random source.
  public static func generate() -> SimpleSecret {
    var memory = SecretMemory(capacity: SimpleKeySchedule.secretSize)
    memory.fillRandomly()
    return SimpleSecret(memory, isOpenToOthers: false)
  }

  /// Writes it to a new file that its owner alone may use. A file that is there is left alone (`.storage`):
  /// without its secret nobody could tell any more whose the identifiers were that came from it.
  public func write(to path: String) throws(HostLinkError) {
    try PrivateFile.write(memory.used, to: path, replacing: false)
  }
}
