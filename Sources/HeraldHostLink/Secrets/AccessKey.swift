/// What opens a device that is locked: 32 bytes, in a file of their own. In memory they are overwritten when
/// their owner goes; they are neither printed nor described anywhere.
public struct AccessKey: ~Copyable {
  /// How many bytes a key has.
  public static let size = 32

  private static let kind = SecretFile.Kind(
    name: "access key", size: size,
    missing:
      "check the path; for a device without a key `herald-host provision --generate` makes one in a new file",
    other: "`herald-host provision --generate` makes one in a new file")

  private let file: SecretFile

  private init(_ file: consuming SecretFile) { self.file = file }

  /// Others than its owner may use the file it was read from.
  public var isOpenToOthers: Bool { file.isOpenToOthers }
  /// The bytes, as long as the key is there.
  var bytes: UnsafeBufferPointer<UInt8> { file.memory.used }

  /// Reads a key: a file of exactly 32 bytes.
  public static func read(_ path: String) throws(HostLinkError) -> AccessKey {
    AccessKey(try SecretFile.read(path, kind))
  }

  /// Makes a new key from the system's random source.
  public static func generate() -> AccessKey { AccessKey(SecretFile.generate(size: size)) }

  /// Another one of the same bytes, which is overwritten by itself.
  func copy() -> AccessKey { AccessKey(file.copy()) }

  /// Writes it to a new file that its owner alone may use. A file that is there is left alone (`.storage`):
  /// it may be the only one that opens a device.
  public func write(to path: String) throws(HostLinkError) {
    try PrivateFile.makeFolder(for: path)
    try file.write(to: path)
  }
}
