import HeraldEmbedded
import HeraldText

/// The private key of the owner of sealed logs (docs/sealed-log.md): 32 bytes, in a separate file. They are
/// overwritten in memory at the end of the owner's lifetime, and never printed.
public final class OwnerKey {
  /// The length of a key in bytes.
  public static let size = 32

  private static let kind = SecretFile.Kind(
    name: "owner's private key", size: size,
    missing: "check the path; `herald-host owner-key make FILE` makes a key in a new file",
    other: "the public key, a file with hexadecimal digits, opens nothing")

  private let file: SecretFile
  private var opener: SealedPageOpener

  private init(_ file: consuming SecretFile) {
    opener = SealedPageOpener(secret: Array(file.memory.used).span)
    self.file = file
  }

  deinit { opener.wipe() }

  /// Whether users other than the owner have access to the file it was read from.
  public var isOpenToOthers: Bool { file.isOpenToOthers }
  /// The public key, which devices are given.
  public var publicKey: [UInt8] { (0..<Self.size).map { opener.publicKey[$0] } }

  /// Reads a key: a file of exactly 32 bytes.
  public static func read(_ path: String) throws(HostLinkError) -> OwnerKey {
    OwnerKey(try SecretFile.read(path, kind))
  }

  /// Generates a key from the system's random source.
  public static func generate() -> OwnerKey { OwnerKey(SecretFile.generate(size: size)) }

  /// Writes the key to a new file accessible to its owner only, and the public key to a file of the same name
  /// with ".pub". Existing files are not overwritten (`.storage`): one may be the only copy of a key.
  public func write(to path: String) throws(HostLinkError) {
    try PrivateFile.makeFolder(for: path)
    let text = Array((publicKey.hexadecimal + "\n").utf8)
    try file.write(to: path)
    do {
      try text.withUnsafeBufferPointer { bytes throws(HostLinkError) in
        try PrivateFile.write(bytes, to: path + ".pub", replacing: false)
      }
    }
  }

  /// Reads a public key: a file with 64 hexadecimal digits.
  /// - Throws: `.usage` if it has other contents, or the key is one that seals nothing.
  public static func readPublic(_ path: String) throws(HostLinkError) -> [UInt8] {
    var memory = SecretMemory(capacity: 128)
    _ = try PrivateFile.read(
      path, into: &memory, missing: "`herald-host owner-key make FILE` makes FILE and FILE.pub")
    let text = String(decoding: memory.used, as: UTF8.self)
    let digits = text.hasSuffix("\n") ? text.dropLast() : text[...]
    var bytes: [UInt8] = []
    var rest = digits
    while rest.count >= 2, let byte = UInt8(rest.prefix(2), radix: 16) {
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    guard rest.isEmpty, bytes.count == size else {
      throw HostLinkError(
        .usage, "\(PrintableText.of(path, limit: 256)) is no public key: it has not exactly 64 digits",
        advice: "name the file that ends with .pub; the private key never goes to a device")
    }
    guard !X25519.isLowOrder(bytes.span) else {
      throw HostLinkError(
        .usage, "the key in \(PrintableText.of(path, limit: 256)) is a point of low order",
        advice: "a log that is sealed with it can be read by everybody: use a key of your own")
    }
    return bytes
  }

  /// The result of opening a page.
  public enum Opened: Equatable, Sendable {
    /// The page as if it had not been sealed. `isWhole` is whether all of its segments were opened.
    case page([UInt8], isWhole: Bool)
    /// It is sealed for another key, was written by another device, or was changed.
    case otherKey
  }

  /// Opens a sealed page of the device with this serial number.
  public func open(_ page: [UInt8], serial: String) -> Opened {
    var output = [UInt8](repeating: 0, count: SealedPageOpener.room(for: page.count))
    var room = output.mutableSpan
    let outcome = opener.open(page.span, serial: Array(serial.utf8).span, into: &room)
    guard outcome.opened > 0 else { return .otherKey }
    return .page(Array(output[..<outcome.count]), isWhole: outcome.foreign == 0)
  }

  /// Whether a page is sealed, by its first header.
  public static func isSealed(_ page: [UInt8]) -> Bool { LogPageHeader(page.span)?.isSealed == true }
}
