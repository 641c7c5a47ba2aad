import HeraldText

/// A secret of a fixed size in a file of its own: what `AccessKey` and `SimpleSecret` have in common.
struct SecretFile: ~Copyable {
  /// What a secret is called, and what makes one.
  struct Kind {
    /// As in "is no access key".
    let name: String
    /// How many bytes it has.
    let size: Int
    /// What to do where there is no such file.
    let missing: String
    /// What to do where a file holds something else.
    let other: String
  }

  let memory: SecretMemory
  /// Others than its owner may use the file it was read from.
  let isOpenToOthers: Bool

  private init(_ memory: consuming SecretMemory, isOpenToOthers: Bool) {
    self.memory = memory
    self.isOpenToOthers = isOpenToOthers
  }

  /// Reads a file of exactly as many bytes as the kind has.
  static func read(_ path: String, _ kind: Kind) throws(HostLinkError) -> SecretFile {
    var memory = SecretMemory(capacity: kind.size + 1)
    let isOpen = try PrivateFile.read(path, into: &memory, missing: kind.missing)
    guard memory.count == kind.size else {
      throw HostLinkError(
        .usage,
        "\(PrintableText.of(path, limit: 256)) is no \(kind.name): it has not exactly \(kind.size) bytes",
        advice: kind.other)
    }
    return SecretFile(memory, isOpenToOthers: isOpen)
  }

  /// Makes a new secret from the system's random source.
  static func generate(size: Int) -> SecretFile {
    var memory = SecretMemory(capacity: size)
    memory.fillRandomly()
    return SecretFile(memory, isOpenToOthers: false)
  }

  /// Another one of the same bytes, which is overwritten by itself.
  func copy() -> SecretFile {
    var other = SecretMemory(capacity: memory.count)
    other.count = memory.count
    for (index, byte) in memory.used.enumerated() { other.bytes[index] = byte }
    return SecretFile(other, isOpenToOthers: isOpenToOthers)
  }

  /// Writes it to a new file that its owner alone may use. A file that is there is left alone (`.storage`).
  func write(to path: String) throws(HostLinkError) {
    try PrivateFile.write(memory.used, to: path, replacing: false)
  }
}
