import HeraldText

/// What opens a device that is locked: 32 bytes, in a file of their own. In memory they are overwritten when
/// their owner goes; they are neither printed nor described anywhere.
public struct AccessKey: ~Copyable {
  /// How many bytes a key has.
  public static let size = 32

  /// Others than its owner may use the file it was read from.
  public let isOpenToOthers: Bool
  let memory: SecretMemory

  private init(_ memory: consuming SecretMemory, isOpenToOthers: Bool) {
    self.memory = memory
    self.isOpenToOthers = isOpenToOthers
  }

  /// Reads a key: a file of exactly 32 bytes.
  public static func read(_ path: String) throws(HostLinkError) -> AccessKey {
    var memory = SecretMemory(capacity: size + 1)
    let isOpen = try PrivateFile.read(
      path, into: &memory,
      missing:
        "check the path; for a device without a key `herald-host provision --generate` makes one in a new file"
    )
    guard memory.count == size else {
      throw HostLinkError(
        .usage, "\(PrintableText.of(path, limit: 256)) is no access key: it has not exactly \(size) bytes",
        advice: "`herald-host provision --generate` makes one in a new file")
    }
    return AccessKey(memory, isOpenToOthers: isOpen)
  }

  /// Makes a new key from the system's random source.
  public static func generate() -> AccessKey {
    var memory = SecretMemory(capacity: size)
    memory.fillRandomly()
    return AccessKey(memory, isOpenToOthers: false)
  }

  /// Another one of the same bytes, which is overwritten by itself.
  func copy() -> AccessKey {
    var other = SecretMemory(capacity: Self.size)
    other.count = memory.count
    for (index, byte) in memory.used.enumerated() { other.bytes[index] = byte }
    return AccessKey(other, isOpenToOthers: isOpenToOthers)
  }

  /// Writes it to a new file that its owner alone may use. A file that is there is left alone (`.storage`):
  /// it may be the only one that opens a device.
  public func write(to path: String) throws(HostLinkError) {
    try PrivateFile.makeFolder(for: path)
    try PrivateFile.write(memory.used, to: path, replacing: false)
  }
}
