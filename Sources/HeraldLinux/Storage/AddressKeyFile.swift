import Glibc
import HeraldBluetooth
import HeraldEmbedded
import HeraldHAL
import HeraldText

/// The identity resolving key of a device in a file of the storage directory, so that peers with the key
/// resolve the device's addresses after a restart, too. One line of 32 hexadecimal digits, most significant
/// byte first.
///
/// It is created once with access for its owner only, and wiped from memory after use. A file with other
/// contents is an error: a new key would silently prevent peers from resolving the device's addresses.
package enum AddressKeyFile {
  /// The name of the file in the directory.
  package static var name: String { "address-key" }

  /// Reads the key, or creates one. `warning` is set to a warning about the file for the user, if any.
  package static func load<Source: RandomSource & ~Copyable>(
    in directory: StorageDirectory, random: inout Source, warning: inout String?
  ) throws(SystemFailure) -> IdentityResolvingKey {
    let path = directory.path + "/" + name
    let file = FileDescriptor(open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW))
    if !file.isOpen {
      guard errno == ENOENT else { throw SystemFailure("open", path, code: errno) }
      return try make(path, in: directory, random: &random)
    }
    var attributes = stat()
    if fstat(file.number, &attributes) == 0, attributes.st_mode & 0o077 != 0 {
      warning = "users other than its owner have access to the key in \(path); `chmod 600` it"
    }
    var text = SecretBytes(capacity: 64)
    let code = text.append(contentsOf: file)
    guard code == 0 || code == EFBIG else { throw SystemFailure("read", path, code: code) }
    guard let key = key(text.bytes) else {
      throw SystemFailure(
        "use", path, reason: "it does not hold 32 hexadecimal digits that are a key",
        advice:
          "restore it, or remove it to create a new key, with which peers can no longer resolve this device's addresses"
      )
    }
    return key
  }

  /// Removes the file of a key; a new key is created at the next start.
  package static func remove(_ path: String) { unlink(path) }

  /// Parses the text of a file; `nil` if it is no key.
  private static func key(_ text: UnsafeBufferPointer<UInt8>) -> IdentityResolvingKey? {
    let isEnded = text.count == 33 && text[32] == UInt8(ascii: "\n")
    guard text.count == 32 || isEnded else { return nil }
    var key = IdentityResolvingKey.none
    for index in 0..<16 {
      guard let high = Hexadecimal.value(of: text[2 * index]),
        let low = Hexadecimal.value(of: text[2 * index + 1])
      else {
        key.wipe()
        return nil
      }
      key.bytes[index] = high << 4 | low
    }
    return key.isNone ? nil : key
  }

  /// Generates a key and writes it atomically, also with respect to power loss.
  private static func make<Source: RandomSource & ~Copyable>(
    _ path: String, in directory: StorageDirectory, random: inout Source
  ) throws(SystemFailure) -> IdentityResolvingKey {
    let key = IdentityResolvingKey.make(random: &random)
    guard !key.isNone else {
      throw SystemFailure("make", path, reason: "the random source gives nothing but zeros")
    }
    var text = SecretBytes(capacity: 33)
    for index in 0..<16 {
      _ = text.append(Hexadecimal.digit(key.bytes[index] >> 4))
      _ = text.append(Hexadecimal.digit(key.bytes[index] & 0xF))
    }
    _ = text.append(UInt8(ascii: "\n"))
    try StorageDirectory.store(text.bytes.span, at: path, in: directory.path)
    return key
  }
}
