import HeraldText

/// A secret of a fixed size in a separate file: the common part of `AccessKey` and `SimpleSecret`.
struct SecretFile: ~Copyable {
  /// The name and size of a kind of secret, and texts for errors.
  struct Kind {
    /// The name as used in "is no access key".
    let name: String
    /// The size in bytes.
    let size: Int
    /// The advice if there is no such file.
    let missing: String
    /// The advice if the file has other contents.
    let other: String
  }

  let memory: SecretMemory
  /// Whether users other than the owner have access to the file it was read from.
  let isOpenToOthers: Bool

  /// Takes a secret over.
  init(_ memory: consuming SecretMemory, isOpenToOthers: Bool) {
    self.memory = memory
    self.isOpenToOthers = isOpenToOthers
  }

  /// Reads a file, which must have exactly the size of the kind.
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

  /// Generates a secret from the system's random source.
  static func generate(size: Int) -> SecretFile {
    var memory = SecretMemory(capacity: size)
    memory.fillRandomly()
    return SecretFile(memory, isOpenToOthers: false)
  }

  /// A copy of the secret, which is overwritten separately.
  func copy() -> SecretFile {
    var other = SecretMemory(capacity: memory.count)
    other.count = memory.count
    for (index, byte) in memory.used.enumerated() { other.bytes[index] = byte }
    return SecretFile(other, isOpenToOthers: isOpenToOthers)
  }

  /// Writes the secret to a new file accessible to its owner only. An existing file is not overwritten
  /// (`.storage`).
  func write(to path: String) throws(HostLinkError) {
    try PrivateFile.write(memory.used, to: path, replacing: false)
  }
}
