/// The access key of a locked device: 32 bytes, in a separate file. They are overwritten in memory at the end
/// of the owner's lifetime, and never printed.
public struct AccessKey: ~Copyable {
  /// The length of a key in bytes.
  public static let size = 32

  private static let kind = SecretFile.Kind(
    name: "access key", size: size,
    missing:
      "check the path; for a device without a key `herald-host provision --generate` makes one in a new file",
    other: "`herald-host provision --generate` makes one in a new file")

  private let file: SecretFile

  private init(_ file: consuming SecretFile) { self.file = file }

  /// Whether users other than the owner have access to the file it was read from.
  public var isOpenToOthers: Bool { file.isOpenToOthers }
  /// The bytes, valid for the lifetime of the key.
  var bytes: UnsafeBufferPointer<UInt8> { file.memory.used }

  /// Reads a key: a file of exactly 32 bytes.
  public static func read(_ path: String) throws(HostLinkError) -> AccessKey {
    AccessKey(try SecretFile.read(path, kind))
  }

  /// Generates a key from the system's random source.
  public static func generate() -> AccessKey { AccessKey(SecretFile.generate(size: size)) }

  /// A copy of the key, which is overwritten separately.
  func copy() -> AccessKey { AccessKey(file.copy()) }

  /// Writes the key to a new file accessible to its owner only. An existing file is not overwritten
  /// (`.storage`): it may be the only copy of the key of a device.
  public func write(to path: String) throws(HostLinkError) {
    try PrivateFile.makeFolder(for: path)
    try file.write(to: path)
  }
}
