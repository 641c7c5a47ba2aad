import Foundation
import HeraldCrypto
import HeraldEmbedded
import HeraldText

/// The private key of the owner of sealed logs (docs/log-format.md), of X25519. Its 32 bytes are overwritten
/// in memory at the end of the owner's lifetime, and printed only as the copy on paper.
public final class OwnerKey {
  /// The length of a key in bytes.
  public static let size = 32

  private let file: SecretFile
  /// Finds the keys of segments.
  var opener: SealedPageOpener

  init(_ file: consuming SecretFile) {
    opener = SealedPageOpener(secret: Array(file.memory.used).span)
    self.file = file
  }

  deinit { opener.wipe() }

  /// Whether users other than the owner have access to the file it was read from.
  public var isOpenToOthers: Bool { file.isOpenToOthers }
  /// The public key, which devices are given.
  public var publicKey: [UInt8] { (0..<Self.size).map { opener.publicKey[$0] } }

  /// Reads a key: a file of exactly 32 bytes, or one in PEM (PKCS #8), as `openssl genpkey -algorithm X25519`
  /// makes. `passphrase` is called if the file is protected with one.
  public static func read(
    _ path: String, passphrase: () throws(HostLinkError) -> Passphrase? = { () throws(HostLinkError) in nil }
  ) throws(HostLinkError) -> OwnerKey {
    var memory = SecretMemory(capacity: PrivateKeyText.largest)
    let isOpen = try PrivateFile.read(
      path, into: &memory,
      missing: "check the path; `herald-host owner-key make FILE` makes a key in a new file")
    return try parsed(memory, path, isOpen, passphrase)
  }

  /// The key in the contents of a file.
  static func parsed(
    _ memory: consuming SecretMemory, _ path: String, _ isOpen: Bool,
    _ passphrase: () throws(HostLinkError) -> Passphrase?
  ) throws(HostLinkError) -> OwnerKey {
    if memory.count == size { return OwnerKey(SecretFile(memory, isOpenToOthers: isOpen)) }
    let name = PrintableText.of(path, limit: 256)
    guard PrivateKeyText.isPEM(memory.used) else {
      throw HostLinkError(
        .usage, "\(name) is no owner's private key: it is not in PEM, and has not exactly \(size) bytes",
        advice: "the public key, a file with hexadecimal digits, opens nothing")
    }
    let given = PrivateKeyText.isProtected(memory.used) ? try passphrase() : nil
    do throws(PrivateKeyText.Failure) {
      return OwnerKey(
        SecretFile(try PrivateKeyText.privateKey(in: memory.used, passphrase: given), isOpenToOthers: isOpen))
    } catch {
      throw error.reported(name)
    }
  }

  /// Generates a key from the system's random source.
  public static func generate() -> OwnerKey { OwnerKey(SecretFile.generate(size: size)) }

  /// Reads the copy on paper, which was typed into a file or standard input (`/dev/stdin`).
  /// - Throws: `.usage` with the groups that have a typing error.
  public static func restore(_ path: String) throws(HostLinkError) -> OwnerKey {
    var memory = SecretMemory(capacity: 4096)
    _ = try PrivateFile.read(
      path, into: &memory, missing: "the file has the \(RecoveryCode.groupCount) groups of the copy on paper")
    do throws(RecoveryCode.Failure) {
      return OwnerKey(SecretFile(try RecoveryCode.key(of: memory.used), isOpenToOthers: false))
    } catch {
      throw error.reported
    }
  }

  /// Gives the copy on paper to `body`: groups of five characters, in lines of at most seven. The text is
  /// overwritten afterwards.
  public func showRecoveryCode(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    let text = RecoveryCode.text(of: file.memory.used)
    body(text.used)
  }

  /// Writes the key to a new file accessible to its owner only, and the public key to a file of the same name
  /// with ".pub". With a passphrase the file is PKCS #8 in PEM, which `openssl pkey` opens; without one it is
  /// the 32 bytes. Existing files are not overwritten (`.storage`): one may be the only copy of a key.
  public func write(to path: String, passphrase: Passphrase? = nil) throws(HostLinkError) {
    try PrivateFile.makeFolder(for: path)
    guard try !LocalFile.exists(path + ".pub") else {
      throw HostLinkError(
        .storage, "\(PrintableText.of(path, limit: 256)).pub is there already",
        advice: "a file that is there stays as it is; name a new one")
    }
    if let passphrase {
      guard let text = PrivateKeyText.protected(file.memory.used, passphrase) else {
        throw HostLinkError(.storage, "the key cannot be protected with this passphrase")
      }
      try PrivateFile.write(text.used, to: path, replacing: false)
    } else {
      try file.write(to: path)
    }
    let text = Array((publicKey.hexadecimal + "\n").utf8)
    try text.withUnsafeBufferPointer { bytes throws(HostLinkError) in
      try PrivateFile.write(bytes, to: path + ".pub", replacing: false)
    }
  }

  /// Reads a public key: a file with 64 hexadecimal digits, or one in PEM (SubjectPublicKeyInfo), as
  /// `openssl pkey -pubout` writes it.
  /// - Throws: `.usage` if it has other contents, or the key is one that seals nothing.
  public static func readPublic(_ path: String) throws(HostLinkError) -> [UInt8] {
    var memory = SecretMemory(capacity: PrivateKeyText.largest)
    _ = try PrivateFile.read(
      path, into: &memory, missing: "`herald-host owner-key make FILE` makes FILE and FILE.pub")
    if PrivateKeyText.isPEM(memory.used) {
      guard let key = try? PrivateKeyText.publicKey(in: memory.used) else {
        throw HostLinkError(
          .usage, "\(PrintableText.of(path, limit: 256)) is no public key of X25519 in PEM",
          advice: "name the file that ends with .pub; the private key never goes to a device")
      }
      return try usable(key, path)
    }
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
    return try usable(bytes, path)
  }

  /// The key, if it seals.
  private static func usable(_ key: [UInt8], _ path: String) throws(HostLinkError) -> [UInt8] {
    guard !X25519.isLowOrder(key.span) else {
      throw HostLinkError(
        .usage, "the key in \(PrintableText.of(path, limit: 256)) is a point of low order",
        advice: "a log that is sealed with it can be read by everybody: use a key of your own")
    }
    return key
  }

  /// Whether a page is sealed, by its first header.
  public static func isSealed(_ page: [UInt8]) -> Bool { LogPageHeader(page.span)?.isSealed == true }
}

extension PrivateKeyText.Failure {
  /// As an error of the file with this name.
  func reported(_ name: String) -> HostLinkError {
    switch self {
    case .noKey:
      HostLinkError(
        .usage, "\(name) holds no private key, or is damaged",
        advice: "use a copy of it, or `herald-host owner-key restore` with the copy on paper")
    case .otherKind:
      HostLinkError(
        .usage, "the key in \(name) is not of X25519",
        advice: "logs are sealed for X25519 keys only; `herald-host owner-key make` makes one")
    case .noPassphrase:
      HostLinkError(
        .usage, "\(name) is protected with a passphrase", advice: "name a file with it with --passphrase-file"
      )
    case .wrongPassphrase:
      HostLinkError(
        .usage, "the passphrase does not open \(name)",
        advice: "it is another one, or the file is damaged; the copy on paper needs none")
    case .otherProtection:
      HostLinkError(
        .usage, "\(name) is protected in a way that this program does not read",
        advice: "`openssl pkcs8 -topk8 -scrypt -in \(name)` writes it in one that it reads")
    }
  }
}

extension RecoveryCode.Failure {
  /// As an error of the command.
  var reported: HostLinkError {
    switch self {
    case .groups(let numbers):
      let list = numbers.map(String.init).joined(separator: ", ")
      return HostLinkError(
        .usage, "typing error in group \(list) of \(RecoveryCode.groupCount)",
        advice: "compare with the paper; groups are counted from the first line's left end")
    case .count(let count):
      return HostLinkError(
        .usage, "these are \(count) groups, and a key has \(RecoveryCode.groupCount)",
        advice: "type each group of five characters, with spaces or new lines between them")
    case .sum:
      return HostLinkError(
        .usage, "each group is right, but together they are no key",
        advice: "the paper has groups of several keys, or one has several typing errors")
    }
  }
}
